//! Output of `jangdan log` and `jangdan replay`.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue must fail")]

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

/// Number of events of the golden log in these snapshots; the log may grow.
const N_EVENTS: usize = 188;

fn golden_events() -> Vec<RecordedEvent> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../views/tests/golden/log-1.jsonl");
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn append_events(log: &SqliteLog, run: &str, after: u64, events: &[RecordedEvent]) {
    let entries = events.iter().map(|recorded| NewEntry::from_event(recorded).unwrap()).collect();
    log.append(&run.parse().unwrap(), Sequence(after), entries).unwrap();
}

/// Creates a data directory with these runs and numbers of events.
fn data_directory_with_runs(runs: &[(&str, usize)]) -> TempDir {
    let directory = tempdir().unwrap();
    let log = SqliteLog::open(directory.path()).unwrap();
    for (run, n_events) in runs {
        append_events(&log, run, 0, &golden_events()[..*n_events]);
    }
    directory
}

fn jangdan(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("jangdan").unwrap();
    command.env("NO_COLOR", "1").env("JANGDAN_DATA", directory).args(arguments);
    command
}

/// Runs a command, and returns its exit status and output.
fn output_of(directory: &Path, arguments: &[&str]) -> String {
    let output = jangdan(directory, arguments).output().unwrap();
    let text =
        |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(&directory.display().to_string(), "DATA");
    let exit = output.status.code().unwrap();
    format!("exit {exit}\n--- stdout\n{}--- stderr\n{}", text(output.stdout), text(output.stderr))
}

#[test]
fn every_event_is_one_line() {
    let directory = data_directory_with_runs(&[("r7k2", N_EVENTS)]);
    insta::assert_snapshot!(output_of(directory.path(), &["log", "r7"]));
}

#[test]
fn json_log_equals_the_recorded_events() {
    let directory = data_directory_with_runs(&[("r7k2", N_EVENTS)]);
    let output = jangdan(directory.path(), &["log", "r7k2", "--json"]).output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let read: Vec<RecordedEvent> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(read, golden_events()[..N_EVENTS]);
}

#[test]
fn rows_are_shown_after_an_event() {
    let directory = data_directory_with_runs(&[("r7k2", N_EVENTS)]);
    insta::assert_snapshot!("replay_to_45", output_of(directory.path(), &["replay", "r7k2", "--to", "45"]));
    insta::assert_snapshot!("replay_to_the_end", output_of(directory.path(), &["replay", "r7k2"]));
}

#[test]
fn states_of_rows_are_in_the_language_of_the_environment() {
    let directory = data_directory_with_runs(&[("r7k2", N_EVENTS)]);
    let mut command = jangdan(directory.path(), &["replay", "r7k2"]);
    let output = command.env("LC_ALL", "ko_KR.UTF-8").output().unwrap();
    insta::assert_snapshot!("replay_korean", String::from_utf8(output.stdout).unwrap());
}

#[test]
fn sessions_calls_and_messages_are_listed() {
    let directory = data_directory_with_runs(&[("r7k2", N_EVENTS)]);
    let shown = |arguments: &[&str]| output_of(directory.path(), arguments);
    insta::assert_snapshot!("sessions", shown(&["sessions", "r7k2"]));
    insta::assert_snapshot!("sessions_as_a_tree", shown(&["sessions", "--tree", "--run", "r7k2"]));
    insta::assert_snapshot!("calls", shown(&["calls", "r7k2"]));
    insta::assert_snapshot!("messages", shown(&["messages", "r7k2"]));
    for (arguments, name) in [
        (["sessions", "--tree"], "sessions_korean"),
        (["calls", "r7k2"], "calls_korean"),
        (["messages", "r7k2"], "messages_korean"),
    ] {
        let output = jangdan(directory.path(), &arguments).env("LC_ALL", "ko_KR.UTF-8").output().unwrap();
        insta::assert_snapshot!(name, String::from_utf8(output.stdout).unwrap());
    }
}

