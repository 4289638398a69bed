//! Which work is merged into the user's branch, and when.

use domain::{RunOutcome, RunSettings, UserCommand};
use runtime::LandReport;
use views::GateState;

use crate::fixture::{RunFixture, plan};

/// Starts a run of two phases with one task each, whose gates need approval.
fn start_two_phases(fixture: &RunFixture) -> domain::RunId {
    let mut work = plan(&["T1", "T2"]);
    let mut second = work.phases[0].clone();
    (second.number, second.after) = (2, vec![1]);
    work.phases.push(second);
    work.tasks[1].phase = 2;
    fixture.start_with(work, RunSettings::default())
}

fn wait_for_review(fixture: &RunFixture, run: &domain::RunId, phase: u32) {
    fixture.wait_for(run, |views| {
        let is_in_review = |gate: &&views::GateRow| gate.phase == phase && gate.state == GateState::Review;
        views.rows().gates.iter().find(is_in_review).map(|_| ())
    });
}

#[test]
fn only_approved_phases_are_landed_unless_all_are_requested() {
    let fixture =
        RunFixture::new("read -r task\necho x > \"$JANGDAN_TASK.txt\"\necho \"DONE:$JANGDAN_TASK\"\n");
    let run = start_two_phases(&fixture);
    wait_for_review(&fixture, &run, 1);
    let report = fixture.host.land(&run, false).unwrap();
    assert!(matches!(report, LandReport::NotApproved { .. }), "{report:?}");
    assert!(report.problem().unwrap().contains("jangdan land --all"));
    fixture.execute(&run, UserCommand::ApproveGate { phase: 1, note: None });
    wait_for_review(&fixture, &run, 2);

    // The second phase is merged but not approved.
    assert!(fixture.branch_files(&run).contains(&"T2.txt".to_owned()));
    assert!(matches!(fixture.host.land(&run, false).unwrap(), LandReport::Landed { .. }));
    assert!(
        fixture.project_folder().join("T1.txt").exists() && !fixture.project_folder().join("T2.txt").exists()
    );
    assert!(matches!(fixture.host.land(&run, false).unwrap(), LandReport::AlreadyLanded { .. }));
    assert!(matches!(fixture.host.land(&run, true).unwrap(), LandReport::Landed { .. }));
    assert!(fixture.project_folder().join("T2.txt").exists());

    fixture.execute(&run, UserCommand::ApproveGate { phase: 2, note: None });
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
}

#[test]
fn branch_that_is_not_checked_out_moves_with_each_approval() {
    let fixture =
        RunFixture::new("read -r task\necho x > \"$JANGDAN_TASK.txt\"\necho \"DONE:$JANGDAN_TASK\"\n");
    let run = start_two_phases(&fixture);
    wait_for_review(&fixture, &run, 1);
    fixture.git(&["checkout", "--quiet", "-b", "elsewhere"]);
    let files = || fixture.git(&["ls-tree", "--name-only", "main"]);
    assert!(!files().contains("T1.txt"));
    fixture.execute(&run, UserCommand::ApproveGate { phase: 1, note: None });
    wait_for_review(&fixture, &run, 2);
    crate::processes::wait_until("the branch has the first phase", || files().contains("T1.txt"));
    assert!(!files().contains("T2.txt"));
    fixture.execute(&run, UserCommand::ApproveGate { phase: 2, note: None });
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    crate::processes::wait_until("the branch has the second phase", || files().contains("T2.txt"));
    assert!(!fixture.project_folder().join("T1.txt").exists(), "the checked-out branch does not change");
}
