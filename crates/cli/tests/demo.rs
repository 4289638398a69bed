//! The whole demo: real git, sessions and checks, with scripted agents.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot continue must fail")]

use std::{
    fs,
    path::Path,
    process::{Command as Program, Output},
    time::{Duration, Instant},
};

use assert_cmd::Command;
use domain::{
    AgentInvocationOutcome, AgentMessage, AttemptFailure, Event, MergeOutcome, QuestionKind, RunId, Sequence,
    events,
};
use store::SqliteReader;

/// Time limit; without pauses the demo takes some seconds.
const TIMEOUT: Duration = Duration::from_secs(180);

/// Plays the demo in a folder without pauses, with automatic answers.
fn run_demo(folder: &Path, more: &[&str]) -> Output {
    let output = Command::cargo_bin("jangdan")
        .unwrap()
        .args(["demo", "--auto", "--speed", "1000", "--keep"])
        .arg(folder)
        .args(more)
        // The variables of an agent of another run must not interfere.
        .envs([("JANGDAN_TASK", "T9.9"), ("JANGDAN_RUN", "rother"), ("JANGDAN_KEY", "kother")])
        .timeout(TIMEOUT)
        .output()
        .unwrap();
    let printed = format!("{}{}", lossy_text(&output.stdout), lossy_text(&output.stderr));
    assert!(output.status.success(), "{printed}");
    output
}

fn lossy_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the only run in a folder.
fn only_run(folder: &Path) -> RunId {
    let runs = SqliteReader::open(&folder.join("data")).unwrap().runs().unwrap();
    let [run] = runs.as_slice() else { panic!("{runs:?}") };
    run.run.clone()
}

/// Returns the events of the only run in a folder.
fn events(folder: &Path) -> Vec<Event> {
    let reader = SqliteReader::open(&folder.join("data")).unwrap();
    let entries = reader.read(&only_run(folder), Sequence(0), 10_000).unwrap();
    entries.iter().map(|entry| entry.to_recorded_event().unwrap().event).collect()
}

/// Runs a command in the project, which must succeed.
fn run_in_project(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Program::new(program).args(arguments).current_dir(folder.join("app")).output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}: {}", lossy_text(&output.stdout));
    lossy_text(&output.stdout)
}

/// Waits until no process refers to a folder.
fn check_no_process_left(folder: &Path) {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let left = processes_referring_to(folder);
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < deadline, "processes are left: {left:?}");
        std::thread::yield_now();
    }
}

/// Returns the command lines of processes that refer to a folder.
fn processes_referring_to(folder: &Path) -> Vec<String> {
    let folder = folder.to_str().unwrap();
    // Systems without /proc have no list.
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = processes.filter_map(|process| {
        let line = fs::read(process.path().join("cmdline")).ok()?;
        let environment = fs::read(process.path().join("environ")).unwrap_or_default();
        let is_ours = lossy_text(&line).contains(folder) || lossy_text(&environment).contains(folder);
        is_ours.then(|| lossy_text(&line).replace('\0', " "))
    });
    lines.collect()
}

#[test]
fn the_demo_shows_every_feature_and_its_service_works() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("demo");
    let output = run_demo(&folder, &["--lang", "en"]);
    assert!(
        lossy_text(&output.stdout).contains(r#"{"id":1,"estimate":"1:30","title":"Try Jangdan"}"#),
        "the client was run"
    );
    let printed = lossy_text(&output.stderr);
    // A link that signs in is printed to terminals only.
    assert!(printed.contains("jangdan link") && !printed.contains("login="), "{printed}");

    let recorded = events(&folder);
    let has = |kind: &str, matches: &dyn Fn(&Event) -> bool| {
        assert!(recorded.iter().any(matches), "no such event: {kind}");
    };
    let asked = |expected: QuestionKind| move |event: &Event| matches!(event, Event::QuestionAsked(events::QuestionAsked { kind, .. }) if *kind == expected);
    has("a question", &asked(QuestionKind::Selection));
    has("a permission that the user grants", &asked(QuestionKind::Permission));
    has("a permission that a rule grants", &|event| {
        matches!(event, Event::PermissionDecided(events::PermissionDecided { allowed: true, .. }))
    });
    has(
        "a check that fails",
        &|event| matches!(event, Event::CheckFinished(events::CheckFinished { receipt, .. }) if !receipt.passed()),
    );
    has("a conflict", &|event| {
        matches!(
            event,
            Event::MergeFinished(events::MergeFinished { outcome: MergeOutcome::Conflicted { .. }, .. })
        )
    });
    has("a crash", &|event| {
        let crash = AttemptFailure::Exited { exit_status: None };
        matches!(event, Event::AttemptFailed(events::AttemptFailed { failure, .. }) if *failure == crash)
    });
    let completed = |event: &Event| {
        matches!(
            event,
            Event::InvocationEnded(events::InvocationEnded {
                outcome: AgentInvocationOutcome::Completed { .. },
                ..
            })
        )
    };
    let calls = recorded.iter().filter(|event| completed(event));
    assert_eq!(calls.count(), 2, "one call to a free agent, one to a busy agent");
    has("a result", &|event| matches!(event, Event::ResultDelivered(_)));
    has("a test by another agent", &|event| matches!(event, Event::TestStarted(_)));
    has(
        "a progress message",
        &|event| matches!(event, Event::MessageReceived(events::MessageReceived { message, .. }) if matches!(**message, AgentMessage::Progress(_))),
    );
    has("a gate that the user approves", &|event| matches!(event, Event::GateApproved(_)));
    has(
        "a cost",
        &|event| matches!(event, Event::UsageReported(events::UsageReported { usage, .. }) if usage.cost_micros > 0),
    );
    let escalated = recorded.iter().filter(|event| matches!(event, Event::EscalationRaised(_)));
    assert_eq!(escalated.count(), 0, "nothing was escalated");

    let files = run_in_project(&folder, "git", &["ls-files"]);
    for file in
        ["docs/api.md", "lib/request.sh", "lib/store.sh", "server", "tests/end_to_end_test.sh", "todo"]
    {
        assert!(files.lines().any(|line| line == file), "{file} is not on the branch: {files}");
    }
    assert_eq!(run_in_project(&folder, "git", &["status", "--porcelain"]), "");
    let tested = run_in_project(&folder, "sh", &["test.sh"]);
    assert_eq!(tested.lines().filter(|line| line.starts_with("ok")).count(), 11, "{tested}");
    check_no_process_left(&folder);
}

#[test]
fn the_demo_works_in_korean() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("demo");
    let output = run_demo(&folder, &["--lang", "ko"]);
    assert!(lossy_text(&output.stdout).contains("할 일 서비스"), "{}", lossy_text(&output.stdout));
    let is_korean = |event: &Event| matches!(event, Event::QuestionAnswered(events::QuestionAnswered { answer, .. }) if answer == "거부");
    assert!(events(&folder).iter().any(is_korean));
    check_no_process_left(&folder);
}

#[test]
fn a_folder_that_is_not_empty_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("mine.txt"), "mine").unwrap();
    let output = Command::cargo_bin("jangdan")
        .unwrap()
        .args(["demo", "--auto", "--keep"])
        .arg(directory.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(lossy_text(&output.stderr).contains("hint: Name a folder that is new or empty."));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}
