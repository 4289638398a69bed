//! Checks of tasks and merges: their receipts, and that the run's branch has only work that passed together.

use domain::{EscalationType, RunId, RunOutcome, RunSettings};
use runtime::{Isolation, RunEnvironment, ShutdownMode};
use views::{ReceiptPurpose, TaskState};

use crate::{
    fixture::{RunFixture, plan, settings},
    processes::{Process, wait_until},
};

/// Writes a file, waits for the other task before either is merged, and reports done after each input.
const WAITS_AND_REPEATS: &str = r#"
read -r task
echo "$JANGDAN_TASK" > "$JANGDAN_TASK.txt"
echo "from $JANGDAN_TASK" > shared.txt
echo here > "$BARRIER/$JANGDAN_TASK"
while [ ! -e "$BARRIER/T1" ] || [ ! -e "$BARRIER/T2" ]; do sleep 0.01; done
echo "DONE:$JANGDAN_TASK:it is there"
while read -r line; do
    printf '%s\n' "$line" >> "$BARRIER/input-$JANGDAN_TASK"
    echo "DONE:$JANGDAN_TASK:it is there"
done
"#;

#[test]
fn receipt_has_the_command_exit_status_output_and_tree() {
    let fixture =
        RunFixture::new("read -r task\necho made > made.txt\necho \"DONE:$JANGDAN_TASK:it is there\"\n");
    let mut work = plan(&["T1"]);
    work.tasks[0].verify = Some("cat made.txt".to_owned());
    let run = fixture.start(work);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let rows = fixture.rows(&run);
    let receipt = &rows.receipts.iter().next().unwrap().receipt;
    assert_eq!(receipt.command, "cat made.txt");
    assert_eq!(receipt.exit_status, Some(0));
    // Output of `printf 'made\n' | sha256sum`.
    assert_eq!(receipt.output_hash, "9ccbd3f1b19a1cdfd8d7c6ae48e9e822e2345f5be1a6187b19e41486c6941004");
    assert_eq!(receipt.tree, fixture.git(&["rev-parse", &format!("jangdan/{run}/run^{{tree}}")]).trim());
    assert_eq!(rows.receipts.len(), 1, "the merged tree is the one that was checked");
}

/// The failures of a test tool reach the receipt, the feedback loop and the agent.
#[test]
fn failures_on_the_output_of_a_check_are_typed() {
    let fixture = RunFixture::new(WAITS_AND_REPEATS);
    fixture.release_barrier("T2");
    let mut work = plan(&["T1"]);
    let failed = fixture.barrier_file("failed").display().to_string();
    let output = "FAILED tests/test_till.py::test_sum - assert 4 == 3\\n1 failed, 2 passed in 0.04s\\n";
    work.tasks[0].verify =
        Some(format!("[ -e {failed} ] || {{ touch {failed}; printf '{output}'; exit 1; }}"));
    let run = fixture.start(work);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let rows = fixture.rows(&run);
    let report = rows.receipts.iter().find_map(|row| row.receipt.tests.clone()).unwrap();
    assert_eq!((report.counts.passed, report.counts.failed), (2, 1));
    let round = &rows.loops.iter().next().unwrap().rounds[0];
    assert_eq!(round.feedback.failures, report.failures);
    assert_eq!(report.failures[0].name, "tests/test_till.py::test_sum");
    let input = fixture.script_output("input-T1");
    assert!(input.contains("assert 4 == 3") && input.contains("\"total\":3,\"passed\":2"), "{input}");
}

