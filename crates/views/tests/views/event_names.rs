//! What the live stream calls what happens.

use std::collections::BTreeSet;

use views::{RowKind, Views};

use crate::sample_log::golden;

/// The names that others count on; they never change.
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
fn every_name_is_heard_and_every_kind_of_row_has_one() {
    let mut views = Views::new("r1".parse().unwrap());
    let mut heard = BTreeSet::new();
    for recorded in golden() {
        for change in views.apply(&recorded) {
            heard.extend(change.names());
        }
    }
    for name in NAMES {
        assert!(heard.contains(name), "{name} was not heard");
    }
    // Progress is never anything else.
    for kind in RowKind::ALL.iter().filter(|kind| **kind != RowKind::Progress) {
        assert!(heard.contains(kind.changed()), "{} was not heard", kind.changed());
    }
    assert!(heard.contains("inbox.removed"));
}

#[test]
fn a_question_that_no_person_saw_is_no_human_query() {
    let mut views = Views::new("r1".parse().unwrap());
    for recorded in golden() {
        for change in views.apply(&recorded) {
            if change.names().contains(&"human_query_requested") {
                assert_eq!((recorded.event.name(), change.kind), ("QuestionRouted", RowKind::Question));
                assert!(change.row.unwrap().to_json().contains("\"status\":\"pending\""));
            }
        }
    }
}
