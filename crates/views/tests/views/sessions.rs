//! A change says which sessions it is about, also those that the row leaves.

use std::collections::BTreeSet;

use domain::{Event, Role, SessionId};
use views::{Change, Kind};

use crate::story::{Story, agent, task};

fn sessions(changes: &[Change], kind: Kind) -> BTreeSet<u32> {
    let of_kind = changes.iter().filter(|change| change.kind == kind);
    of_kind.flat_map(Change::sessions).map(|session| session.0).collect()
}

#[test]
fn a_row_that_goes_to_another_session_is_about_both_once() {
    let mut story = Story::of(&[("T1", 1, &[])]);
    story.start("T1", 1);
    story.tell(Event::SessionOpened {
        session: SessionId(2),
        parent: None,
        depth: 2,
        role: Role::Worker,
        agent: Some(agent()),
        task: Some(task("T1")),
        phase: None,
        resumes: None,
    });
    let resume =
        |story: &mut Story| story.tell(Event::TaskResumed { task: task("T1"), session: SessionId(2) });
    let moved = resume(&mut story);
    assert_eq!(sessions(&moved, Kind::Task), BTreeSet::from([1, 2]));
    assert_eq!(sessions(&moved, Kind::Attempt), BTreeSet::from([1, 2]));
    let stayed = resume(&mut story);
    assert_eq!(sessions(&stayed, Kind::Task), BTreeSet::from([2]));
}
