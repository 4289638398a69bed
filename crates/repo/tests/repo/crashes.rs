//! A crash between two steps is recovered: the operation is completed or undone.

use std::{fs, path::PathBuf};

use repo::{MergeAttempt, RepoError};

use crate::fixture::{Fixture, git, open_run_in, task_id, write_file};

fn git_dir(fixture: &Fixture, task: &str) -> PathBuf {
    fixture.user_folder().join(".git/worktrees").join(format!("r1-{task}"))
}

#[test]
fn an_incomplete_worktree_is_created_again() {
    let fixture = Fixture::new();
    // Killed before and during the checkout, before the marker was written.
    let folder = fixture.run.worktrees_folder.display();
    for (task, checkout) in [("T1", "--no-checkout"), ("T2", "--checkout")] {
        let (path, branch) = (format!("{folder}/r1-{task}"), format!("jangdan/r1/{task}"));
        git(&fixture.user_folder(), &["branch", &branch, "jangdan/r1/run"]);
        git(&fixture.user_folder(), &["worktree", "add", "--quiet", "--lock", checkout, &path, &branch]);
    }
    fs::remove_file(fixture.run.worktrees_folder.join("r1-T2/file")).unwrap();
    // Killed before git linked the two folders, and before it created the worktree's folder.
    fs::create_dir_all(git_dir(&fixture, "T3")).unwrap();
    fs::write(git_dir(&fixture, "T3").join("locked"), "initializing").unwrap();
    write_file(&fixture.run.worktrees_folder, "r1-T3/.git", "");
    fs::create_dir_all(git_dir(&fixture, "T4")).unwrap();
    // Killed right after the folders were linked: now git fails whenever it lists worktrees.
    fs::create_dir_all(git_dir(&fixture, "T5")).unwrap();
    fs::write(git_dir(&fixture, "T5").join("gitdir"), format!("{folder}/r1-T5/.git\n")).unwrap();
    fs::write(git_dir(&fixture, "T5").join("HEAD"), "0".repeat(40)).unwrap();
    fs::write(git_dir(&fixture, "T5").join("commondir"), "").unwrap();
    write_file(&fixture.run.worktrees_folder, "r1-T5/.git", "");
    // Killed during removal.
    fs::create_dir_all(fixture.user_folder().join(".git/jangdan-gone-r1-T6")).unwrap();

    let run = open_run_in(fixture.folder.path());
    let recovered = run.recover_worktrees();
    assert!(recovered.ready.is_empty() && recovered.failed.is_empty(), "{recovered:?}");
    assert_eq!(recovered.removed, ["T1", "T2", "T3", "T4", "T5", "T6"].map(task_id));
    assert!(!fixture.user_folder().join(".git/jangdan-gone-r1-T6").exists());
    for task in ["T1", "T2", "T3", "T4", "T5", "T6"] {
        assert!(
            !run.worktrees_folder.join(format!("r1-{task}")).exists() && !git_dir(&fixture, task).exists(),
            "{task}"
        );
        let worktree = run.create_worktree(&task_id(task)).unwrap();
        assert_eq!(git(&worktree.path, &["status", "--porcelain"]), "");
        assert!(run.task_snapshots(&task_id(task)).unwrap().is_empty());
    }
}

#[test]
fn work_in_a_worktree_without_marker_is_preserved() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    write_file(&worktree.path, "new", "work\n");
    fs::remove_file(git_dir(&fixture, "T1").join("jangdan-ready")).unwrap();
    assert_eq!(fixture.run.recover_worktrees().removed, [task_id("T1")]);
    let snapshots = fixture.run.task_snapshots(&task_id("T1")).unwrap();
    assert_eq!(git(&fixture.user_folder(), &["show", &format!("{}:new", snapshots[0].commit)]), "work");
}

#[test]
fn a_deleted_worktree_is_created_again_with_its_commits() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    git(&worktree.path, &["checkout", "--quiet", "--detach"]);
    git(&worktree.path, &["commit", "--quiet", "--allow-empty", "-m", "on no branch"]);
    let commit = git(&worktree.path, &["rev-parse", "HEAD"]);
    fs::remove_dir_all(&worktree.path).unwrap();
    let again = fixture.create_worktree("T1");
    assert!(again.path.join("file").exists());
    assert_eq!(fixture.run.task_snapshots(&task_id("T1")).unwrap()[0].commit.as_str(), commit);
}

#[test]
fn a_damaged_git_file_loses_no_work() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    write_file(&worktree.path, "new", "work\n");
    fs::remove_file(worktree.path.join(".git")).unwrap();
    git(&worktree.path, &["init", "--quiet"]);
    let snapshot = fixture.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    assert_eq!(git(&fixture.user_folder(), &["show", &format!("{}:new", snapshot.commit)]), "work");
}

