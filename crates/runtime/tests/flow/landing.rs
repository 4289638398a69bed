//! What comes onto the user's branch, and when.

use domain::{Command, RunOutcome, RunSettings};
use runtime::LandReport;
use views::GateState;

use crate::lab::{Lab, plan};

/// Two phases of a task each, whose gates somebody approves.
fn two_phases(lab: &Lab) -> domain::RunId {
    let mut work = plan(&["T1", "T2"]);
    let mut second = work.phases[0].clone();
    (second.number, second.after) = (2, vec![1]);
    work.phases.push(second);
    work.tasks[1].phase = 2;
    lab.start_with(work, RunSettings::default())
}

fn until_review(lab: &Lab, run: &domain::RunId, phase: u32) {
    lab.until(run, |views| {
        let at_gate = |gate: &&views::GateRow| gate.phase == phase && gate.state == GateState::Review;
        views.rows().gates.iter().find(at_gate).map(|_| ())
    });
}

#[test]
fn only_what_a_gate_has_let_pass_is_landed_unless_all_is_asked_for() {
    let lab = Lab::new("read -r task\necho x > \"$JANGDAN_TASK.txt\"\necho \"DONE:$JANGDAN_TASK\"\n");
    let run = two_phases(&lab);
    until_review(&lab, &run, 1);
    let refused = lab.host.land(&run, false).unwrap();
    assert!(matches!(refused, LandReport::NotApproved { .. }), "{refused:?}");
    assert!(refused.problem().unwrap().contains("jangdan land --all"));
    lab.wish(&run, Command::ApproveGate { phase: 1, note: None });
    until_review(&lab, &run, 2);

    // The second phase is merged, and nobody has approved it.
    assert!(lab.files_of(&run).contains(&"T2.txt".to_owned()));
    assert!(matches!(lab.host.land(&run, false).unwrap(), LandReport::Landed { .. }));
    assert!(lab.project().join("T1.txt").exists() && !lab.project().join("T2.txt").exists());
    assert!(matches!(lab.host.land(&run, false).unwrap(), LandReport::AlreadyLanded { .. }));
    assert!(matches!(lab.host.land(&run, true).unwrap(), LandReport::Landed { .. }));
    assert!(lab.project().join("T2.txt").exists());

    lab.wish(&run, Command::ApproveGate { phase: 2, note: None });
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
}

#[test]
fn a_branch_that_nobody_has_checked_out_moves_with_each_gate() {
    let lab = Lab::new("read -r task\necho x > \"$JANGDAN_TASK.txt\"\necho \"DONE:$JANGDAN_TASK\"\n");
    let run = two_phases(&lab);
    until_review(&lab, &run, 1);
    lab.git(&["checkout", "--quiet", "-b", "elsewhere"]);
    let files = || lab.git(&["ls-tree", "--name-only", "main"]);
    assert!(!files().contains("T1.txt"));
    lab.wish(&run, Command::ApproveGate { phase: 1, note: None });
    until_review(&lab, &run, 2);
    crate::processes::until("the branch has the first phase", || files().contains("T1.txt"));
    assert!(!files().contains("T2.txt"));
    lab.wish(&run, Command::ApproveGate { phase: 2, note: None });
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    crate::processes::until("the branch has the second phase", || files().contains("T2.txt"));
    assert!(!lab.project().join("T1.txt").exists(), "what is checked out stays as it is");
}
