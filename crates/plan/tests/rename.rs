//! New ids for repeated ones.

use plan::{ParseOptions, parse, rename_duplicates};

#[track_caller]
fn assert_renamed(source: &str, expected: &str) {
    let (changed, renamed) = rename_duplicates(source.as_bytes(), ParseOptions::default());
    assert_eq!(String::from_utf8_lossy(&changed), expected);
    assert!(!renamed.is_empty());
    assert!(!parse(&changed, ParseOptions::default()).has_errors());
}

#[test]
fn the_later_of_two_tasks_gets_a_new_id() {
    assert_renamed(
        "- [ ] T001 a\r\n- [ ] T001 b\r\n- [ ] T001 c\r\n",
        "- [ ] T001 a\r\n- [ ] T001b b\r\n- [ ] T001c c\r\n",
    );
    assert_renamed("- [ ] 1. a\n- [ ] 1. b\n", "- [ ] 1. a\n- [ ] 2. b\n");
    assert_renamed("### P1-T1.1: a\n### P1-T1.1: b\n", "### P1-T1.1: a\n### P1-T1.1b: b\n");
    assert_renamed(
        "| ID | Task |\n|---|---|\n| ST-001 | a |\n| ST-001 | b |\n",
        "| ID | Task |\n|---|---|\n| ST-001 | a |\n| ST-001b | b |\n",
    );
    assert_renamed(
        "{\"tasks\": [{\"id\": 1, \"title\": \"a\"}, {\"id\": 1, \"title\": \"b\"}]}",
        "{\"tasks\": [{\"id\": 1, \"title\": \"a\"}, {\"id\": 2, \"title\": \"b\"}]}",
    );
}

#[test]
fn a_file_without_repeated_ids_stays_the_same() {
    let source = b"- [ ] T001 a\n- [ ] T002 b\n";
    assert_eq!(rename_duplicates(source, ParseOptions::default()), (source.to_vec(), Vec::new()));
}
