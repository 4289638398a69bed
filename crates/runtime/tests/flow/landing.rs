//! Which work is merged into the user's branch, and when.

use std::os::unix::fs::PermissionsExt;

use domain::{
    CheckObstacle, GateApproval, KeptRefReason, LandKind, LandReport, RunOutcome, RunSettings, UserCommand,
};
use runtime::{LandOptions, landing_problem};
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
    let report = fixture.host.land(&run, "ana", &LandOptions::default()).unwrap();
    assert!(matches!(report, LandReport::NotApproved { .. }), "{report:?}");
    assert!(landing_problem(&report).unwrap().contains("jangdan land --all"));
    fixture.execute(&run, UserCommand::ApproveGate { phase: 1, note: None });
    wait_for_review(&fixture, &run, 2);

    // The second phase is merged but not approved.
    assert!(fixture.branch_files(&run).contains(&"T2.txt".to_owned()));
    assert!(matches!(
        fixture.host.land(&run, "ana", &LandOptions::default()).unwrap(),
        LandReport::Landed { .. }
    ));
    assert!(
        fixture.project_folder().join("T1.txt").exists() && !fixture.project_folder().join("T2.txt").exists()
    );
    assert!(matches!(
        fixture.host.land(&run, "ana", &LandOptions::default()).unwrap(),
        LandReport::AlreadyLanded { .. }
    ));
    assert!(matches!(
        fixture.host.land(&run, "ana", &LandOptions { is_all: true, ..LandOptions::default() }).unwrap(),
        LandReport::Landed { .. }
    ));
    assert!(fixture.project_folder().join("T2.txt").exists());

    fixture.execute(&run, UserCommand::ApproveGate { phase: 2, note: None });
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
}