/// A report file counts if the check wrote it, and only inside of the directory of the check.
#[test]
fn report_file_of_a_check_is_read() {
    let fixture = RunFixture::new(
        "read -r task\necho '<testsuites><testcase name=\"old\"><failure/></testcase></testsuites>' > old.xml\n\
         touch -d 2020-01-01 old.xml; ln -s /etc/passwd link.xml; echo x > made.txt\n\
         echo \"DONE:$JANGDAN_TASK:it is there\"\nread -r feedback\necho \"DONE:$JANGDAN_TASK:it is there\"\n",
    );
    let mut environment = fixture.environment();
    environment.check_reports =
        ["old.xml", "link.xml", "new.xml"].into_iter().map(std::path::PathBuf::from).collect();
    let mut work = plan(&["T1"]);
    let failed = fixture.barrier_file("failed").display().to_string();
    let report = "<testsuites><testcase classname=\"till\" name=\"adds\" file=\"till.py\" line=\"7\">\
                  <failure message=\"4 is not 3\"/></testcase></testsuites>";
    work.tasks[0].verify =
        Some(format!("[ -e {failed} ] || {{ touch {failed}; echo '{report}' > new.xml; exit 1; }}"));
    let run = fixture.start_with_environment(work, settings(), environment);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let rows = fixture.rows(&run);
    let report = rows.receipts.iter().find_map(|row| row.receipt.tests.clone()).unwrap();
    let found: Vec<_> =
        report.failures.iter().map(|failure| (failure.name.as_str(), failure.location())).collect();
    assert_eq!(found, [("till adds", Some("till.py:7".to_owned()))]);
}

#[test]
fn check_continues_across_a_restart_and_runs_once() {
    let mut fixture =
        RunFixture::new("read -r task\necho made > made.txt\necho \"DONE:$JANGDAN_TASK:it is there\"\n");
    let (runs, go) = (fixture.barrier_file("runs"), fixture.barrier_file("go"));
    let mut work = plan(&["T1"]);
    // The check changes the worktree; the receipt must have the tree from before.
    let wait = format!("while [ ! -e {} ]; do sleep 0.01; done", go.display());
    work.tasks[0].verify =
        Some(format!("echo x >> made.txt; echo run >> {}; {wait}; cat made.txt", runs.display()));
    let run = fixture.start(work);
    wait_until("the check runs", || fixture.script_output("runs") == "run\n");
    fixture.restart();
    fixture.release_barrier("go");
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let rows = fixture.rows(&run);
    let first = rows.receipts.iter().next().unwrap();
    assert_eq!((first.purpose, first.receipt.output_tail.as_str()), (ReceiptPurpose::Check, "made\nx\n"));
    let checked = fixture.git(&["show", &format!("{}:made.txt", first.receipt.tree)]);
    assert_eq!(checked, "made\n");
}

#[test]
fn check_that_hangs_times_out() {
    let fixture = RunFixture::new(WAITS_AND_REPEATS);
    fixture.release_barrier("T2");
    let mut work = plan(&["T1"]);
    let pid = fixture.barrier_file("pid").display().to_string();
    work.tasks[0].verify = Some(format!("if [ ! -e {pid} ]; then echo $$ > {pid}; sleep 1000; fi"));
    let run = fixture.start_with(work, RunSettings { timeout_ms: 2000, ..settings() });
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let feedback = fixture.script_output("input-T1");
    assert!(feedback.contains("timed out"), "{feedback}");
    assert!(Process::from_pid(fixture.script_output("pid").trim().parse().unwrap()).has_exited());
}

#[test]
fn cancelling_a_task_ends_its_check() {
    let fixture = RunFixture::new("read -r task\necho \"DONE:$JANGDAN_TASK:it is there\"\n");
    let mut work = plan(&["T1", "T2"]);
    let pid = fixture.barrier_file("pid").display().to_string();
    work.tasks[0].verify = Some(format!("echo $$ > {pid}; exec sleep 1000"));
    let run = fixture.start(work);
    wait_until("the check runs", || fixture.script_output("pid").ends_with('\n'));
    let check = Process::from_pid(fixture.script_output("pid").trim().parse().unwrap());
    fixture.execute(&run, domain::UserCommand::CancelTask("T1".parse().unwrap()));
    wait_until("the check has ended", || check.has_exited());
}

#[test]
fn shutdown_that_ends_sessions_ends_checks_too() {
    let mut fixture = RunFixture::new("read -r task\necho \"DONE:$JANGDAN_TASK:it is there\"\n");
    let mut work = plan(&["T1"]);
    let pid = fixture.barrier_file("pid").display().to_string();
    work.tasks[0].verify = Some(format!("[ -e {pid} ] || {{ echo $$ > {pid}; exec sleep 1000; }}"));
    let run = fixture.start(work);
    wait_until("the check runs", || fixture.script_output("pid").ends_with('\n'));
    let check = Process::from_pid(fixture.script_output("pid").trim().parse().unwrap());
    fixture.restart_with(ShutdownMode::EndSessions);
    assert!(check.has_exited());
    // The check did not fail, so it runs again.
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(fixture.rows(&run).receipts.iter().map(|row| row.passed).collect::<Vec<_>>(), [true]);
}

