//! A log with every kind of event makes the same rows in every version.
//!
//! Existing lines never change: users have such logs on disk. A new event gets a line at the end; a version that changes
//! the format of events gets its own log.

use std::collections::{BTreeMap, BTreeSet};

use domain::{ActionUpdate, Event, RecordedEvent, Sequence};
use views::{Row, RowKind};

use crate::sample_log::{Replay, fold, golden_log, row_lines};

#[test]
fn the_golden_log_has_every_kind_of_event() {
    let log = golden_log();
    let found: BTreeSet<_> = log.iter().map(|recorded| recorded.event.name()).collect();
    let missing: Vec<_> = Event::NAMES.iter().filter(|name| !found.contains(*name)).collect();
    assert!(missing.is_empty(), "add these at the end of tests/golden/log-1.jsonl: {missing:?}");
    let sequences: Vec<_> = log.iter().map(|recorded| recorded.sequence.0).collect();
    assert_eq!(sequences, (1..=log.len() as u64).collect::<Vec<_>>());
}

#[test]
fn the_golden_log_makes_a_row_of_every_kind() {
    let views = fold(&golden_log());
    for kind in RowKind::ALL {
        assert!(!views.rows().of_kind(*kind).is_empty(), "no row of kind {}", kind.name());
    }
}

#[test]
fn the_golden_log_makes_the_same_rows() {
    insta::assert_snapshot!(row_lines(&fold(&golden_log())).join("\n"));
}

#[test]
fn events_that_were_written_and_read_back_make_the_same_rows() {
    let log = golden_log();
    let again = |recorded: &RecordedEvent| {
        let text = serde_json::to_string(recorded).unwrap();
        serde_json::from_str::<RecordedEvent>(&text).unwrap()
    };
    let read_back: Vec<_> = log.iter().map(again).collect();
    assert_eq!(read_back, log);
    assert_eq!(row_lines(&fold(&read_back)), row_lines(&fold(&log)));
}

#[test]
fn changes_alone_make_the_same_rows_after_every_event() {
    let mut replay = Replay::new();
    let mut rows_from_changes: BTreeMap<(RowKind, String), Row> = BTreeMap::new();
    let log = golden_log();
    for (n, recorded) in log.iter().enumerate() {
        for change in replay.apply(recorded) {
            let key = (change.kind, change.key.clone());
            let is_named = !change.names().is_empty();
            assert!(is_named, "{key:?}");
            match change.row {
                Some(row) => {
                    assert_eq!((row.kind(), row.key()), key);
                    rows_from_changes.insert(key, row);
                }
                None => assert!(rows_from_changes.remove(&key).is_some(), "{key:?} was not put"),
            }
        }
        let by_changes: BTreeSet<_> = rows_from_changes.values().map(Row::to_json).collect();
        let by_fold: BTreeSet<_> = replay.views.all_rows().map(|row| row.to_json()).collect();
        assert_eq!(by_changes, by_fold, "after {}", recorded.event.name());
        assert_eq!(
            row_lines(&replay.views),
            row_lines(&fold(&log[..=n])),
            "rebuilt after {}",
            recorded.event.name()
        );
    }
}

#[test]
fn an_event_applied_again_changes_nothing() {
    let log = golden_log();
    let mut views = fold(&log);
    let before = row_lines(&views);
    for recorded in &log {
        assert_eq!(views.apply(recorded, &ActionUpdate::default()), []);
    }
    assert_eq!(row_lines(&views), before);
}

#[test]
fn events_about_unknown_things_are_ignored() {
    let log = golden_log();
    for recorded in &log {
        Replay::new().apply(recorded);
    }
    // In reverse, every event comes before what it refers to.
    let mut replay = Replay::new();
    for (n, recorded) in (1..).zip(log.iter().rev()) {
        replay.apply(&RecordedEvent { sequence: Sequence(n), ..recorded.clone() });
    }
    // Logs without their beginning.
    for start in (1..log.len()).step_by(7) {
        fold(&log[start..]);
    }
}

#[test]
fn counts_agree_with_the_tasks() {
    let mut replay = Replay::new();
    for recorded in golden_log() {
        replay.apply(&recorded);
        let views = &replay.views;
        let run = views.rows().run.get(&()).unwrap();
        let counts = serde_json::to_value(run.tasks).unwrap();
        let counts: BTreeMap<String, usize> = serde_json::from_value(counts).unwrap();
        for (state, count) in counts {
            let is_in = |row: &&views::TaskRow| serde_json::to_value(row.state).unwrap() == state.as_str();
            assert_eq!(views.rows().tasks.iter().filter(is_in).count(), count, "{state}");
        }
        assert_eq!(run.waits_for.person as usize, views.inbox().len(), "after {}", recorded.sequence);
    }
}

#[test]
fn rows_are_read_back_as_they_are_written() {
    for row in fold(&golden_log()).all_rows() {
        let json = row.to_json();
        macro_rules! read {
            ($($kind:ident: $type:ident,)*) => {
                match &row {$(Row::$kind(_) => serde_json::from_str::<views::$type>(&json).map(Row::from),)*}
            };
        }
        let again = read! {
            Run: RunRow, Phase: PhaseRow, Task: TaskRow, TaskDetail: TaskDetailRow, Attempt: AttemptRow,
            Agent: AgentRow, Session: SessionRow, Progress: ProgressRow, Question: QuestionRow,
            Request: RequestRow, Invocation: InvocationRow, Result: ResultRow, Channel: ChannelRow,
            DirectMessage: DirectMessageRow, Loop: LoopRow, Escalation: EscalationRow, Gate: GateRow,
            Checkpoint: CheckpointRow, Receipt: ReceiptRow, Landing: LandingRow, Cleanup: CleanupRow, Overlap: OverlapRow, Turn: TurnRow, Chat: ChatRow,
            Timeline: TimelineRow, PlanOffer: PlanOfferRow, Inbox: InboxRow, Usage: UsageRow,
        };
        assert_eq!(again.unwrap(), row, "{json}");
    }
}
