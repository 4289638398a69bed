//! The demo from its beginning to its end: real git, real sessions, real checks; only the agents are played.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on has failed")]

use std::{
    fs,
    path::Path,
    process::{Command as Program, Output},
    time::{Duration, Instant},
};

use assert_cmd::Command;
use domain::{
    AgentMessage, AttemptFailure, Event, InvocationOutcome, MergeOutcome, QuestionKind, RunId, Sequence,
};
use store::SqliteReader;

/// Without its pauses it takes some seconds; what takes so long hangs.
const PATIENCE: Duration = Duration::from_secs(180);

/// Plays the demo in a folder as fast as can be, with answers by itself.
fn play(folder: &Path, more: &[&str]) -> Output {
    let output = Command::cargo_bin("jangdan")
        .unwrap()
        .args(["demo", "--auto", "--speed", "1000", "--keep"])
        .arg(folder)
        .args(more)
        // As if an agent of another run had started it.
        .envs([("JANGDAN_TASK", "T9.9"), ("JANGDAN_RUN", "rother"), ("JANGDAN_KEY", "kother")])
        .timeout(PATIENCE)
        .output()
        .unwrap();
    let words = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{words}");
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the only run in a folder.
fn run_in(folder: &Path) -> RunId {
    let runs = SqliteReader::open(&folder.join("data")).unwrap().runs().unwrap();
    let [run] = runs.as_slice() else { panic!("{runs:?}") };
    run.run.clone()
}

/// Returns what was recorded of the only run in a folder.
fn events(folder: &Path) -> Vec<Event> {
    let reader = SqliteReader::open(&folder.join("data")).unwrap();
    let entries = reader.read(&run_in(folder), Sequence(0), 10_000).unwrap();
    entries.iter().map(|entry| entry.recorded().unwrap().event).collect()
}

/// Runs a command in the shop, which must do well.
fn shop(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Program::new(program).args(arguments).current_dir(folder.join("shop")).output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}: {}", text(&output.stdout));
    text(&output.stdout)
}

/// Sees to it that no process is left that has to do with a folder. Who has ended another may outlive it by a moment.
fn nobody_is_left(folder: &Path) {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let left = processes_in(folder);
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < deadline, "somebody was left behind: {left:?}");
        std::thread::yield_now();
    }
}

/// Returns the command lines of processes that have to do with a folder.
fn processes_in(folder: &Path) -> Vec<String> {
    let folder = folder.to_str().unwrap();
    // Where there is no such folder nobody can look.
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = processes.filter_map(|process| {
        let line = fs::read(process.path().join("cmdline")).ok()?;
        let environment = fs::read(process.path().join("environ")).unwrap_or_default();
        let is_ours = text(&line).contains(folder) || text(&environment).contains(folder);
        is_ours.then(|| text(&line).replace('\0', " "))
    });
    lines.collect()
}

#[test]
fn everything_that_jangdan_can_do_happens_and_the_till_works() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("demo");
    let output = play(&folder, &["--lang", "en"]);
    assert!(text(&output.stdout).contains(" 10 x sencha            28.80"), "the till was tried");
    let link = format!("/runs/{}?token=", run_in(&folder));
    assert!(text(&output.stderr).contains(&link), "no link to {link}: {}", text(&output.stderr));

    let happened = events(&folder);
    let has = |what: &str, is_it: &dyn Fn(&Event) -> bool| {
        assert!(happened.iter().any(is_it), "nothing happened of this kind: {what}");
    };
    let asked = |wanted: QuestionKind| move |event: &Event| matches!(event, Event::QuestionAsked { kind, .. } if *kind == wanted);
    has("a question", &asked(QuestionKind::Selection));
    has("a permission that a person gives", &asked(QuestionKind::Permission));
    has("a permission that a rule gives", &|event| {
        matches!(event, Event::PermissionDecided { allowed: true, .. })
    });
    has(
        "a check that fails",
        &|event| matches!(event, Event::CheckFinished { receipt, .. } if !receipt.passed()),
    );
    has("a conflict", &|event| {
        matches!(event, Event::MergeFinished { outcome: MergeOutcome::Conflicted { .. }, .. })
    });
    has("a crash", &|event| {
        let crash = AttemptFailure::Exited { exit_status: None };
        matches!(event, Event::AttemptFailed { failure, .. } if *failure == crash)
    });
    let completed = |event: &Event| {
        matches!(event, Event::InvocationEnded { outcome: InvocationOutcome::Completed { .. }, .. })
    };
    let calls = happened.iter().filter(|event| completed(event));
    assert_eq!(calls.count(), 2, "one calls somebody who is free, one somebody who is busy");
    has("a result", &|event| matches!(event, Event::ResultDelivered { .. }));
    has("a test by another agent", &|event| matches!(event, Event::TestStarted { .. }));
    has(
        "a report of progress",
        &|event| matches!(event, Event::MessageReceived { message, .. } if matches!(**message, AgentMessage::Progress(_))),
    );
    has("a gate that a person approves", &|event| matches!(event, Event::GateApproved { .. }));
    has("money", &|event| matches!(event, Event::UsageReported { usage, .. } if usage.cost_micros > 0));
    let escalated = happened.iter().filter(|event| matches!(event, Event::EscalationRaised { .. }));
    assert_eq!(escalated.count(), 0, "nothing was too much for anybody");

    let files = shop(&folder, "git", &["ls-files"]);
    for file in ["docs/manual.md", "lib/basket.sh", "lib/tax.sh", "menu.txt", "tests/day_test.sh", "till"] {
        assert!(files.lines().any(|line| line == file), "{file} is not on the branch: {files}");
    }
    assert_eq!(shop(&folder, "git", &["status", "--porcelain"]), "");
    let tested = shop(&folder, "sh", &["test.sh"]);
    assert_eq!(tested.lines().filter(|line| line.starts_with("ok")).count(), 11, "{tested}");
    nobody_is_left(&folder);
}

#[test]
fn it_is_the_same_in_korean() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("demo");
    let output = play(&folder, &["--lang", "ko"]);
    assert!(text(&output.stdout).contains("찻집 계산대"), "{}", text(&output.stdout));
    let is_korean =
        |event: &Event| matches!(event, Event::QuestionAnswered { answer, .. } if answer == "포함");
    assert!(events(&folder).iter().any(is_korean));
    nobody_is_left(&folder);
}

#[test]
fn a_folder_with_something_in_it_is_left_alone() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("mine.txt"), "mine").unwrap();
    let output = Command::cargo_bin("jangdan")
        .unwrap()
        .args(["demo", "--auto", "--keep"])
        .arg(place.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("hint: name a folder that is new or empty"));
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
}
