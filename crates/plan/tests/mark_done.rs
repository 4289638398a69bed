//! Marking a task done in each format.

#![expect(clippy::unwrap_used, reason = "a failed setup must fail the test")]

use plan::{MarkDoneOutcome, ParseOptions, mark_done};

#[track_caller]
fn assert_file_after_mark_done(source: &str, id: &str, expected: Option<&str>) {
    let found = match mark_done(source.as_bytes(), ParseOptions::default(), &id.parse().unwrap()) {
        MarkDoneOutcome::Edit(edit) => Some(String::from_utf8(edit.apply(source.as_bytes())).unwrap()),
        MarkDoneOutcome::AlreadyDone | MarkDoneOutcome::NoStatusField | MarkDoneOutcome::NoTask => None,
    };
    assert_eq!(found.as_deref(), expected, "{source}");
}

#[test]
fn a_check_box_is_checked_and_every_other_byte_stays() {
    assert_file_after_mark_done(
        "\u{feff}- [ ] T001 a \r\n- [ ] T002 b\t\r\n",
        "T002",
        Some("\u{feff}- [ ] T001 a \r\n- [x] T002 b\t\r\n"),
    );
    assert_file_after_mark_done("- [ ] 1. p\n  - [-] 1.1 a\n", "1.1", Some("- [ ] 1. p\n  - [x] 1.1 a\n"));
    assert_file_after_mark_done("- [] 1. a\n", "1", Some("- [x] 1. a\n"));
    assert_file_after_mark_done(
        "### [ ] T1: a\n- **Status**: pending\n",
        "T1",
        Some("### [x] T1: a\n- **Status**: pending\n"),
    );
}

#[test]
fn without_a_check_box_the_status_value_changes() {
    assert_file_after_mark_done(
        "### T1: a\n- **Status**: in progress\n",
        "T1",
        Some("### T1: a\n- **Status**: done\n"),
    );
    assert_file_after_mark_done(
        "### T1: a\n- **Status**: 진행 중\n",
        "T1",
        Some("### T1: a\n- **Status**: 완료\n"),
    );
    assert_file_after_mark_done("### T1: a\n- **Status**:\n", "T1", Some("### T1: a\n- **Status**: done\n"));
    assert_file_after_mark_done(
        "| ID | Status |\n|---|---|\n| T1 | todo |\n",
        "T1",
        Some("| ID | Status |\n|---|---|\n| T1 | done |\n"),
    );
    assert_file_after_mark_done(
        "| ID | Status |\n|---|---|\n| T1 | |\n",
        "T1",
        Some("| ID | Status |\n|---|---|\n| T1 | done |\n"),
    );
    assert_file_after_mark_done(
        "| ID | Status |\n|---|---|\n| T1 | [ ] |\n",
        "T1",
        Some("| ID | Status |\n|---|---|\n| T1 | [x] |\n"),
    );
    assert_file_after_mark_done(
        r#"{"tasks": [{"id": 1, "status": "pending"}]}"#,
        "1",
        Some(r#"{"tasks": [{"id": 1, "status": "done"}]}"#),
    );
}

#[test]
fn the_section_status_takes_precedence() {
    assert_file_after_mark_done(
        "| ID | Status |\n|---|---|\n| T1 | done |\n\n### T1: a\n- **Status**: todo\n",
        "T1",
        Some("| ID | Status |\n|---|---|\n| T1 | done |\n\n### T1: a\n- **Status**: done\n"),
    );
}

#[test]
fn a_task_without_status_field_is_left_unchanged() {
    let tick =
        |source: &str, id: &str| mark_done(source.as_bytes(), ParseOptions::default(), &id.parse().unwrap());
    assert_eq!(
        tick("### T1: a\n- **Acceptance Criteria**:\n  - [ ] x\n", "T1"),
        MarkDoneOutcome::NoStatusField
    );
    assert_eq!(tick("- [x] T001 a\n", "T001"), MarkDoneOutcome::AlreadyDone);
    assert_eq!(tick("- [x] T001 a\n", "T002"), MarkDoneOutcome::NoTask);
}
