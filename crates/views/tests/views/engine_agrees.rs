//! Rows agree with the state of the engine for random runs.

use std::collections::BTreeMap;

use domain::RecordedEvent;
use proptest::prelude::{ProptestConfig, any, prop_assert_eq, proptest};
use views::{TaskState, Views};

use crate::{
    engine_run::{EngineRun, RandomChoices},
    sample_log::fold,
};

const N_STEPS: usize = 800;

/// Number of random runs; each is long, together they take some seconds.
const N_RUNS: u32 = 80;

/// State of a task, and the reasons why it is blocked.
type TaskSummary = (TaskState, Vec<domain::BlockReason>);

fn engine_tasks(engine_run: &EngineRun) -> BTreeMap<String, TaskSummary> {
    let plain = |state| (state, Vec::new());
    let task_summary = |id: &domain::TaskId| match engine_run.run.task_state(id).unwrap() {
        engine::TaskState::Waiting => plain(TaskState::Waiting),
        engine::TaskState::Ready => plain(TaskState::Ready),
        engine::TaskState::Running => plain(TaskState::Running),
        engine::TaskState::Checking => plain(TaskState::Checking),
        engine::TaskState::Merging => plain(TaskState::Merging),
        engine::TaskState::Done => plain(TaskState::Done),
        engine::TaskState::Failed => plain(TaskState::Failed),
        engine::TaskState::Skipped => plain(TaskState::Skipped),
        engine::TaskState::Cancelled => plain(TaskState::Cancelled),
        engine::TaskState::Blocked(reasons) => (TaskState::Blocked, reasons),
    };
    engine_run.run.task_ids().map(|id| (id.to_string(), task_summary(id))).collect()
}

fn row_tasks(engine_run: &EngineRun) -> BTreeMap<String, TaskSummary> {
    let task_summary = |row: &views::TaskRow| {
        let reasons = row.blocked.iter().map(|blocked| blocked.reason.clone()).collect();
        (row.state, reasons)
    };
    engine_run.views.rows().tasks.iter().map(|row| (row.id.to_string(), task_summary(row))).collect()
}

/// Returns the rows whose actions differ from those that the engine allows.
fn rows_with_other_actions(engine_run: &EngineRun) -> Vec<String> {
    let (run, rows) = (&engine_run.run, engine_run.views.rows());
    let mut others = Vec::new();
    let mut compare = |key: String, is_equal: bool| others.extend((!is_equal).then_some(key));
    for row in rows.run.iter() {
        compare("run".to_owned(), row.actions == run.run_actions());
    }
    for row in rows.tasks.iter() {
        compare(row.id.to_string(), row.actions == run.task_actions(&row.id));
    }
    for row in rows.sessions.iter() {
        compare(row.id.to_string(), row.actions == run.session_actions(row.id));
    }
    for row in rows.inbox.iter() {
        compare(row.item.to_string(), row.actions == run.inbox_actions(row.item));
    }
    others
}

/// Serializes and parses an event.
fn serialize_and_parse(recorded: &RecordedEvent) -> RecordedEvent {
    let text = serde_json::to_string(recorded).unwrap();
    serde_json::from_str(&text).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(N_RUNS))]

    #[test]
    fn rows_agree_with_the_engine(seed in any::<u64>()) {
        let mut choices = RandomChoices(seed);
        let mut engine_run = EngineRun::new(&mut choices);
        for step in 0..N_STEPS {
            engine_run.step(&mut choices);
            prop_assert_eq!(row_tasks(&engine_run), engine_tasks(&engine_run), "after step {}", step);
            prop_assert_eq!(rows_with_other_actions(&engine_run), Vec::<String>::new(), "after step {}", step);
        }
        let run = engine_run.views.rows().run.get(&()).unwrap();
        prop_assert_eq!(run.waits_for.person as usize, engine_run.views.inbox().len());
        prop_assert_eq!(run.ended_at.is_some(), engine_run.run.outcome().is_some());
        let rows = |views: &Views| -> BTreeMap<_, _> {
            views.all_rows().map(|row| ((row.kind(), row.key()), row.to_json())).collect()
        };
        prop_assert_eq!(&rows(&engine_run.views), &engine_run.rows_from_changes, "the changes reproduce all rows");
        let log: Vec<RecordedEvent> = engine_run.log.iter().map(serialize_and_parse).collect();
        prop_assert_eq!(&log, &engine_run.log);
        prop_assert_eq!(&rows(&fold(&log)), &engine_run.rows_from_changes, "the log reproduces all rows");
    }
}

#[test]
fn random_runs_reach_most_events() {
    let mut reached_events = BTreeMap::new();
    for seed in 0..200 {
        let mut choices = RandomChoices(seed);
        let mut engine_run = EngineRun::new(&mut choices);
        for _ in 0..N_STEPS {
            engine_run.step(&mut choices);
        }
        for (name, n) in engine_run.event_counts {
            *reached_events.entry(name).or_insert(0) += n;
        }
    }
    // The plan file and the disk are not simulated here; the simulator does that.
    let is_covered_elsewhere = |name: &str| {
        ["Plan", "Overlap", "DiskBudget"].iter().any(|start| name.starts_with(start))
            || ["PhaseAdded", "PhaseChanged", "TaskChanged", "EffectPostponed", "EffectRetried"]
                .contains(&name)
            // Commands of these runs come from nowhere, and their clock is steady.
            || ["CommandExecuted", "ClockJumped"].contains(&name)
    };
    let unreached = domain::Event::NAMES
        .iter()
        .filter(|name| !reached_events.contains_key(*name) && !is_covered_elsewhere(name));
    let unreached: Vec<_> = unreached.collect();
    // Thin sessions are not simulated, and some events are too rare.
    assert!(unreached.len() < 9, "{unreached:?}");
}
