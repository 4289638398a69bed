//! A task's commits come into the run's branch, checked before it moves.

use std::fs;

use repo::{GitIdentity, MergeAttempt, RepoError};

use crate::stage::{Stage, git, id, work, write};

#[test]
fn what_an_agent_committed_stays_and_what_it_left_is_committed_as_its_own() {
    let stage = Stage::new();
    let worktree = stage.create("T1");
    write(&worktree.path, "own", "own\n");
    git(&worktree.path, &["add", "own"]);
    git(&worktree.path, &["commit", "--quiet", "-m", "own"]);
    write(&worktree.path, "left", "left\n");
    let commit = stage.run.commit_work(&worktree, &work()).unwrap();
    assert_eq!(stage.run.commit_work(&worktree, &work()).unwrap(), commit);
    let log = git(&worktree.path, &["log", "--format=%an %s"]);
    assert_eq!(log, "Agent what the agent left\nUser own\nUser base");
    assert_eq!(git(&worktree.path, &["status", "--porcelain"]), "");

    let MergeAttempt::Merged { onto, commit: merged, .. } = stage.merge("T1") else { panic!("merges") };
    let parents = git(&stage.user(), &["log", "-1", "--format=%P", merged.as_str()]);
    assert_eq!(parents, format!("{onto} {commit}"));
    assert_eq!(stage.run.run_tip().unwrap(), merged);
}

#[test]
fn a_branch_of_the_agents_own_is_taken_in_and_one_that_strayed_is_refused() {
    let stage = Stage::new();
    let worktree = stage.create("T1");
    git(&worktree.path, &["checkout", "--quiet", "-b", "feature"]);
    write(&worktree.path, "new", "x");
    git(&worktree.path, &["add", "new"]);
    git(&worktree.path, &["commit", "--quiet", "-m", "feature"]);
    write(&worktree.path, "left", "x");
    stage.run.commit_work(&worktree, &work()).unwrap();
    assert_eq!(git(&worktree.path, &["symbolic-ref", "HEAD"]), "refs/heads/jangdan/r1/T1");
    let subjects = git(&worktree.path, &["log", "-2", "--format=%s"]);
    assert_eq!(subjects, "what the agent left\nfeature");
    assert_eq!(git(&worktree.path, &["log", "-1", "--format=%s", "feature"]), "feature");
    assert_eq!(git(&worktree.path, &["status", "--porcelain"]), "");
    git(&worktree.path, &["checkout", "--quiet", "--orphan", "apart"]);
    assert!(matches!(stage.run.commit_work(&worktree, &work()), Err(RepoError::HeadDiverged { .. })));
    git(&worktree.path, &["commit", "--quiet", "-m", "apart"]);
    assert!(matches!(stage.run.commit_work(&worktree, &work()), Err(RepoError::HeadDiverged { .. })));
}

#[test]
fn a_task_that_did_nothing_is_merged_already() {
    let stage = Stage::new();
    let tip = stage.run.run_tip().unwrap();
    stage.create("T1");
    assert_eq!(stage.merge("T1"), MergeAttempt::AlreadyMerged { commit: tip });
    assert!(matches!(
        stage.run.merge_task(&id("T9"), &GitIdentity::jangdan()),
        Err(RepoError::BranchNotFound { .. })
    ));
}

#[test]
fn the_merged_tree_is_checked_in_a_scratch_worktree_that_stays_warm() {
    let stage = Stage::new();
    stage.task("T1", |path| write(path, "a", "a"));
    stage.task("T2", |path| write(path, "b", "b"));
    let made = |task| match stage.run.merge_task(&id(task), &GitIdentity::jangdan()).unwrap() {
        MergeAttempt::Merged { commit, tree, .. } => (commit, tree),
        other => panic!("{other:?}"),
    };
    let (first, tree) = made("T1");
    let scratch = stage.run.create_check_worktree(&first).unwrap();
    assert_eq!(git(&scratch.path, &["rev-parse", "HEAD^{tree}"]), tree);
    assert!(scratch.path.join("a").exists());
    write(&scratch.path, "build.log", "warm");
    write(&scratch.path, "file", "broken by the check");
    write(&scratch.path, "rubbish", "left by the check");
    let (second, _) = made("T2");
    let scratch = stage.run.create_check_worktree(&second).unwrap();
    assert_eq!(git(&scratch.path, &["status", "--porcelain"]), "");
    assert!(!scratch.path.join("a").exists() && scratch.path.join("b").exists());
    assert!(scratch.path.join("build.log").exists());
    // A check that breaks the worktree itself costs a new one.
    fs::remove_dir_all(&scratch.path).unwrap();
    let scratch = stage.run.create_check_worktree(&second).unwrap();
    assert!(scratch.path.join("b").exists());
    stage.run.remove_check_worktree().unwrap();
    stage.run.remove_check_worktree().unwrap();
    assert!(!scratch.path.exists());
}

#[test]
fn a_run_branch_that_somebody_checked_out_is_not_moved() {
    let stage = Stage::new();
    stage.task("T1", |path| write(path, "a", "a"));
    git(&stage.user(), &["checkout", "--quiet", "jangdan/r1/run"]);
    let MergeAttempt::Merged { onto, commit, .. } =
        stage.run.merge_task(&id("T1"), &GitIdentity::jangdan()).unwrap()
    else {
        panic!("merges")
    };
    assert!(matches!(stage.run.advance_run_branch(&onto, &commit), Err(RepoError::BranchCheckedOut { .. })));
}

#[test]
fn attributes_of_the_run_count_in_a_merge() {
    let stage = Stage::with(|user| write(user, ".gitattributes", "file merge=union\n"));
    stage.task("T1", |path| write(path, "file", "one\ntwo\nthree\nfirst\n"));
    stage.task("T2", |path| write(path, "file", "one\ntwo\nthree\nsecond\n"));
    stage.merge("T1");
    assert!(matches!(stage.merge("T2"), MergeAttempt::Merged { .. }));
}