#[test]
fn gate_ref_that_another_program_moved_is_refused() {
    let fixture = RunFixture::new(WRITES_A_FILE);
    let run = start_two_phases(&fixture);
    wait_for_review(&fixture, &run, 1);
    fixture.execute(&run, UserCommand::ApproveGate { phase: 1, note: None });
    wait_for_review(&fixture, &run, 2);
    let gate_ref = format!("refs/jangdan/gate/{run}/1");
    let examined = fixture.git(&["rev-parse", &gate_ref]).trim().to_owned();
    // The merged work of the second phase is not approved.
    fixture.git(&["update-ref", &gate_ref, &format!("jangdan/{run}/run")]);
    let refused = fixture.host.land(&run, "ana", &LandOptions::default()).unwrap_err().to_string();
    assert!(refused.contains(&gate_ref) && refused.contains(&examined), "{refused}");
    assert!(!fixture.project_folder().join("T1.txt").exists());
    // The log names the commit.
    fixture.git(&["update-ref", "-d", &gate_ref]);
    assert!(matches!(fixture.host.land(&run, "ana", &LandOptions::default()), Ok(LandReport::Landed { .. })));
    assert_eq!(fixture.git(&["rev-parse", "main"]).trim(), examined);
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

const WRITES_A_FILE: &str = "read -r task\necho x > \"$JANGDAN_TASK.txt\"\necho \"DONE:$JANGDAN_TASK\"\n";

#[test]
fn refs_of_a_landed_run_are_deleted_on_request() {
    let fixture = RunFixture::new(WRITES_A_FILE);
    let run = start_two_phases(&fixture);
    wait_for_review(&fixture, &run, 1);
    let refused = fixture.host.remove_finished_worktrees(&run, "ana", true).unwrap_err();
    assert!(refused.to_string().contains("still active"), "{refused}");
    fixture.execute(&run, UserCommand::ApproveGate { phase: 1, note: None });
    wait_for_review(&fixture, &run, 2);
    fixture.execute(&run, UserCommand::ApproveGate { phase: 2, note: None });
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let kept = fixture.host.remove_finished_worktrees(&run, "ana", true).unwrap().refs.unwrap().kept;
    assert!(kept.iter().any(|(_, reason)| *reason == KeptRefReason::UnmergedWork), "{kept:?}");

    assert!(matches!(
        fixture.host.land(&run, "ana", &LandOptions::default()).unwrap(),
        LandReport::Landed { .. }
    ));
    let refs = fixture.host.remove_finished_worktrees(&run, "ana", true).unwrap().refs.unwrap();
    assert_eq!(refs.kept, []);
    assert_eq!(fixture.git(&["for-each-ref", "refs/jangdan", "refs/heads/jangdan"]), "");
}

/// Runs one task to its end, with a check that `main` and the run pass on their own but fail together.
fn run_with_check(fixture: &RunFixture, check: &str) -> domain::RunId {
    let settings = RunSettings {
        verify: Some(check.to_owned()),
        gate_approval: GateApproval::Automatic,
        ..RunSettings::default()
    };
    let run = fixture.start_with(plan(&["T1"]), settings);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    run
}

fn commit_as_user(fixture: &RunFixture, file: &str) -> String {
    std::fs::write(fixture.project_folder().join(file), "mine\n").unwrap();
    fixture.git(&["add", file]);
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
    fixture.git(&[&identity[..], &["commit", "--quiet", "-m", "own"]].concat());
    fixture.git(&["rev-parse", "main"]).trim().to_owned()
}

#[test]
fn merged_result_is_checked_before_the_branch_moves() {
    let fixture = RunFixture::new(WRITES_A_FILE);
    let check = "if test -e T1.txt && test -e mine; then echo they do not fit; exit 1; fi";
    let run = run_with_check(&fixture, check);
    let own = commit_as_user(&fixture, "mine");
    let dry_run = LandOptions { is_dry_run: true, ..LandOptions::default() };
    let planned = fixture.host.land(&run, "ana", &dry_run).unwrap();
    let LandReport::Planned { kind, files, check: planned_check, .. } = &planned else {
        panic!("{planned:?}")
    };
    assert_eq!((*kind, planned_check.as_deref()), (LandKind::Merge, Some(check)));
    assert_eq!(files, &["T1.txt"]);

    let report = fixture.host.land(&run, "ana", &LandOptions::default()).unwrap();
    let LandReport::CheckFailed { command, output, manual_merge, .. } = &report else { panic!("{report:?}") };
    assert_eq!((command.as_str(), output.as_str()), (check, "they do not fit\n"));
    assert_eq!(manual_merge.start, [format!("git merge --no-commit jangdan/{run}/run")]);
    assert_eq!(fixture.git(&["rev-parse", "main"]).trim(), own);
    assert!(!fixture.project_folder().join("T1.txt").exists());
    assert_eq!(fixture.git(&["status", "--porcelain"]), "");

    // Another branch without the user's commit needs no check: the run has examined the same tree.
    fixture.git(&["branch", "release", "main~1"]);
    let into = LandOptions { into: Some("release".to_owned()), ..LandOptions::default() };
    let report = fixture.host.land(&run, "ana", &into).unwrap();
    assert!(matches!(report, LandReport::Landed { kind: LandKind::FastForward, .. }), "{report:?}");
}

#[test]
fn check_of_the_merged_result_that_cannot_run_is_not_a_failed_check() {
    let fixture = RunFixture::new(WRITES_A_FILE);
    // A folder on the search path of checks.
    let tool = fixture.data_directory().join("bin/a-tool");
    std::fs::create_dir_all(tool.parent().unwrap()).unwrap();
    std::fs::write(&tool, "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
    let settings = RunSettings {
        verify: Some("a-tool".to_owned()),
        gate_approval: GateApproval::Automatic,
        ..RunSettings::default()
    };
    let run = fixture.start_with(plan(&["T1"]), settings);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let own = commit_as_user(&fixture, "mine");
    std::fs::remove_file(&tool).unwrap();
    let report = fixture.host.land(&run, "ana", &LandOptions::default()).unwrap();
    let program = "a-tool".to_owned();
    let LandReport::CheckNotRun { command, obstacle, output, .. } = &report else { panic!("{report:?}") };
    assert_eq!((command.as_str(), obstacle), ("a-tool", &CheckObstacle::ProgramNotFound { program }));
    assert!(output.contains("not found"), "{output}");
    assert!(landing_problem(&report).unwrap().ends_with("a-tool is not on PATH"));
    assert_eq!(fixture.git(&["rev-parse", "main"]).trim(), own);
}

#[test]
fn report_says_that_no_check_examines_a_merged_result() {
    let fixture = RunFixture::new(WRITES_A_FILE);
    let mut work = plan(&["T1"]);
    work.tasks[0].verify = Some("test -e T1.txt".to_owned());
    let settings = RunSettings { gate_approval: GateApproval::Automatic, ..RunSettings::default() };
    let run = fixture.start_with(work, settings);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    fixture.git(&["branch", "release"]);
    commit_as_user(&fixture, "mine");
    let dry_run = LandOptions { is_dry_run: true, ..LandOptions::default() };
    let planned = fixture.host.land(&run, "ana", &dry_run).unwrap();
    assert!(matches!(planned, LandReport::Planned { check: None, is_unchecked: true, .. }), "{planned:?}");
    let report = fixture.host.land(&run, "ana", &LandOptions::default()).unwrap();
    assert!(matches!(report, LandReport::Landed { is_unchecked: true, .. }), "{report:?}");
    // The run itself has examined this tree.
    let into = LandOptions { into: Some("release".to_owned()), ..LandOptions::default() };
    let report = fixture.host.land(&run, "ana", &into).unwrap();
    assert!(matches!(report, LandReport::Landed { is_unchecked: false, .. }), "{report:?}");
}

#[test]
fn merged_result_that_passes_the_check_is_landed() {
    let fixture = RunFixture::new(WRITES_A_FILE);
    let run = run_with_check(&fixture, "test -e T1.txt");
    let own = commit_as_user(&fixture, "mine");
    std::fs::write(fixture.project_folder().join("mine"), "changed\n").unwrap();
    let report = fixture.host.land(&run, "ana", &LandOptions::default()).unwrap();
    let LandReport::Landed { kind: LandKind::Merge, from, n_commits: 2, .. } = &report else {
        panic!("{report:?}")
    };
    assert_eq!(from.as_deref(), Some(own.as_str()));
    assert_eq!(fixture.git(&["status", "--porcelain"]), " M mine\n");
    assert!(fixture.project_folder().join("T1.txt").exists());
}

#[test]
fn landing_that_a_crash_interrupted_moves_its_branch_once() {
    let fixture = RunFixture::new(WRITES_A_FILE);
    let run = run_with_check(&fixture, "true");
    let file = fixture.data_directory().join("runs").join(run.as_str()).join("landing.json");
    let tip = |branch: &str| fixture.git(&["rev-parse", branch]).trim().to_owned();
    // As a killed server leaves it just before the branch moves.
    let save_started = |landing: &str, commit: &str| {
        let report = format!(
            r#"{{"type":"landed","branch":"main","commit":"{commit}","from":null,"nCommits":7,"kind":"merge","isUnchecked":false}}"#
        );
        std::fs::write(&file, format!(r#"{{"landing":"{landing}","report":{report}}}"#)).unwrap();
    };
    let land = || fixture.host.land(&run, "ana", &LandOptions::default()).unwrap();

    let before = tip("main");
    save_started("b_1", &before);
    assert!(matches!(land(), LandReport::Landed { n_commits: 7, .. }), "the branch has the commit");
    assert_eq!(tip("main"), before);

    save_started("b_2", &tip(&format!("jangdan/{run}/run")));
    let report = land();
    assert!(matches!(&report, LandReport::Landed { n_commits, .. } if *n_commits != 7), "{report:?}");
    assert_ne!(tip("main"), before, "the branch did not have it");

    save_started("b_1", &tip("main"));
    assert!(matches!(land(), LandReport::AlreadyLanded { .. }), "the file is about another landing");
    let views = fixture.host.run_snapshot(&run).unwrap().views;
    let landings: Vec<_> = views.rows().landings.iter().collect();
    assert_eq!(landings.len(), 3);
    assert!(landings.iter().all(|row| row.requested_by.to_string() == "person:ana"), "{landings:?}");
    assert_eq!(landings.get(1).and_then(|row| row.report.as_ref()), Some(&report));
}

#[test]
fn unusable_targets_are_refused() {
    let fixture = RunFixture::new(WRITES_A_FILE);
    let run = run_with_check(&fixture, "true");
    let land_into = |branch: &str| {
        let options = LandOptions { into: Some(branch.to_owned()), ..LandOptions::default() };
        fixture.host.land(&run, "ana", &options).unwrap()
    };
    assert!(matches!(land_into("missing"), LandReport::UnknownBranch { .. }));
    assert!(matches!(land_into("main~0"), LandReport::UnknownBranch { .. }));
    assert!(matches!(land_into(&format!("jangdan/{run}/T1")), LandReport::OwnBranch { .. }));
}

#[test]
fn check_of_an_approved_phase_is_used_if_the_run_has_none() {
    let fixture = RunFixture::new(WRITES_A_FILE);
    let mut work = plan(&["T1"]);
    work.phases[0].verify = Some("test -e T1.txt".to_owned());
    let settings = RunSettings { gate_approval: GateApproval::Automatic, ..RunSettings::default() };
    let run = fixture.start_with(work, settings);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    commit_as_user(&fixture, "mine");
    let dry_run = LandOptions { is_dry_run: true, ..LandOptions::default() };
    let planned = fixture.host.land(&run, "ana", &dry_run).unwrap();
    let LandReport::Planned { check, .. } = &planned else { panic!("{planned:?}") };
    assert_eq!(check.as_deref(), Some("test -e T1.txt"));
}

#[test]
fn approval_merges_into_a_branch_that_moved_on_and_is_not_checked_out() {
    let fixture = RunFixture::new(WRITES_A_FILE);
    let run = start_two_phases(&fixture);
    wait_for_review(&fixture, &run, 1);
    let own = commit_as_user(&fixture, "mine");
    fixture.git(&["checkout", "--quiet", "-b", "elsewhere"]);
    fixture.execute(&run, UserCommand::ApproveGate { phase: 1, note: None });
    let first_parent = || fixture.git(&["rev-list", "--first-parent", "-2", "main"]);
    crate::processes::wait_until("the branch has the first phase", || {
        let history = first_parent();
        history.lines().nth(1) == Some(own.as_str())
    });
    assert!(fixture.git(&["ls-tree", "--name-only", "main"]).contains("T1.txt"));
}
