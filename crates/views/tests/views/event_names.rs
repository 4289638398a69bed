//! Names of changes on the live stream.

use std::collections::BTreeSet;

use domain::ActionUpdate;
use views::{RowKind, Views};

use crate::sample_log::golden_log;

/// Names that clients depend on; they never change.
const NAMES: [&str; 12] = [
    "session.start",
    "session.end",
    "worker.spawn",
    "worker.complete",
    "worker.progress",
    "worker.feedback",
    "direct.message",
    "escalation.new",
    "escalation.resolved",
    "human_query_requested",
    "human_query_answered",
    "task_resumed_after_human_query",
];

#[test]
fn golden_log_has_every_change_name_and_row_kind() {
    let mut views = Views::new("r1".parse().unwrap());
    let mut names = BTreeSet::new();
    for recorded in golden_log() {
        for change in views.apply(&recorded, &ActionUpdate::default()) {
            names.extend(change.names());
        }
    }
    for name in NAMES {
        assert!(names.contains(name), "{name} does not occur");
    }
    // Progress always has its own name.
    for kind in RowKind::ALL.iter().filter(|kind| **kind != RowKind::Progress) {
        assert!(names.contains(kind.changed_event_name()), "{} does not occur", kind.changed_event_name());
    }
    assert!(names.contains("inbox.removed"));
}

#[test]
fn a_question_that_reaches_no_user_is_not_a_human_query() {
    let mut views = Views::new("r1".parse().unwrap());
    for recorded in golden_log() {
        for change in views.apply(&recorded, &ActionUpdate::default()) {
            if change.names().contains(&"human_query_requested") {
                assert_eq!((recorded.event.name(), change.kind), ("QuestionRouted", RowKind::Question));
                assert!(change.row.unwrap().to_json().contains("\"status\":\"pending\""));
            }
        }
    }
}
