//! The disk budget of worktrees: build output is removed first and unmerged work never, and tasks wait for free space.

use std::{fs, path::PathBuf};

use domain::{EscalationAction, EscalationId, Event, RunId, RunOutcome, UserCommand, events};
use runtime::RunEnvironment;
use views::TaskState;

use crate::fixture::{RunFixture, plan, settings};

/// Builds something that git ignores, and writes one file.
const BUILDS: &str = r#"
read -r task
mkdir -p target && head -c 300000 /dev/zero > target/app
echo "$JANGDAN_TASK" > "file-$JANGDAN_TASK.txt"
ls -d ../*/file-*.txt ../*/target > "$BARRIER/seen-$JANGDAN_TASK" 2>/dev/null
case "$JANGDAN_TASK" in *9) echo "FAIL:$JANGDAN_TASK" ;; *) echo "DONE:$JANGDAN_TASK" ;; esac
"#;

fn start_with_budget(fixture: &RunFixture, tasks: &[&str], budget: u64) -> RunId {
    fs::write(fixture.project_folder().join(".gitignore"), "target/\n").unwrap();
    fixture.git(&["add", "."]);
    fixture.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "ignore"]);
    fixture.start_with_environment(
        plan(tasks),
        settings(),
        RunEnvironment { disk_budget_bytes: Some(budget), ..fixture.environment() },
    )
}

fn worktree(fixture: &RunFixture, run: &RunId, task: &str) -> PathBuf {
    fixture.host.data_directory().join("worktrees").join(format!("{run}-{task}"))
}

fn wait_for_escalation(fixture: &RunFixture, run: &RunId) -> EscalationId {
    fixture.wait_for(run, |views| {
        views.rows().escalations.iter().find(|row| row.resolved_at.is_none()).map(|row| row.id)
    })
}

#[test]
fn tasks_without_space_wait_for_others_and_do_not_fail() {
    let fixture = RunFixture::new(BUILDS);
    let run = start_with_budget(&fixture, &["T1", "T2", "T3"], 1);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    for task in ["T1", "T2", "T3"] {
        let seen = fixture.script_output(&format!("seen-{task}"));
        let is_own = |line: &str| line.starts_with(&format!("../{run}-{task}/"));
        assert!(!seen.is_empty() && seen.lines().all(is_own), "{task} ran beside others: {seen}");
    }
    let rows = fixture.rows(&run);
    assert!(rows.escalations.iter().all(|row| row.resolved_at.is_some()));
    assert!(!rows.escalations.is_empty(), "the user is notified");
    let is_counted =
        |event: &&Event| matches!(event, Event::AttemptFailed(events::AttemptFailed { counted: true, .. }));
    assert_eq!(fixture.events(&run).iter().filter(is_counted).count(), 0);
    assert_eq!(fixture.branch_files(&run).len(), 5);
}

#[test]
fn build_output_is_removed_first() {
    let fixture = RunFixture::new(BUILDS);
    let run = start_with_budget(&fixture, &["T1", "T2:T1"], 250_000);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert!(!fixture.script_output("seen-T2").contains("T1/target"), "{}", fixture.script_output("seen-T2"));
    assert!(
        fixture.script_output("seen-T2").contains("T1/file-T1.txt"),
        "{}",
        fixture.script_output("seen-T2")
    );
    assert_eq!(fixture.rows(&run).escalations.len(), 0);
}

#[test]
fn unmerged_work_is_not_removed() {
    let fixture = RunFixture::new(BUILDS);
    let run = start_with_budget(&fixture, &["T9", "T2"], 250_000_000);
    fixture.wait_for_task(&run, "T2", TaskState::Done);
    let run = {
        let failed = wait_for_escalation(&fixture, &run);
        fixture.execute(
            &run,
            UserCommand::Resolve { escalation: failed, action: EscalationAction::MarkFailed, note: None },
        );
        fixture.wait_for_task(&run, "T9", TaskState::Failed);
        assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Failed);
        run
    };
    let next = start_with_one_byte_budget(&fixture);
    let escalation = wait_for_escalation(&fixture, &next);
    assert!(worktree(&fixture, &run, "T9").join("file-T9.txt").exists());
    assert!(!worktree(&fixture, &run, "T9").join("target").exists());
    assert!(!worktree(&fixture, &run, "T2").exists(), "all of its work is merged");
    let row = fixture.rows(&next).escalations.get(&escalation).cloned().unwrap();
    assert!(row.description.contains("`worktree.disk_budget` is 1 bytes"), "{}", row.description);
    assert!(row.description.contains("of work that is not merged"), "{}", row.description);
    assert!(!row.description.contains("in use"), "{}", row.description);
    // Freed space is noticed automatically.
    fixture.host.remove_finished_worktrees(&run, "ana", false).unwrap();
    assert_eq!(fixture.wait_for_outcome(&next), RunOutcome::Done);
}