#[test]
fn unresolved_conflict_is_escalated() {
    let fixture = RunFixture::new(WAITS_AND_REPEATS);
    let run = fixture.start(plan(&["T1", "T2"]));
    let escalation = fixture.wait_for(&run, |views| views.rows().escalations.iter().next().cloned());
    assert_eq!(escalation.kind, EscalationType::Conflict);
    let task = escalation.task.unwrap().to_string();
    let input = fixture.script_output(&format!("input-{task}"));
    assert!(input.contains("CONFLICT") && input.contains("shared.txt"), "{input}");
    // The work of the task that was merged first is complete.
    let other = if task == "T1" { "T2" } else { "T1" };
    fixture.wait_for_task(&run, other, TaskState::Done);
    assert_eq!(fixture.branch_file(&run, "shared.txt"), format!("from {other}\n"));
}

#[test]
fn work_that_fails_together_with_others_is_merged_after_its_agent_has_fixed_it() {
    let fixture = RunFixture::new(
        r#"
read -r task
echo "$JANGDAN_TASK" > "$JANGDAN_TASK.txt"
echo here > "$BARRIER/$JANGDAN_TASK"
while [ ! -e "$BARRIER/T1" ] || [ ! -e "$BARRIER/T2" ]; do sleep 0.01; done
echo "DONE:$JANGDAN_TASK:it is there"
read -r feedback
printf '%s\n' "$feedback" > "$BARRIER/feedback"
# The failure is visible only with the file of the other task.
ls T1.txt T2.txt > "$BARRIER/seen" && rm "$JANGDAN_TASK.txt"
echo "DONE:$JANGDAN_TASK:it is there"
"#,
    );
    let mut work = plan(&["T1", "T2"]);
    for task in &mut work.tasks {
        task.verify = Some("ls; [ ! -e T1.txt ] || [ ! -e T2.txt ]".to_owned());
    }
    let run = fixture.start(work);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(
        fixture.script_output("seen"),
        "T1.txt\nT2.txt\n",
        "its worktree has the work of the other task"
    );
    assert_eq!(fixture.branch_files(&run).len(), 2, "{:?}", fixture.branch_files(&run));
    let rows = fixture.rows(&run);
    let failed: Vec<ReceiptPurpose> =
        rows.receipts.iter().filter(|row| !row.passed).map(|row| row.purpose).collect();
    assert_eq!(failed, [ReceiptPurpose::Merge]);
}

#[test]
fn receipt_of_a_tree_before_the_merge_is_stale() {
    let fixture = RunFixture::new(WAITS_AND_REPEATS.replace("from $JANGDAN_TASK", "the same").as_str());
    let mut work = plan(&["T1", "T2"]);
    for task in &mut work.tasks {
        task.verify = Some("ls".to_owned());
    }
    let run = fixture.start(work);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let rows = fixture.rows(&run);
    let tip = fixture.git(&["rev-parse", &format!("jangdan/{run}/run^{{tree}}")]).trim().to_owned();
    // The first task was checked on the tree that the merge produced; the other one was checked again.
    let mut receipts: Vec<_> = rows
        .receipts
        .iter()
        .map(|row| (row.purpose == ReceiptPurpose::Merge, row.is_stale, row.receipt.tree == tip))
        .collect();
    receipts.sort_unstable();
    assert_eq!(receipts, [(false, false, false), (false, true, false), (true, false, true)]);
    assert!(rows.tasks.iter().all(|task| task.receipt.as_ref().is_some_and(|receipt| !receipt.is_stale)));
}

#[test]
fn receipt_is_stale_after_the_agent_changes_files() {
    let fixture = fixture_with_change_after_the_check();
    let environment = fixture.environment();
    assert_receipt_is_stale_until_the_next_check(&fixture, environment);
}

