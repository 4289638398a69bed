//! A change lists the sessions that its row concerned before and concerns now.

use std::collections::BTreeSet;

use domain::{Event, Role, SessionId, events};
use views::{RowKind, ViewChange};

use crate::sample_log::{SampleLog, parse_task_id, sample_agent_name};

fn sessions(changes: &[ViewChange], kind: RowKind) -> BTreeSet<u32> {
    let of_kind = changes.iter().filter(|change| change.kind == kind);
    of_kind.flat_map(ViewChange::sessions).map(|session| session.0).collect()
}

#[test]
fn a_row_that_moves_to_another_session_concerns_both_once() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    log.start_task("T1", 1);
    log.record(Event::SessionOpened(events::SessionOpened {
        session: SessionId(2),
        parent: None,
        depth: 2,
        role: Role::Worker,
        agent: Some(sample_agent_name()),
        task: Some(parse_task_id("T1")),
        phase: None,
        resumes: None,
    }));
    let resume = |log: &mut SampleLog| {
        log.record(Event::TaskResumed(events::TaskResumed {
            task: parse_task_id("T1"),
            session: SessionId(2),
        }))
    };
    let moved = resume(&mut log);
    assert_eq!(sessions(&moved, RowKind::Task), BTreeSet::from([1, 2]));
    assert_eq!(sessions(&moved, RowKind::Attempt), BTreeSet::from([1, 2]));
    let stayed = resume(&mut log);
    assert_eq!(sessions(&stayed, RowKind::Task), BTreeSet::from([2]));
}
