//! The branch of a run is where the log says, or nothing is merged.

use std::sync::Arc;

use repo::{GitIdentity, MergeAttempt, RepoError, TipRecord};

use crate::fixture::{Fixture, git, task_id, write_file};

fn fixture() -> Fixture {
    let mut fixture = Fixture::new();
    let base = fixture.run.run_tip().unwrap();
    let record = TipRecord::new(base.clone(), &base, fixture.folder.path().join("next-tip"));
    fixture.run.tip_record = Some(Arc::new(record));
    fixture
}

#[test]
fn nothing_is_merged_or_started_from_a_commit_that_another_program_put_on_the_branch() {
    let fixture = fixture();
    let worktree = fixture.commit_task_work("T1", |path| write_file(path, "new", "x\n"));
    // What an agent can do in its worktree.
    git(&worktree.path, &["commit", "--quiet", "--allow-empty", "-m", "evil"]);
    let branch = "refs/heads/jangdan/r1/run";
    let before = git(&worktree.path, &["rev-parse", branch]);
    git(&worktree.path, &["update-ref", branch, "HEAD"]);
    let is_refused = |error: RepoError| matches!(error, RepoError::RefMoved { name, .. } if name == branch);
    assert!(is_refused(fixture.run.merge_task(&task_id("T1"), &GitIdentity::jangdan()).unwrap_err()));
    assert!(is_refused(fixture.run.create_worktree(&task_id("T2")).unwrap_err()));
    assert!(is_refused(fixture.run.run_tip().unwrap_err()));
    // After the user has put it back, the work continues.
    git(&fixture.user_folder(), &["update-ref", branch, &before]);
    fixture.merge("T1");
    fixture.create_worktree("T2");
}

#[test]
fn merge_that_a_killed_server_did_not_record_is_recognized_and_a_forged_one_is_not() {
    let mut fixture = fixture();
    let base = fixture.run.run_tip().unwrap();
    fixture.commit_task_work("T1", |path| write_file(path, "new", "x\n"));
    fixture.merge("T1");
    let merged = fixture.run.run_tip().unwrap();
    // The next server: its log ends before the merge.
    let reopen = |fixture: &mut Fixture| {
        let found = fixture.run.repository.resolve_commit("refs/heads/jangdan/r1/run").unwrap();
        let record = TipRecord::new(base.clone(), &found, fixture.folder.path().join("next-tip"));
        fixture.run.tip_record = Some(Arc::new(record));
    };
    reopen(&mut fixture);
    assert_eq!(fixture.run.run_tip().unwrap(), merged);
    let again = fixture.run.merge_task(&task_id("T1"), &GitIdentity::jangdan()).unwrap();
    assert!(matches!(again, MergeAttempt::AlreadyMerged { .. }));
    git(&fixture.user_folder(), &["update-ref", "refs/heads/jangdan/r1/run", "refs/heads/jangdan/r1/T1"]);
    reopen(&mut fixture);
    assert!(matches!(fixture.run.run_tip(), Err(RepoError::RefMoved { .. })));
}