#[test]
fn receipt_is_stale_after_a_change_in_the_project_folder() {
    let fixture = fixture_with_change_after_the_check();
    let before = fixture.git(&["rev-parse", "HEAD^{tree}"]);
    let environment = RunEnvironment { isolation: Isolation::InPlace, ..fixture.environment() };
    let run = assert_receipt_is_stale_until_the_next_check(&fixture, environment);
    let trees: Vec<String> = fixture.rows(&run).receipts.iter().map(|row| row.receipt.tree.clone()).collect();
    assert!(trees[0] != trees[1] && !trees.contains(&before.trim().to_owned()), "{trees:?}");
    assert_eq!(fixture.git(&["status", "--porcelain"]), "?? state.txt\n");
}

fn fixture_with_change_after_the_check() -> RunFixture {
    RunFixture::new(
        r#"
read -r task
echo bad > state.txt
echo "DONE:$JANGDAN_TASK:it is there"
read -r feedback
echo better > state.txt
printf '[ASK_USER]\nquestion: Is that better?\n[/ASK_USER]\n'
read -r answer
echo "DONE:$JANGDAN_TASK:it is there"
"#,
    )
}

fn assert_receipt_is_stale_until_the_next_check(fixture: &RunFixture, environment: RunEnvironment) -> RunId {
    let mut work = plan(&["T1"]);
    work.tasks[0].verify = Some("grep -q better state.txt".to_owned());
    let run = fixture.start_with_environment(work, settings(), environment);
    let question = fixture.wait_for_questions(&run, 1).remove(0);
    let receipts = |fixture: &RunFixture| {
        fixture.rows(&run).receipts.iter().map(|row| (row.passed, row.is_stale)).collect::<Vec<_>>()
    };
    fixture
        .wait_for(&run, |views| views.rows().tasks.iter().next()?.receipt.as_ref()?.is_stale.then_some(()));
    assert_eq!(receipts(fixture), [(false, true)]);
    fixture.answer(&run, question.id, "yes");
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(receipts(fixture), [(false, true), (true, false)]);
    run
}

