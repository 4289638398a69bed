//! Worktrees have a budget on the disk: what can be made again goes first, work never, and nobody fails for want of room.

use std::{fs, path::PathBuf};

use domain::{Command, EscalationAction, EscalationId, Event, RunId, RunOutcome};
use runtime::RunEnvironment;
use views::TaskState;

use crate::lab::{Lab, plan, settings};

/// Builds something that git ignores, and writes one file.
const BUILDS: &str = r#"
read -r task
mkdir -p target && head -c 300000 /dev/zero > target/app
echo "$JANGDAN_TASK" > "file-$JANGDAN_TASK.txt"
ls -d ../*/file-*.txt ../*/target > "$BARRIER/seen-$JANGDAN_TASK" 2>/dev/null
case "$JANGDAN_TASK" in *9) echo "FAIL:$JANGDAN_TASK" ;; *) echo "DONE:$JANGDAN_TASK" ;; esac
"#;

fn start(lab: &Lab, tasks: &[&str], budget: u64) -> RunId {
    fs::write(lab.project().join(".gitignore"), "target/\n").unwrap();
    lab.git(&["add", "."]);
    lab.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "ignore"]);
    lab.start_in(
        plan(tasks),
        settings(),
        RunEnvironment { disk_budget_bytes: Some(budget), ..lab.environment() },
    )
}

fn place(lab: &Lab, run: &RunId, task: &str) -> PathBuf {
    lab.host.data().join("worktrees").join(format!("{run}-{task}"))
}

fn open_escalation(lab: &Lab, run: &RunId) -> EscalationId {
    lab.until(run, |views| {
        views.rows().escalations.iter().find(|row| row.resolved_at.is_none()).map(|row| row.id)
    })
}

#[test]
fn tasks_that_have_no_room_wait_for_others_and_do_not_fail() {
    let lab = Lab::new(BUILDS);
    let run = start(&lab, &["T1", "T2", "T3"], 1);
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    for task in ["T1", "T2", "T3"] {
        let seen = lab.met(&format!("seen-{task}"));
        let is_own = |line: &str| line.starts_with(&format!("../{run}-{task}/"));
        assert!(!seen.is_empty() && seen.lines().all(is_own), "{task} was there with others: {seen}");
    }
    let rows = lab.rows(&run);
    assert!(rows.escalations.iter().all(|row| row.resolved_at.is_some()));
    assert!(!rows.escalations.is_empty(), "the person was told");
    let is_counted = |event: &&Event| matches!(event, Event::AttemptFailed { counted: true, .. });
    assert_eq!(lab.events(&run).iter().filter(is_counted).count(), 0);
    assert_eq!(lab.files_of(&run).len(), 5);
}

#[test]
fn what_can_be_built_again_goes_first() {
    let lab = Lab::new(BUILDS);
    let run = start(&lab, &["T1", "T2:T1"], 250_000);
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert!(!lab.met("seen-T2").contains("T1/target"), "{}", lab.met("seen-T2"));
    assert!(lab.met("seen-T2").contains("T1/file-T1.txt"), "{}", lab.met("seen-T2"));
    assert_eq!(lab.rows(&run).escalations.len(), 0);
}

#[test]
fn work_that_is_not_merged_never_goes_by_itself() {
    let lab = Lab::new(BUILDS);
    let run = start(&lab, &["T9", "T2"], 250_000_000);
    lab.until_task(&run, "T2", TaskState::Done);
    let run = {
        let failed = open_escalation(&lab, &run);
        lab.wish(
            &run,
            Command::Resolve { escalation: failed, action: EscalationAction::MarkFailed, note: None },
        );
        lab.until_task(&run, "T9", TaskState::Failed);
        assert_eq!(lab.outcome(&run), RunOutcome::Failed);
        run
    };
    let next = start_next(&lab);
    let no_room = open_escalation(&lab, &next);
    assert!(place(&lab, &run, "T9").join("file-T9.txt").exists());
    assert!(!place(&lab, &run, "T9").join("target").exists());
    assert!(!place(&lab, &run, "T2").exists(), "all of it is merged");
    let row = lab.rows(&next).escalations.get(&no_room).cloned().unwrap();
    assert!(row.description.contains("`worktree.disk_budget` is 1 bytes"), "{}", row.description);
    assert!(row.description.contains("of work that is not merged"), "{}", row.description);
    assert!(!row.description.contains("in use"), "{}", row.description);
    // Freed space is noticed automatically.
    lab.host.clean(&run).unwrap();
    assert_eq!(lab.outcome(&next), RunOutcome::Done);
}