#[test]
fn a_merge_interrupted_before_moving_the_branch_is_done_once() {
    let fixture = Fixture::new();
    fixture.commit_task_work("T1", |path| write_file(path, "new", "x"));
    let author = repo::GitIdentity::jangdan();
    let before = fixture.run.run_tip().unwrap();
    let MergeAttempt::Merged { .. } = fixture.run.merge_task(&task_id("T1"), &author).unwrap() else {
        panic!("merges")
    };
    assert_eq!(fixture.run.run_tip().unwrap(), before);
    // The crash happens here. The next attempt merges again and moves the branch; the one after finds it merged.
    let run = open_run_in(fixture.folder.path());
    let MergeAttempt::Merged { onto, commit, .. } = run.merge_task(&task_id("T1"), &author).unwrap() else {
        panic!("merges")
    };
    run.advance_run_branch(&onto, &commit).unwrap();
    run.advance_run_branch(&onto, &commit).unwrap();
    assert_eq!(
        run.merge_task(&task_id("T1"), &author).unwrap(),
        MergeAttempt::AlreadyMerged { commit: commit.clone(), onto: Some(onto) }
    );
    assert_eq!(git(&fixture.user_folder(), &["rev-list", "--count", "--merges", "jangdan/r1/run"]), "1");
}

#[test]
fn a_commit_interrupted_before_the_index_update_is_completed() {
    let fixture = Fixture::new();
    let worktree = fixture.commit_task_work("T1", |path| write_file(path, "file", "task\n"));
    // The branch was moved, the index was not.
    git(&worktree.path, &["read-tree", "HEAD^"]);
    let tip = fixture.run.repository.resolve_commit("jangdan/r1/T1").unwrap();
    assert_eq!(fixture.run.commit_work(&worktree, &crate::fixture::commit_options()).unwrap(), tip);
    assert_eq!(git(&worktree.path, &["status", "--porcelain"]), "");
}

#[test]
fn an_interrupted_restore_is_completed_by_the_next() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    write_file(&worktree.path, "new", "checkpoint\n");
    let checkpoint = fixture.run.snapshot_worktree(&worktree, "checkpoint", &[]).unwrap();
    write_file(&worktree.path, "later", "later\n");
    fixture.run.commit_work(&worktree, &crate::fixture::commit_options()).unwrap();
    // The files were restored but the branch was not, and a temporary index was left.
    git(&worktree.path, &["read-tree", "--reset", "-u", checkpoint.commit.as_str()]);
    fs::write(git_dir(&fixture, "T1").join("jangdan-index-1-1"), "left").unwrap();
    fixture.run.restore_worktree(&worktree, &checkpoint.commit, &[]).unwrap();
    assert_eq!(fixture.run.snapshot_worktree(&worktree, "again", &[]).unwrap(), checkpoint);
    assert_eq!(git(&worktree.path, &["status", "--porcelain"]), "?? new");
    assert_eq!(git(&worktree.path, &["rev-parse", "HEAD"]), fixture.run.run_tip().unwrap().as_str());
}

#[test]
fn of_two_concurrent_merges_one_fails() {
    let fixture = Fixture::new();
    fixture.commit_task_work("T1", |path| write_file(path, "a", "x"));
    fixture.commit_task_work("T2", |path| write_file(path, "b", "x"));
    let merges = ["T1", "T2"]
        .map(|task| fixture.run.merge_task(&task_id(task), &repo::GitIdentity::jangdan()).unwrap());
    let moved: Vec<_> = std::thread::scope(|scope| {
        let threads = merges.each_ref().map(|merge| {
            let MergeAttempt::Merged { onto, commit, .. } = merge else { panic!("merges") };
            let run = &fixture.run;
            scope.spawn(move || run.advance_run_branch(onto, commit))
        });
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let refused: Vec<_> = moved.iter().filter_map(|moved| moved.as_ref().err()).collect();
    assert_eq!(refused.len(), 1, "{moved:?}");
    assert!(matches!(refused[0], RepoError::BranchMoved { .. }), "{moved:?}");
    assert!(!fixture.user_folder().join(".git/jangdan-gone-r1-T6").exists());
    for task in ["T1", "T2"] {
        fixture.merge(task);
        assert!(matches!(fixture.merge(task), MergeAttempt::AlreadyMerged { .. }));
    }
    assert_eq!(git(&fixture.user_folder(), &["rev-list", "--count", "--merges", "jangdan/r1/run"]), "2");
}
