//! `jangdan log` and `jangdan replay` as a person and a program see them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::Stdio,
};

use assert_cmd::Command;
use domain::{RecordedEvent, Sequence};
use store::{Log, NewEntry, SqliteLog};
use tempfile::{TempDir, tempdir};

/// How many events the golden log had when these snapshots were taken; it may grow.
const N_EVENTS: usize = 188;

fn golden() -> Vec<RecordedEvent> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../views/tests/golden/log-1.jsonl");
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn append(log: &SqliteLog, run: &str, after: u64, events: &[RecordedEvent]) {
    let entries = events.iter().map(|recorded| NewEntry::of(recorded).unwrap()).collect();
    log.append(&run.parse().unwrap(), Sequence(after), entries).unwrap();
}

/// Makes a data directory with these runs, each with so many events.
fn data(runs: &[(&str, usize)]) -> TempDir {
    let directory = tempdir().unwrap();
    let log = SqliteLog::open(directory.path()).unwrap();
    for (run, n_events) in runs {
        append(&log, run, 0, &golden()[..*n_events]);
    }
    directory
}

fn jangdan(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("jangdan").unwrap();
    command.env("NO_COLOR", "1").env("JANGDAN_DATA", directory).args(arguments);
    command
}

/// Runs a command, and writes down everything that can be seen of it.
fn seen(directory: &Path, arguments: &[&str]) -> String {
    let output = jangdan(directory, arguments).output().unwrap();
    let text =
        |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(&directory.display().to_string(), "DATA");
    let exit = output.status.code().unwrap();
    format!("exit {exit}\n--- stdout\n{}--- stderr\n{}", text(output.stdout), text(output.stderr))
}

#[test]
fn every_event_is_a_line() {
    let directory = data(&[("r7k2", N_EVENTS)]);
    insta::assert_snapshot!(seen(directory.path(), &["log", "r7"]));
}

#[test]
fn as_json_a_log_is_what_was_recorded() {
    let directory = data(&[("r7k2", N_EVENTS)]);
    let output = jangdan(directory.path(), &["log", "r7k2", "--json"]).output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let read: Vec<RecordedEvent> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(read, golden()[..N_EVENTS]);
}

#[test]
fn a_run_is_shown_as_it_was() {
    let directory = data(&[("r7k2", N_EVENTS)]);
    insta::assert_snapshot!("replay_to_45", seen(directory.path(), &["replay", "r7k2", "--to", "45"]));
    insta::assert_snapshot!("replay_to_the_end", seen(directory.path(), &["replay", "r7k2"]));
}

#[test]
fn as_json_a_replay_has_every_kind_of_row() {
    let directory = data(&[("r7k2", N_EVENTS)]);
    let output = jangdan(directory.path(), &["replay", "r7k2", "--to", "50", "--json"]).output().unwrap();
    let replay: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&replay["run"], &replay["sequence"]), (&"r7k2".into(), &50.into()));
    let rows = replay["rows"].as_object().unwrap();
    assert_eq!(rows.len(), views::Kind::ALL.len());
    assert_eq!(rows["task"].as_array().unwrap().len(), 8);
    assert_eq!(rows["question"][0]["status"], "answered");
}

#[test]
fn what_can_not_be_shown_is_explained() {
    let directory = data(&[("r7k2", 2), ("r7k3", 2)]);
    let empty = tempdir().unwrap();
    let nowhere = directory.path().join("nowhere");
    let cases: [(&Path, &[&str]); 6] = [
        (directory.path(), &["log", "r7"]),
        (directory.path(), &["log", "x"]),
        (directory.path(), &["replay", "r7k3", "--to", "9"]),
        (directory.path(), &["replay", "r7k3", "--to", "soon"]),
        (empty.path(), &["log", "r7"]),
        (&nowhere, &["log", "r7"]),
    ];
    let all: Vec<_> = cases.iter().map(|(directory, arguments)| seen(directory, arguments)).collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn an_event_of_a_newer_program_ends_it_with_a_word() {
    let directory = data(&[("r7k2", 1)]);
    let log = SqliteLog::open(directory.path()).unwrap();
    let unknown = NewEntry { kind: "TaskDreamt".to_owned(), ..NewEntry::of(&golden()[1]).unwrap() };
    log.append(&"r7k2".parse().unwrap(), Sequence(1), vec![unknown]).unwrap();
    insta::assert_snapshot!(seen(directory.path(), &["log", "r7k2"]));
}

#[test]
fn nothing_that_a_terminal_obeys_comes_out_of_a_log() {
    let directory = data(&[("r7k2", 1)]);
    let log = SqliteLog::open(directory.path()).unwrap();
    let event = domain::Event::ChatMessageSent { text: "a\u{1b}[2Jb\u{202e}c".to_owned(), answers: None };
    append(&log, "r7k2", 1, &[RecordedEvent { event, ..golden()[1].clone() }]);
    drop(log);
    for arguments in [&["log", "r7k2"][..], &["log", "r7k2", "--json"], &["replay", "r7k2", "--json"]] {
        let output = jangdan(directory.path(), arguments).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    }
}

#[test]
fn a_follower_sees_what_another_process_records() {
    let directory = data(&[("r7k2", 3), ("other", 1)]);
    let log = SqliteLog::open(directory.path()).unwrap();
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("jangdan"))
        .args(["log", "r7k2", "--follow", "--json", "--data"])
        .arg(directory.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<RecordedEvent>(&lines.next().unwrap().unwrap()).unwrap();
    let golden = golden();
    for expected in &golden[..3] {
        assert_eq!(next(), *expected);
    }
    // It has read what there was; the rest comes while it waits.
    append(&log, "other", 1, &golden[1..2]);
    for n in 3..6 {
        append(&log, "r7k2", n as u64, &golden[n..=n]);
        assert_eq!(next(), golden[n]);
    }
    child.kill().unwrap();
    child.wait().unwrap();
}