#[test]
fn json_of_sessions_calls_and_messages_has_their_rows() {
    let directory = data_directory_with_runs(&[("r7k2", N_EVENTS)]);
    let rows = |command: &str| -> Vec<serde_json::Value> {
        let output = jangdan(directory.path(), &[command, "r7k2", "--json"]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let replay = jangdan(directory.path(), &["replay", "r7k2", "--json"]).output().unwrap();
    let replay: serde_json::Value = serde_json::from_slice(&replay.stdout).unwrap();
    let n_rows = |kind: &str| replay["rows"][kind].as_array().unwrap().len();
    assert_eq!(rows("sessions").len(), n_rows("session"));
    assert_eq!(rows("calls"), *replay["rows"]["invocation"].as_array().unwrap());
    let messages = rows("messages");
    assert_eq!(messages.len(), n_rows("directMessage") + n_rows("result"));
    assert!(messages.iter().all(|message| message["from"]["session"].is_string()), "{messages:?}");
}

#[test]
fn json_replay_has_every_kind_of_row() {
    let directory = data_directory_with_runs(&[("r7k2", N_EVENTS)]);
    let output = jangdan(directory.path(), &["replay", "r7k2", "--to", "50", "--json"]).output().unwrap();
    let replay: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&replay["run"], &replay["sequence"]), (&"r7k2".into(), &50.into()));
    let rows = replay["rows"].as_object().unwrap();
    assert_eq!(rows.len(), views::RowKind::ALL.len());
    assert_eq!(rows["task"].as_array().unwrap().len(), 8);
    assert_eq!(rows["question"][0]["status"], "answered");
}

#[test]
fn errors_are_explained() {
    let directory = data_directory_with_runs(&[("r7k2", 2), ("r7k3", 2)]);
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
    let all: Vec<_> = cases.iter().map(|(directory, arguments)| output_of(directory, arguments)).collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn an_unknown_event_ends_the_log_with_an_error() {
    let directory = data_directory_with_runs(&[("r7k2", 1)]);
    let log = SqliteLog::open(directory.path()).unwrap();
    let unknown =
        NewEntry { kind: "TaskDreamt".to_owned(), ..NewEntry::from_event(&golden_events()[1]).unwrap() };
    log.append(&"r7k2".parse().unwrap(), Sequence(1), vec![unknown]).unwrap();
    insta::assert_snapshot!(output_of(directory.path(), &["log", "r7k2"]));
}

#[test]
fn control_characters_are_not_printed() {
    let directory = data_directory_with_runs(&[("r7k2", 1)]);
    let log = SqliteLog::open(directory.path()).unwrap();
    let event = domain::Event::ChatMessageSent(domain::events::ChatMessageSent {
        text: "a\u{1b}[2Jb\u{202e}c".to_owned(),
        answers: None,
    });
    append_events(&log, "r7k2", 1, &[RecordedEvent { event, ..golden_events()[1].clone() }]);
    drop(log);
    for arguments in [&["log", "r7k2"][..], &["log", "r7k2", "--json"], &["replay", "r7k2", "--json"]] {
        let output = jangdan(directory.path(), arguments).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    }
}

#[test]
fn follow_prints_events_of_another_process() {
    let directory = data_directory_with_runs(&[("r7k2", 3), ("other", 1)]);
    let log = SqliteLog::open(directory.path()).unwrap();
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("jangdan"))
        .args(["log", "r7k2", "--follow", "--json", "--data"])
        .arg(directory.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<RecordedEvent>(&lines.next().unwrap().unwrap()).unwrap();
    let golden = golden_events();
    for expected in &golden[..3] {
        assert_eq!(next(), *expected);
    }
    // The recorded events are read; the next are appended while it waits.
    append_events(&log, "other", 1, &golden[1..2]);
    for n in 3..6 {
        append_events(&log, "r7k2", n as u64, &golden[n..=n]);
        assert_eq!(next(), golden[n]);
    }
    child.kill().unwrap();
    child.wait().unwrap();
}
