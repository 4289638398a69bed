//! `jangdan session` with any program: start, find, send, pause, stop and delete.

#![expect(clippy::unwrap_used, reason = "a failing setup fails the test")]

use std::{
    path::Path,
    process::{Command, Output},
    time::{Duration, Instant},
};

use serde_json::Value;

/// Much longer than any step takes, also on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(30);

fn run_session_command(data: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jangdan"));
    command.env("JANGDAN_DATA", data).arg("session").args(arguments).output().unwrap()
}

fn stdout_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Polls until the condition holds.
fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + TIMEOUT;
    while !condition() {
        assert!(Instant::now() < deadline, "{what}: not within {TIMEOUT:?}");
        std::thread::yield_now();
    }
}

fn session_rows(data: &Path) -> Vec<Value> {
    let listed = stdout_text(&run_session_command(data, &["list", "--json"]));
    listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn first_session_state(data: &Path) -> String {
    session_rows(data)[0]["state"].as_str().unwrap().to_owned()
}

#[test]
fn session_outlives_the_process_that_started_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let script = "echo ready; read line; echo \"got $line\"; read line";
    let started = run_session_command(data, &["start", "--", "sh", "-c", script]);
    assert!(started.status.success(), "{}", stderr_text(&started));
    assert_eq!(stdout_text(&started), "sh-1\n");

    wait_until("its output", || stdout_text(&run_session_command(data, &["log", "sh-1"])).contains("ready"));
    let sent = run_session_command(data, &["say", "sh", "안녕"]);
    assert!(sent.status.success(), "{}", stderr_text(&sent));
    wait_until("its answer", || {
        stdout_text(&run_session_command(data, &["log", "sh-1"])).contains("got 안녕")
    });

    assert!(run_session_command(data, &["pause", "sh-1"]).status.success());
    assert_eq!(first_session_state(data), "paused");
    assert!(run_session_command(data, &["resume", "sh-1"]).status.success());
    assert_eq!(first_session_state(data), "running");

    let refused = run_session_command(data, &["remove", "sh-1"]);
    assert!(!refused.status.success());
    assert!(stderr_text(&refused).contains("Stop it first"), "{}", stderr_text(&refused));
    assert!(run_session_command(data, &["stop", "sh-1"]).status.success());
    wait_until("its end", || first_session_state(data) == "ended");
    assert_eq!(session_rows(data)[0]["exitSignal"], 15, "it ended by SIGTERM and was not killed");
    assert!(
        stdout_text(&run_session_command(data, &["log", "sh-1"])).contains("got 안녕"),
        "its output is kept"
    );
    assert!(run_session_command(data, &["remove", "sh-1"]).status.success());
    assert!(session_rows(data).is_empty());
}

#[test]
fn stop_ends_an_agent_and_a_daemon_that_ignore_it_within_two_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let script = "trap '' TERM HUP; (setsid sh -c 'echo daemon; while :; do sleep 0.05; done' &); \
                  while :; do sleep 0.05; done";
    assert!(run_session_command(data, &["start", "--", "sh", "-c", script]).status.success());
    wait_until("the daemon runs", || {
        stdout_text(&run_session_command(data, &["log", "sh-1"])).contains("daemon")
    });
    let start = Instant::now();
    let stopped = run_session_command(data, &["stop", "sh-1"]);
    let took = start.elapsed();
    assert!(stopped.status.success(), "{}", stderr_text(&stopped));
    assert!(took < Duration::from_secs(2), "took {took:?}");
    assert_eq!(first_session_state(data), "ended");
    assert_eq!(session_rows(data)[0]["exitSignal"], 9, "it had to be killed");
}

#[test]
fn session_whose_holder_was_killed_is_lost_without_leftover_processes() {
    let rounds = std::env::var("HOLDER_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1);
    // The last one is a daemon in its own process session.
    let script = "trap '' TERM HUP; sleep 1001 & echo one=$!.; setsid sleep 1002 & echo two=$!.; \
                  (setsid sh -c 'sleep 1003 & echo three=$!.; wait' &); while :; do sleep 0.05; done";
    for _ in 0..rounds {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        assert!(run_session_command(data, &["start", "--", "sh", "-c", script]).status.success());
        wait_until("all run", || {
            stdout_text(&run_session_command(data, &["log", "sh-1"])).matches('.').count() == 3
        });
        let log = stdout_text(&run_session_command(data, &["log", "sh-1"]));
        let number = |text: &str, name: &str| -> i32 {
            let (_, after) = text.split_once(name).unwrap();
            after.split(|character: char| !character.is_ascii_digit()).next().unwrap().parse().unwrap()
        };
        let status = std::fs::read_to_string(data.join("sessions/sh-1/status")).unwrap();
        let mut pids: Vec<i32> = ["one=", "two=", "three="].map(|name| number(&log, name)).to_vec();
        pids.push(number(&status, "agent "));
        let holder = number(&status, "holder ").to_string();
        assert!(Command::new("kill").args(["-9", &holder]).status().unwrap().success());

        wait_until("it is lost", || first_session_state(data) == "lost");
        let stopped = run_session_command(data, &["stop", "sh-1"]);
        assert!(
            stopped.status.success() && stderr_text(&stopped).contains("was lost"),
            "{}",
            stderr_text(&stopped)
        );
        for pid in pids {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            assert!(stat.is_empty() || stat.contains(") Z "), "{pid} is running: {stat}");
        }
        assert_eq!(first_session_state(data), "lost", "its exit status is unknown");
        assert!(
            stdout_text(&run_session_command(data, &["log", "sh-1"])).contains("three="),
            "its output is kept"
        );
    }
}

#[test]
fn log_removes_escape_sequences() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let script = "printf '\\033]0;owned\\007\\033[31mred\\033[0m\\n'";
    assert!(
        run_session_command(data, &["start", "--name", "noisy", "--", "sh", "-c", script]).status.success()
    );
    wait_until("its end", || first_session_state(data) == "ended");
    assert_eq!(stdout_text(&run_session_command(data, &["log", "noisy"])).trim_end(), "red");
    assert!(stdout_text(&run_session_command(data, &["log", "--raw", "noisy"])).contains('\u{1b}'));
}