#[test]
fn check_whose_program_is_not_on_path_goes_to_the_user_and_is_repeated_without_the_agent() {
    let fixture = RunFixture::new(WAITS_AND_REPEATS);
    fixture.release_barrier("T2");
    let mut work = plan(&["T1"]);
    work.tasks[0].verify = Some("jangdan-test-tool --all".to_owned());
    let run = fixture.start(work);
    let escalation = fixture.wait_for(&run, |views| views.rows().escalations.iter().next().cloned());
    assert_eq!(escalation.kind, EscalationType::CheckNotRun);
    assert_eq!(
        escalation.title,
        "the check of T1 could not run: `jangdan-test-tool --all`: jangdan-test-tool is not on PATH"
    );
    assert!(escalation.context.contains("not found"), "{escalation:?}");
    assert_eq!(fixture.script_output("input-T1"), "");

    // Installed where the checks of this run look for programs.
    let tool = fixture.data_directory().join("bin/jangdan-test-tool");
    std::fs::write(&tool, "#!/bin/sh\necho \"called with $1\"\n").unwrap();
    std::fs::set_permissions(&tool, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let (escalation, action) = (escalation.id, domain::EscalationAction::Retry { hint: None });
    fixture.execute(&run, domain::UserCommand::Resolve { escalation, action, note: None });
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let rows = fixture.rows(&run);
    let outcomes: Vec<(bool, bool)> =
        rows.receipts.iter().map(|row| (row.passed, row.receipt.obstacle.is_some())).collect();
    assert_eq!(outcomes, [(false, true), (true, false)]);
    assert_eq!(fixture.script_output("input-T1"), "");
}

#[test]
fn check_with_a_missing_or_unexecutable_path_in_the_worktree_is_returned_to_the_agent() {
    let fixture = RunFixture::new(WAITS_AND_REPEATS);
    fixture.release_barrier("T2");
    let mut work = plan(&["T1"]);
    work.tasks[0].verify =
        Some("if [ -e tried ]; then ./T1.txt; else touch tried; ./run-tests.sh; fi".to_owned());
    let run = fixture.start(work);
    let escalation = fixture.wait_for(&run, |views| views.rows().escalations.iter().next().cloned());
    assert_eq!(escalation.kind, EscalationType::TestFailure);
    assert!(escalation.context.contains("ermission denied"), "{escalation:?}");
    let statuses: Vec<Option<i32>> =
        fixture.rows(&run).receipts.iter().map(|row| row.receipt.exit_status).collect();
    assert_eq!(statuses, [Some(127), Some(126), Some(126)]);
}

#[test]
fn check_that_is_killed_goes_to_the_user_and_a_crash_to_the_agent() {
    for (command, kind, cause) in [
        ("kill -9 $$", EscalationType::CheckNotRun, "it was ended by SIGKILL"),
        // A child of the check, such as a test program that the kernel ends when memory is short.
        ("sh -c 'kill -9 $$'; exit $?", EscalationType::CheckNotRun, "exit status 137, as after SIGKILL"),
        ("exit 143", EscalationType::CheckNotRun, "exit status 143, as after SIGTERM"),
        ("kill -SEGV $$", EscalationType::TestFailure, ""),
    ] {
        let fixture = RunFixture::new(WAITS_AND_REPEATS);
        fixture.release_barrier("T2");
        let mut work = plan(&["T1"]);
        work.tasks[0].verify = Some(command.to_owned());
        let run = fixture.start(work);
        let escalation = fixture.wait_for(&run, |views| views.rows().escalations.iter().next().cloned());
        assert_eq!(escalation.kind, kind, "{command}: {escalation:?}");
        assert!(escalation.title.ends_with(cause), "{}", escalation.title);
    }
}

#[test]
fn check_whose_worktree_cannot_be_set_up_in_time_goes_to_the_user() {
    let fixture = RunFixture::new(
        r#"
read -r task
echo "$JANGDAN_TASK" > "$JANGDAN_TASK.txt"
echo here > "$BARRIER/$JANGDAN_TASK"
while [ ! -e "$BARRIER/T1" ] || [ ! -e "$BARRIER/T2" ]; do sleep 0.01; done
echo "DONE:$JANGDAN_TASK"
while read -r line; do printf '%s\n' "$line" >> "$BARRIER/input"; done
"#,
    );
    // The worktrees of the tasks are set up before both agents work; that of merged files hangs.
    let (first, second) = (fixture.barrier_file("T1"), fixture.barrier_file("T2"));
    let (first, second) = (first.display(), second.display());
    let setup =
        vec![format!("[ ! -e {first} ] || [ ! -e {second} ] || {{ echo installing; exec sleep 1000; }}")];
    let environment = RunEnvironment { setup, setup_timeout_ms: 500, ..fixture.environment() };
    let settings = RunSettings { verify: Some("true".to_owned()), ..settings() };
    let run = fixture.start_with_environment(plan(&["T1", "T2"]), settings, environment);
    let escalation = fixture.wait_for(&run, |views| views.rows().escalations.iter().next().cloned());
    assert_eq!(escalation.kind, EscalationType::CheckNotRun, "{escalation:?}");
    assert!(escalation.title.contains("timed out: installing"), "{}", escalation.title);
    assert_eq!(fixture.script_output("input"), "", "no agent is told");
}

#[test]
fn git_lock_that_an_agent_left_does_not_prevent_the_check() {
    let fixture = RunFixture::new(
        r#"
read -r task
echo made > made.txt
: > "$(git rev-parse --git-dir)/index.lock"
echo "DONE:$JANGDAN_TASK"
while read -r line; do printf '%s\n' "$line" >> "$BARRIER/input"; done
"#,
    );
    let settings = RunSettings { verify: Some("test -e made.txt".to_owned()), ..settings() };
    let run = fixture.start_with(plan(&["T1"]), settings);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(fixture.script_output("input"), "", "the agent is not told");
}

#[test]
fn failed_check_is_repeated_as_often_as_configured() {
    let fixture = RunFixture::new(WAITS_AND_REPEATS);
    fixture.release_barrier("T2");
    let runs = fixture.barrier_file("runs").display().to_string();
    let mut work = plan(&["T1"]);
    work.tasks[0].verify = Some(format!("echo run >> {runs}; [ $(wc -l < {runs}) -ge 3 ]"));
    let run = fixture.start_with(work, RunSettings { check_retries: 2, ..settings() });
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let rows = fixture.rows(&run);
    let attempts: Vec<(bool, u32)> =
        rows.receipts.iter().map(|row| (row.passed, row.receipt.attempts)).collect();
    assert_eq!(attempts, [(true, 3)]);
    assert_eq!(fixture.script_output("input-T1"), "", "the agent is not involved");
}
