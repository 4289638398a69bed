//! `jangdan play`: plays a script, and reports its errors.

#![expect(clippy::expect_used, reason = "a test that cannot continue must fail")]

use std::{fs, process::Output};

use assert_cmd::Command;
use tempfile::TempDir;

fn run_play(script: &str, arguments: &[&str], input: &str) -> Output {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("script.toml"), script).expect("write the script");
    Command::cargo_bin("jangdan")
        .expect("the binary")
        .current_dir(folder.path())
        .args(["play", "script.toml"])
        .args(arguments)
        .env("JANGDAN_KEY", "k3f9")
        .write_stdin(input)
        .output()
        .expect("it ran")
}

#[test]
fn a_script_prints_asks_and_sets_the_exit_status() {
    let script = "steps = [{ say = \"{arguments}\\n\" }, { ask = 'Ship it?' }, { say = 'DONE:T1 {key} {line}' }, { exit = 3 }]";
    let output = run_play(script, &["--resume", "s-1"], "yes\n");
    let expected = "--resume s-1\n[ASK_USER k3f9]\nquestion: Ship it?\n[/ASK_USER k3f9]\nDONE:T1 k3f9 yes";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_forked_process_plays_its_own_steps() {
    let script =
        "steps = [{ fork = { kind = 'own_session', steps = [{ say = 'beside' }] } }, { sleep = '1ms' }]";
    assert_eq!(String::from_utf8_lossy(&run_play(script, &[], "").stdout), "beside");
}

#[test]
fn script_errors_are_shown_with_their_line() {
    let output =
        run_play("voice = \"plain\"\n\n[[steps]]\nsay = \"hello\"\n\n[[steps]]\nsleep = \"soon\"\n", &[], "");
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_wait_without_matching_input_fails() {
    let output = run_play("steps = [{ wait = 'go' }]", &[], "stay\n");
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.starts_with("error: The input that the script waits for did not arrive")
            && errors.contains("hint: "),
        "{errors}"
    );
}
