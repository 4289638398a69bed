//! Worktrees of sessions without a task: they are removed when the session has ended, and their content is saved.

use std::fs;

use domain::{Role, RunId, RunOutcome};
use repo::{GitOptions, Repository};
use runtime::{RunEnvironment, ShutdownMode};

use crate::{
    fixture::{RunFixture, agent, plan, settings},
    processes::wait_until,
};

const CALLS: &str = r#"
read -r task
printf '[INVOKE:po]\nWhat do we need?\n[/INVOKE]\n'
read -r result
echo "DONE:$JANGDAN_TASK:it is there"
"#;

const WRITES: &str = r#"
read -r call
echo 'A cart' > notes.md
pwd > "$BARRIER/worktree"
while [ ! -e "$BARRIER/go" ]; do sleep 0.01; done
printf '[DELIVER_RESULT:worker]\ncontent: # A cart\n[/DELIVER_RESULT]\n'
read -r more
"#;

fn fixture() -> RunFixture {
    RunFixture::with_team(&[agent("worker", Role::Worker, CALLS), agent("po", Role::Specialist, WRITES)])
}

fn session_worktrees(fixture: &RunFixture) -> Vec<String> {
    let listed = fixture.git(&["worktree", "list", "--porcelain"]);
    listed.lines().filter(|line| line.contains("-desk-")).map(str::to_owned).collect()
}

/// Creates a worktree as if a killed server had left it.
fn create_leftover_worktree(fixture: &RunFixture, run: &RunId, session: &str) {
    let repository =
        Repository::discover(&fixture.project_folder(), &GitOptions::from_environment()).unwrap();
    let run = repository.open_run(run, &fixture.host.data_directory().join("worktrees")).unwrap();
    let worktree = run.create_session_worktree(session, &run.run_tip().unwrap()).unwrap();
    fs::write(worktree.path.join("left.txt"), "left\n").unwrap();
}

fn saved_refs(fixture: &RunFixture, run: &RunId) -> String {
    fixture.git(&["for-each-ref", "--format=%(refname)", &format!("refs/jangdan/keep/{run}/desk-*/*")])
}

#[test]
fn worktree_of_an_ended_session_is_removed_and_its_content_is_saved() {
    let mut fixture = fixture();
    let run = fixture.start(plan(&["T1"]));
    wait_until("the session works", || !fixture.script_output("worktree").is_empty());
    assert_eq!(session_worktrees(&fixture).len(), 1, "it exists while the session runs");
    fixture.release_barrier("go");
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    fixture.restart_with(ShutdownMode::KeepSessions);
    assert_eq!(session_worktrees(&fixture), [""; 0]);
    let saved = saved_refs(&fixture, &run);
    assert_eq!(fixture.git(&["show", &format!("{}:notes.md", saved.trim())]), "A cart\n");
}

#[test]
fn clean_removes_session_worktrees_that_are_not_in_use() {
    let fixture = fixture();
    let run = fixture.start(plan(&["T1"]));
    wait_until("the session works", || !fixture.script_output("worktree").is_empty());
    create_leftover_worktree(&fixture, &run, "s_99");
    let report = fixture.host.remove_finished_worktrees(&run, "ana", false).unwrap();
    let removed: Vec<String> = report.removed_sessions.iter().map(ToString::to_string).collect();
    assert_eq!(
        (removed, report.kept_sessions.len()),
        (vec!["s_99".to_owned()], 1),
        "{:?}",
        report.kept_sessions
    );
    assert_eq!(session_worktrees(&fixture).len(), 1);
    assert!(saved_refs(&fixture, &run).contains("desk-s_99/1"));
    fixture.release_barrier("go");
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
}

#[test]
fn worktrees_left_by_a_killed_server_are_removed_at_the_next_start() {
    let mut fixture = fixture();
    let run = fixture.start(plan(&["T1", "T2:T1"]));
    let session = fixture.wait_for(&run, |views| {
        let is_specialist = |row: &&views::SessionRow| row.role == Role::Specialist;
        views.rows().sessions.iter().find(is_specialist).map(|row| row.id.to_string())
    });
    fixture.release_barrier("go");
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    fixture.restart_with(ShutdownMode::KeepSessions);
    create_leftover_worktree(&fixture, &run, &session);
    fixture.restart();
    wait_until("the worktree is removed", || session_worktrees(&fixture).is_empty());
    assert!(
        saved_refs(&fixture, &run).contains(&format!("desk-{session}/")),
        "{}",
        saved_refs(&fixture, &run)
    );
}

#[test]
fn session_worktrees_are_set_up_but_orchestrators_do_not_wait_for_set_up_commands() {
    let specialist = "read -r call\ncat .env data/one ready.txt > \"$BARRIER/po\" 2>&1\n\
                 printf '[DELIVER_RESULT:worker]\\ncontent: # A cart\\n[/DELIVER_RESULT]\\n'\nread -r more";
    let orchestrator = "cat .env > \"$BARRIER/leads\"; ls ready.txt >> \"$BARRIER/leads\" 2>/dev/null\n\
                 while read -r line; do :; done";
    let fixture = RunFixture::with_team(&[
        agent("worker", Role::Worker, CALLS),
        agent("po", Role::Specialist, specialist),
        agent("lead", Role::Orchestrator, orchestrator),
    ]);
    fs::write(fixture.project_folder().join(".git/info/exclude"), ".env\ndata\nready.txt\n").unwrap();
    fs::write(fixture.project_folder().join(".env"), "SECRET=1\n").unwrap();
    fs::create_dir(fixture.project_folder().join("data")).unwrap();
    fs::write(fixture.project_folder().join("data/one"), "one\n").unwrap();
    let environment = RunEnvironment {
        setup: vec!["echo packages > ready.txt".to_owned()],
        copy: vec![".env".into(), "data".into()],
        ..fixture.environment()
    };
    let run = fixture.start_with_environment(plan(&["T1"]), settings(), environment);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(fixture.script_output("po"), "SECRET=1\none\npackages\n");
    assert_eq!(fixture.script_output("leads"), "SECRET=1\n");
    assert_eq!(saved_refs(&fixture, &run), "", "files ignored by git are not saved");
}
