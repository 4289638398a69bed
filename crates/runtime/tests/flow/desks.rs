//! Whoever works at no task has a worktree too: it goes when they are over, and what they wrote is kept.

use std::fs;

use domain::{Role, RunId, RunOutcome};
use repo::{GitOptions, Repository};
use runtime::{RunEnvironment, ShutdownMode};

use crate::{
    lab::{Lab, agent, plan, settings},
    processes::until,
};

const CALLS: &str = r#"
read -r task
printf '[INVOKE:po]\nWhat do we need?\n[/INVOKE]\n'
read -r result
echo "DONE:$JANGDAN_TASK"
"#;

const WRITES: &str = r#"
read -r call
echo 'A cart' > notes.md
pwd > "$BARRIER/desk"
while [ ! -e "$BARRIER/go" ]; do sleep 0.01; done
printf '[DELIVER_RESULT:worker]\ncontent: # A cart\n[/DELIVER_RESULT]\n'
read -r more
"#;

fn lab() -> Lab {
    Lab::with_team(&[agent("worker", Role::Worker, CALLS), agent("po", Role::Specialist, WRITES)])
}

fn desks(lab: &Lab) -> Vec<String> {
    let listed = lab.git(&["worktree", "list", "--porcelain"]);
    listed.lines().filter(|line| line.contains("-desk-")).map(str::to_owned).collect()
}

/// Makes a desk as one that a killed server left.
fn leave_desk(lab: &Lab, run: &RunId, session: &str) {
    let repository = Repository::discover(&lab.project(), &GitOptions::from_environment()).unwrap();
    let run = repository.open_run(run, &lab.host.data().join("worktrees")).unwrap();
    let desk = run.create_session_worktree(session, &run.run_tip().unwrap()).unwrap();
    fs::write(desk.path.join("left.txt"), "left\n").unwrap();
}

fn kept(lab: &Lab, run: &RunId) -> String {
    lab.git(&["for-each-ref", "--format=%(refname)", &format!("refs/jangdan/keep/{run}/desk-*/*")])
}

#[test]
fn a_desk_goes_when_its_session_is_over_and_what_was_written_there_is_kept() {
    let mut lab = lab();
    let run = lab.start(plan(&["T1"]));
    until("somebody sits there", || !lab.met("desk").is_empty());
    assert_eq!(desks(&lab).len(), 1, "it is there as long as somebody sits at it");
    lab.let_go("go");
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    lab.reopen_after(ShutdownMode::KeepSessions);
    assert_eq!(desks(&lab), [""; 0]);
    let kept = kept(&lab, &run);
    assert_eq!(lab.git(&["show", &format!("{}:notes.md", kept.trim())]), "A cart\n");
}

#[test]
fn whoever_cleans_up_takes_desks_away_too_but_those_where_somebody_sits() {
    let lab = lab();
    let run = lab.start(plan(&["T1"]));
    until("somebody sits there", || !lab.met("desk").is_empty());
    leave_desk(&lab, &run, "s_99");
    let cleaned = lab.host.clean(&run).unwrap();
    let removed: Vec<String> = cleaned.removed_sessions.iter().map(ToString::to_string).collect();
    assert_eq!(
        (removed, cleaned.kept_sessions.len()),
        (vec!["s_99".to_owned()], 1),
        "{:?}",
        cleaned.kept_sessions
    );
    assert_eq!(desks(&lab).len(), 1);
    assert!(kept(&lab, &run).contains("desk-s_99/1"));
    lab.let_go("go");
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
}

#[test]
fn a_killed_servers_desks_go_with_the_next_start() {
    let mut lab = lab();
    let run = lab.start(plan(&["T1", "T2:T1"]));
    let over = lab.until(&run, |views| {
        let ended = |row: &&views::SessionRow| row.role == Role::Specialist;
        views.rows().sessions.iter().find(ended).map(|row| row.id.to_string())
    });
    lab.let_go("go");
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    lab.reopen_after(ShutdownMode::KeepSessions);
    leave_desk(&lab, &run, &over);
    lab.reopen();
    until("the desk is gone", || desks(&lab).is_empty());
    assert!(kept(&lab, &run).contains(&format!("desk-{over}/")), "{}", kept(&lab, &run));
}

#[test]
fn a_desk_is_made_ready_before_somebody_sits_down_but_nobody_waits_for_packages_who_leads() {
    let looks = "read -r call\ncat .env data/one ready.txt > \"$BARRIER/po\" 2>&1\n\
                 printf '[DELIVER_RESULT:worker]\\ncontent: # A cart\\n[/DELIVER_RESULT]\\n'\nread -r more";
    let leads = "cat .env > \"$BARRIER/leads\"; ls ready.txt >> \"$BARRIER/leads\" 2>/dev/null\n\
                 while read -r line; do :; done";
    let lab = Lab::with_team(&[
        agent("worker", Role::Worker, CALLS),
        agent("po", Role::Specialist, looks),
        agent("lead", Role::Orchestrator, leads),
    ]);
    fs::write(lab.project().join(".git/info/exclude"), ".env\ndata\nready.txt\n").unwrap();
    fs::write(lab.project().join(".env"), "SECRET=1\n").unwrap();
    fs::create_dir(lab.project().join("data")).unwrap();
    fs::write(lab.project().join("data/one"), "one\n").unwrap();
    let environment = RunEnvironment {
        setup: vec!["echo packages > ready.txt".to_owned()],
        copy: vec![".env".into(), "data".into()],
        ..lab.environment()
    };
    let run = lab.start_in(plan(&["T1"]), settings(), environment);
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert_eq!(lab.met("po"), "SECRET=1\none\npackages\n");
    assert_eq!(lab.met("leads"), "SECRET=1\n");
    assert_eq!(kept(&lab, &run), "", "what git ignores is nobody's work");
}