#[test]
fn errors_have_hints() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let cases: &[(&[&str], &[&str])] = &[
        (&["attach", "unknown"], &["No session 'unknown'", "hint:", "session start"]),
        (&["start", "--name", "../etc", "--", "true"], &["Invalid session name"]),
        (
            &["start", "--", "/no/such/program"],
            &["The program /no/such/program was not found", "hint:", "PATH"],
        ),
    ];
    for (arguments, expected) in cases {
        let output = run_session_command(data, arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        for text in *expected {
            assert!(stderr_text(&output).contains(text), "{arguments:?}: {}", stderr_text(&output));
        }
    }
    assert!(session_rows(data).is_empty(), "a session that does not start leaves no files");
}

#[test]
fn messages_of_jangdan_say_are_recorded_in_the_spool() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let script = "jangdan say done T1.3; jangdan say ask 'Which?' --option a --option b; \
                  jangdan say ask '[DONE] is no message'; echo over";
    assert!(
        run_session_command(data, &["start", "--name", "agent", "--", "sh", "-c", script]).status.success()
    );
    wait_until("its end", || first_session_state(data) == "ended");
    let log = stdout_text(&run_session_command(data, &["log", "agent"]));
    assert!(log.contains("over"), "{log}");
    assert!(!log.contains("DONE"), "messages of jangdan say are not part of the output: {log}");

    let directory = data.join("sessions/agent");
    let about: Value = serde_json::from_slice(&std::fs::read(directory.join("about.json")).unwrap()).unwrap();
    let key = about["key"].as_str().unwrap().to_owned();
    let mut reader = holder::spool::RecordReader::open(&directory, 0).unwrap();
    let mut aside = Vec::new();
    while let Some(record) = reader.next_record().unwrap() {
        if let holder::spool::RecordBody::Output { stream: holder::spool::OutputSource::SideChannel, bytes } =
            record.body
        {
            aside.extend(bytes);
        }
    }
    let mut decoder = protocol::Decoder::new(protocol::DecoderOptions {
        key: Some(key.parse().unwrap()),
        key_requirement: protocol::KeyRequirement::Required,
        ..protocol::DecoderOptions::worker()
    });
    let mut items = decoder.push(&aside);
    items.extend(decoder.end_turn());
    let names: Vec<&str> = items
        .iter()
        .map(|item| match item {
            protocol::DecodedItem::Message(message) => message.message.name(),
            protocol::DecodedItem::Invalid(_) | protocol::DecodedItem::NearMiss(_) => "wrong",
        })
        .collect();
    assert_eq!(names, ["DONE", "ASK_USER", "ASK_USER"], "{}", String::from_utf8_lossy(&aside));
}

#[test]
fn say_requires_a_session() {
    let output = Command::new(env!("CARGO_BIN_EXE_jangdan"))
        .env_remove("JANGDAN_SESSION")
        .args(["say", "done", "T1"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr_text(&output).contains("not a session of Jangdan"), "{}", stderr_text(&output));
}

#[test]
fn sessions_with_equal_names_in_other_data_directories_are_separate() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for data in [here.path(), there.path()] {
        let started = run_session_command(data, &["start", "--name", "twin", "--", "sh", "-c", "read line"]);
        assert!(started.status.success(), "{}", stderr_text(&started));
    }
    assert!(run_session_command(here.path(), &["stop", "twin"]).status.success());
    wait_until("its end", || first_session_state(here.path()) == "ended");
    // Deleting searches for leftover processes and must not find those of the other session.
    assert!(run_session_command(here.path(), &["remove", "twin"]).status.success());
    assert_eq!(first_session_state(there.path()), "running");
    assert!(run_session_command(there.path(), &["stop", "twin"]).status.success());
}
