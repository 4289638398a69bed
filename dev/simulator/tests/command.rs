//! The command line of the simulator.

#![expect(clippy::expect_used, reason = "a test may fail")]

use std::process::Command;

fn run_simulator(arguments: &[&str]) -> (String, Option<i32>) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_simulator")).args(arguments).output().expect("start the simulator");
    (String::from_utf8(output.stdout).expect("the output is UTF-8"), output.status.code())
}

#[test]
fn runs_without_a_violation_are_counted() {
    let (stdout, status) = run_simulator(&["--seeds", "20", "--first", "100", "--tasks", "5"]);
    assert!(stdout.starts_with("20 runs break no rule: "), "{stdout}");
    assert_eq!(status, Some(0));
}

#[test]
fn a_shown_run_starts_with_its_start_input_and_is_reproducible() {
    let (stdout, status) = run_simulator(&["--show", "7"]);
    assert!(stdout.lines().next().expect("a line").contains("Start"), "{stdout}");
    assert!(stdout.ends_with("crashes survived\n"), "{stdout}");
    assert_eq!(run_simulator(&["--show", "7"]).0, stdout);
    assert_eq!(status, Some(0));
}

#[test]
fn an_expected_violation_that_does_not_happen_is_an_error() {
    let (stdout, status) = run_simulator(&["--seeds", "5", "--expect", "OneAttempt", "--expect", "NoCycle"]);
    assert_eq!((stdout.as_str(), status), ("", Some(1)));
}

#[test]
fn a_rule_without_this_name_is_a_usage_error() {
    assert_eq!(run_simulator(&["--expect", "NoSuchRule"]).1, Some(2));
}

#[test]
fn zero_seeds_are_a_usage_error() {
    assert_eq!(run_simulator(&["--seeds", "0"]).1, Some(2));
}