fn start_next(lab: &Lab) -> RunId {
    lab.start_in(
        plan(&["T5"]),
        settings(),
        RunEnvironment { disk_budget_bytes: Some(1), ..lab.environment() },
    )
}

#[test]
fn where_merged_trees_are_checked_goes_before_anything_of_a_task() {
    let lab = Lab::new(BUILDS);
    let mut work = plan(&["T1", "T2:T1"]);
    work.phases[0].verify = Some("mkdir -p target && head -c 300000 /dev/zero > target/check".to_owned());
    fs::write(lab.project().join(".gitignore"), "target/\n").unwrap();
    lab.git(&["add", "."]);
    lab.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "ignore"]);
    let run = lab.start(work);
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert!(place(&lab, &run, "check").join("target/check").exists());
    let budget = repo::disk_usage(&lab.host.data().join("worktrees"));
    let environment = RunEnvironment { disk_budget_bytes: Some(budget), ..lab.environment() };
    let next = lab.start_in(plan(&["T5"]), settings(), environment);
    assert_eq!(lab.outcome(&next), RunOutcome::Done);
    assert!(!place(&lab, &run, "check").exists());
    assert!(place(&lab, &run, "T2").join("target/app").exists());
}

#[test]
fn a_desk_that_nobody_sits_at_goes_before_anything_of_a_task() {
    let lab = Lab::new(BUILDS);
    let run = start(&lab, &["T1"], u64::MAX);
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    let repository =
        repo::Repository::discover(&lab.project(), &repo::GitOptions::from_environment()).unwrap();
    let desks = repository.open_run(&run, &lab.host.data().join("worktrees")).unwrap();
    let mut lab = lab;
    lab.reopen();
    let desk = desks.create_session_worktree("s_9", &desks.run_tip().unwrap()).unwrap();
    fs::write(desk.path.join("notes.txt"), "x".repeat(100_000)).unwrap();
    let budget = repo::disk_usage(&lab.host.data().join("worktrees"));
    let environment = RunEnvironment { disk_budget_bytes: Some(budget), ..lab.environment() };
    let next = lab.start_in(plan(&["T5"]), settings(), environment);
    assert_eq!(lab.outcome(&next), RunOutcome::Done);
    assert!(!desk.path.exists());
    assert!(place(&lab, &run, "T1").join("target/app").exists());
    let kept = format!("refs/jangdan/keep/{run}/desk-s_9/1:notes.txt");
    assert_eq!(lab.git(&["show", &kept]).len(), 100_000);
}

#[test]
fn a_room_where_something_is_checked_stays() {
    let lab = Lab::new(BUILDS);
    let mut work = plan(&["T1"]);
    let (checks, go) = (lab.meeting("checks"), lab.meeting("go"));
    let wait = format!("while [ ! -e {} ]; do sleep 0.01; done", go.display());
    work.phases[0].verify = Some(format!("echo > {}; {wait}; ls file-T1.txt", checks.display()));
    // The task itself is checked by something else, in its own worktree.
    work.tasks[0].verify = Some("true".to_owned());
    let run = lab.start(work);
    crate::processes::until("the merged tree is checked", || checks.exists());
    let next = start_next(&lab);
    let no_room = open_escalation(&lab, &next);
    let row = lab.rows(&next).escalations.get(&no_room).cloned().unwrap();
    assert!(row.description.contains("in use"), "{}", row.description);
    lab.host.clean(&run).unwrap();
    assert!(place(&lab, &run, "check").exists());
    lab.let_go("go");
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert_eq!(lab.outcome(&next), RunOutcome::Done);
}