fn start_with_one_byte_budget(fixture: &RunFixture) -> RunId {
    fixture.start_with_environment(
        plan(&["T5"]),
        settings(),
        RunEnvironment { disk_budget_bytes: Some(1), ..fixture.environment() },
    )
}

#[test]
fn check_worktree_is_removed_before_task_worktrees() {
    let fixture = RunFixture::new(BUILDS);
    let mut work = plan(&["T1", "T2:T1"]);
    work.phases[0].verify = Some("mkdir -p target && head -c 300000 /dev/zero > target/check".to_owned());
    fs::write(fixture.project_folder().join(".gitignore"), "target/\n").unwrap();
    fixture.git(&["add", "."]);
    fixture.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "ignore"]);
    let run = fixture.start(work);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert!(worktree(&fixture, &run, "check").join("target/check").exists());
    let budget = repo::disk_usage(&fixture.host.data_directory().join("worktrees"));
    let environment = RunEnvironment { disk_budget_bytes: Some(budget), ..fixture.environment() };
    let next = fixture.start_with_environment(plan(&["T5"]), settings(), environment);
    assert_eq!(fixture.wait_for_outcome(&next), RunOutcome::Done);
    assert!(!worktree(&fixture, &run, "check").exists());
    assert!(worktree(&fixture, &run, "T2").join("target/app").exists());
}

#[test]
fn worktree_of_an_ended_session_is_removed_before_task_worktrees() {
    let fixture = RunFixture::new(BUILDS);
    let run = start_with_budget(&fixture, &["T1"], u64::MAX);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let repository =
        repo::Repository::discover(&fixture.project_folder(), &repo::GitOptions::from_environment()).unwrap();
    let run_repository = repository.open_run(&run, &fixture.host.data_directory().join("worktrees")).unwrap();
    let mut fixture = fixture;
    fixture.restart();
    let session_worktree =
        run_repository.create_session_worktree("s_9", &run_repository.run_tip().unwrap()).unwrap();
    fs::write(session_worktree.path.join("notes.txt"), "x".repeat(100_000)).unwrap();
    let budget = repo::disk_usage(&fixture.host.data_directory().join("worktrees"));
    let environment = RunEnvironment { disk_budget_bytes: Some(budget), ..fixture.environment() };
    let next = fixture.start_with_environment(plan(&["T5"]), settings(), environment);
    assert_eq!(fixture.wait_for_outcome(&next), RunOutcome::Done);
    assert!(!session_worktree.path.exists());
    assert!(worktree(&fixture, &run, "T1").join("target/app").exists());
    let saved = format!("refs/jangdan/keep/{run}/desk-s_9/1:notes.txt");
    assert_eq!(fixture.git(&["show", &saved]).len(), 100_000);
}

#[test]
fn check_worktree_in_use_is_not_removed() {
    let fixture = RunFixture::new(BUILDS);
    let mut work = plan(&["T1"]);
    let (checks, go) = (fixture.barrier_file("checks"), fixture.barrier_file("go"));
    let wait = format!("while [ ! -e {} ]; do sleep 0.01; done", go.display());
    work.phases[0].verify = Some(format!("echo > {}; {wait}; ls file-T1.txt", checks.display()));
    // The task has another check, in its own worktree.
    work.tasks[0].verify = Some("true".to_owned());
    let run = fixture.start(work);
    crate::processes::wait_until("the check runs", || checks.exists());
    let next = start_with_one_byte_budget(&fixture);
    let escalation = wait_for_escalation(&fixture, &next);
    let row = fixture.rows(&next).escalations.get(&escalation).cloned().unwrap();
    assert!(row.description.contains("in use"), "{}", row.description);
    fixture.host.remove_finished_worktrees(&run, "ana", false).unwrap();
    assert!(worktree(&fixture, &run, "check").exists());
    fixture.release_barrier("go");
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(fixture.wait_for_outcome(&next), RunOutcome::Done);
}
