//! A task's commits are merged into the run's branch, and checked before it moves.

use std::{fs, path::Path};

use repo::{GitIdentity, MergeAttempt, RepoError};

use crate::fixture::{Fixture, commit_options, git, task_id, write_file};

#[test]
fn commits_of_the_agent_stay_and_uncommitted_work_gets_a_commit() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    write_file(&worktree.path, "own", "own\n");
    git(&worktree.path, &["add", "own"]);
    git(&worktree.path, &["commit", "--quiet", "-m", "own"]);
    write_file(&worktree.path, "left", "left\n");
    let commit = fixture.run.commit_work(&worktree, &commit_options()).unwrap();
    assert_eq!(fixture.run.commit_work(&worktree, &commit_options()).unwrap(), commit);
    let log = git(&worktree.path, &["log", "--format=%an %s"]);
    assert_eq!(log, "Agent what the agent left\nUser own\nUser base");
    assert_eq!(git(&worktree.path, &["status", "--porcelain"]), "");

    let MergeAttempt::Merged { onto, commit: merged, .. } = fixture.merge("T1") else { panic!("merges") };
    let parents = git(&fixture.user_folder(), &["log", "-1", "--format=%P", merged.as_str()]);
    assert_eq!(parents, format!("{onto} {commit}"));
    assert_eq!(fixture.run.run_tip().unwrap(), merged);
}

#[test]
fn a_descendant_branch_of_the_agent_is_adopted_and_a_diverged_one_refused() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    git(&worktree.path, &["checkout", "--quiet", "-b", "feature"]);
    write_file(&worktree.path, "new", "x");
    git(&worktree.path, &["add", "new"]);
    git(&worktree.path, &["commit", "--quiet", "-m", "feature"]);
    write_file(&worktree.path, "left", "x");
    fixture.run.commit_work(&worktree, &commit_options()).unwrap();
    assert_eq!(git(&worktree.path, &["symbolic-ref", "HEAD"]), "refs/heads/jangdan/r1/T1");
    let subjects = git(&worktree.path, &["log", "-2", "--format=%s"]);
    assert_eq!(subjects, "what the agent left\nfeature");
    assert_eq!(git(&worktree.path, &["log", "-1", "--format=%s", "feature"]), "feature");
    assert_eq!(git(&worktree.path, &["status", "--porcelain"]), "");
    git(&worktree.path, &["checkout", "--quiet", "--orphan", "apart"]);
    assert!(matches!(
        fixture.run.commit_work(&worktree, &commit_options()),
        Err(RepoError::HeadDiverged { .. })
    ));
    git(&worktree.path, &["commit", "--quiet", "-m", "apart"]);
    assert!(matches!(
        fixture.run.commit_work(&worktree, &commit_options()),
        Err(RepoError::HeadDiverged { .. })
    ));
}

#[test]
fn a_task_without_commits_is_already_merged() {
    let fixture = Fixture::new();
    let tip = fixture.run.run_tip().unwrap();
    fixture.create_worktree("T1");
    assert_eq!(fixture.merge("T1"), MergeAttempt::AlreadyMerged { commit: tip, onto: None });
    assert!(matches!(
        fixture.run.merge_task(&task_id("T9"), &GitIdentity::jangdan()),
        Err(RepoError::BranchNotFound { .. })
    ));
}

#[test]
fn the_check_worktree_keeps_only_ignored_files_between_checks() {
    let fixture = Fixture::new();
    fixture.commit_task_work("T1", |path| write_file(path, "a", "a"));
    fixture.commit_task_work("T2", |path| write_file(path, "b", "b"));
    let made = |task| match fixture.run.merge_task(&task_id(task), &GitIdentity::jangdan()).unwrap() {
        MergeAttempt::Merged { commit, tree, .. } => (commit, tree),
        other => panic!("{other:?}"),
    };
    let (first, tree) = made("T1");
    let worktree = fixture.run.create_check_worktree(&first).unwrap();
    assert_eq!(git(&worktree.path, &["rev-parse", "HEAD^{tree}"]), tree);
    assert!(worktree.path.join("a").exists());
    write_file(&worktree.path, "build.log", "warm");
    write_file(&worktree.path, "file", "broken by the check");
    write_file(&worktree.path, "rubbish", "left by the check");
    let (second, _) = made("T2");
    let worktree = fixture.run.create_check_worktree(&second).unwrap();
    assert_eq!(git(&worktree.path, &["status", "--porcelain"]), "");
    assert!(!worktree.path.join("a").exists() && worktree.path.join("b").exists());
    assert!(worktree.path.join("build.log").exists());
    // A check that destroys the worktree causes a new one to be created.
    fs::remove_dir_all(&worktree.path).unwrap();
    let worktree = fixture.run.create_check_worktree(&second).unwrap();
    assert!(worktree.path.join("b").exists());
    fixture.run.remove_check_worktree().unwrap();
    fixture.run.remove_check_worktree().unwrap();
    assert!(!worktree.path.exists());
}

#[test]
fn a_checked_out_run_branch_is_not_moved() {
    let fixture = Fixture::new();
    fixture.commit_task_work("T1", |path| write_file(path, "a", "a"));
    git(&fixture.user_folder(), &["checkout", "--quiet", "jangdan/r1/run"]);
    let MergeAttempt::Merged { onto, commit, .. } =
        fixture.run.merge_task(&task_id("T1"), &GitIdentity::jangdan()).unwrap()
    else {
        panic!("merges")
    };
    assert!(matches!(
        fixture.run.advance_run_branch(&onto, &commit),
        Err(RepoError::BranchCheckedOut { .. })
    ));
}

#[test]
fn a_merge_uses_the_attributes_of_the_run_branch() {
    let fixture = Fixture::with_base_files(|user| write_file(user, ".gitattributes", "file merge=union\n"));
    fixture.commit_task_work("T1", |path| write_file(path, "file", "one\ntwo\nthree\nfirst\n"));
    fixture.commit_task_work("T2", |path| write_file(path, "file", "one\ntwo\nthree\nsecond\n"));
    fixture.merge("T1");
    assert!(matches!(fixture.merge("T2"), MergeAttempt::Merged { .. }));
}

#[test]
fn merges_are_found_by_the_files_that_they_changed() {
    let fixture = Fixture::new();
    fixture.commit_task_work("T1", |path| write_file(path, "early", "x\n"));
    fixture.merge("T1");
    fixture.create_worktree("T9");
    let mut merged = Vec::new();
    for (task, file) in [("T2", "a"), ("T3", "b"), ("T4", "a")] {
        fixture.commit_task_work(task, |path| write_file(path, format!("{file}-{task}"), "x\n"));
        let MergeAttempt::Merged { commit, .. } = fixture.merge(task) else { panic!("{task} is not merged") };
        merged.push(commit);
    }
    let late = task_id("T9");
    let find = |files: &[&str]| {
        let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        fixture.run.merges_beside_task(&late, &files).unwrap()
    };
    assert_eq!(find(&["b-T3"]), [merged[1].clone()]);
    assert_eq!(find(&["a-T4", "a-T2"]), [merged[2].clone(), merged[0].clone()]);
    assert_eq!(find(&["early"]), [], "the task began after this merge");
    assert_eq!(fixture.run.files_of_merge(&merged[0]).unwrap(), [Path::new("a-T2")]);
}
