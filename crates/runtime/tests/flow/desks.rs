//! Whoever works at no task has a worktree too: it goes when they are over, and what they wrote is kept.

use std::fs;

use domain::{Role, RunId, RunOutcome};
use repo::{GitOptions, Repository};
use runtime::AfterStop;

use crate::lab::{Lab, agent, plan};

const CALLS: &str = r#"
read -r task
printf '[INVOKE:po]\nWhat do we need?\n[/INVOKE]\n'
read -r result
while [ ! -e "$BARRIER/go" ]; do sleep 0.01; done
echo "DONE:$JANGDAN_TASK"
"#;

const WRITES: &str = r#"
read -r call
pwd > "$BARRIER/desk"
echo 'A cart' > notes.md
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
    let repository = Repository::find(&lab.project(), &GitOptions::from_environment()).unwrap();
    let run = repository.run(run, &lab.host.data().join("worktrees")).unwrap();
    let desk = run.desk(session, &run.tip().unwrap()).unwrap();
    fs::write(desk.path.join("left.txt"), "left\n").unwrap();
}

fn kept(lab: &Lab, run: &RunId) -> String {
    lab.git(&["for-each-ref", "--format=%(refname)", &format!("refs/jangdan/keep/{run}/desk-*/*")])
}

#[test]
fn a_desk_goes_when_its_session_is_over_and_what_was_written_there_is_kept() {
    let mut lab = lab();
    let run = lab.start(plan(&["T1"]));
    lab.until(&run, |_| (!lab.met("desk").is_empty()).then_some(()));
    assert_eq!(desks(&lab).len(), 1, "it is there as long as somebody sits at it");
    lab.let_go("go");
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    lab.reopen_after(AfterStop::LeaveWorking);
    assert_eq!(desks(&lab), [""; 0]);
    let kept = kept(&lab, &run);
    assert_eq!(lab.git(&["show", &format!("{}:notes.md", kept.trim())]), "A cart\n");
}

#[test]
fn whoever_cleans_up_takes_desks_away_too_but_those_where_somebody_sits() {
    let lab = lab();
    let run = lab.start(plan(&["T1"]));
    lab.until(&run, |_| (!lab.met("desk").is_empty()).then_some(()));
    leave_desk(&lab, &run, "s_99");
    let cleaned = lab.host.clean(&run).unwrap();
    let removed: Vec<String> = cleaned.desks_removed.iter().map(ToString::to_string).collect();
    assert_eq!((removed, cleaned.desks_left.len()), (vec!["s_99".to_owned()], 1), "{:?}", cleaned.desks_left);
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
    lab.reopen_after(AfterStop::LeaveWorking);
    leave_desk(&lab, &run, &over);
    // Somebody wants something of it, so it is taken up.
    let _ = lab.host.wish(&run, "ana", domain::Command::Tick);
    lab.reopen_after(AfterStop::LeaveWorking);
    assert_eq!(desks(&lab), [""; 0]);
}
