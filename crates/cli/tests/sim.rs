//! `jangdan sim` from outside: what it prints, and where.

#![expect(clippy::expect_used, reason = "a test may fail")]

use assert_cmd::Command;

fn sim(arguments: &[&str]) -> (String, String, Option<i32>) {
    let mut command = Command::cargo_bin("jangdan").expect("the binary");
    let output = command.arg("sim").args(arguments).output().expect("it ran");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it is text");
    (text(output.stdout), text(output.stderr), output.status.code())
}

#[test]
fn runs_that_break_no_rule_are_counted() {
    let (stdout, _, status) = sim(&["--seeds", "20", "--first", "100", "--tasks", "5"]);
    assert!(stdout.starts_with("20 runs break no rule: "), "{stdout}");
    assert_eq!(status, Some(0));
}

#[test]
fn a_run_that_is_shown_is_the_same_each_time_and_begins_with_its_start() {
    let (stdout, _, status) = sim(&["--show", "7"]);
    assert!(stdout.lines().next().unwrap().contains("StartRun"), "{stdout}");
    assert!(stdout.ends_with("crashes survived\n"), "{stdout}");
    assert_eq!(sim(&["--show", "7"]).0, stdout);
    assert_eq!(status, Some(0));
}

#[test]
fn no_runs_are_no_question() {
    assert_eq!(sim(&["--seeds", "0"]).2, Some(2));
}
