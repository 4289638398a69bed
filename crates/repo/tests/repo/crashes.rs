//! What a crash leaves between two steps is finished or undone.

use std::{fs, path::PathBuf};

use repo::{MergeAttempt, RepoError};

use crate::stage::{Stage, git, id, run_in, write};

fn git_dir(stage: &Stage, task: &str) -> PathBuf {
    stage.user().join(".git/worktrees").join(format!("r1-{task}"))
}

#[test]
fn a_worktree_that_was_half_made_is_made_anew() {
    let stage = Stage::new();
    // Killed before anything was checked out, while it was, and before it was marked.
    let folder = stage.run.worktrees_folder.display();
    for (task, checkout) in [("T1", "--no-checkout"), ("T2", "--checkout")] {
        let (path, branch) = (format!("{folder}/r1-{task}"), format!("jangdan/r1/{task}"));
        git(&stage.user(), &["branch", &branch, "jangdan/r1/run"]);
        git(&stage.user(), &["worktree", "add", "--quiet", "--lock", checkout, &path, &branch]);
    }
    fs::remove_file(stage.run.worktrees_folder.join("r1-T2/file")).unwrap();
    // Killed before git linked its folder with the worktree's; and before it made the worktree's.
    fs::create_dir_all(git_dir(&stage, "T3")).unwrap();
    fs::write(git_dir(&stage, "T3").join("locked"), "initializing").unwrap();
    write(&stage.run.worktrees_folder, "r1-T3/.git", "");
    fs::create_dir_all(git_dir(&stage, "T4")).unwrap();
    // Killed when the two were linked and nothing else was said: now git fails on every worktree.
    fs::create_dir_all(git_dir(&stage, "T5")).unwrap();
    fs::write(git_dir(&stage, "T5").join("gitdir"), format!("{folder}/r1-T5/.git\n")).unwrap();
    fs::write(git_dir(&stage, "T5").join("HEAD"), "0".repeat(40)).unwrap();
    fs::write(git_dir(&stage, "T5").join("commondir"), "").unwrap();
    write(&stage.run.worktrees_folder, "r1-T5/.git", "");
    // Killed while one was removed.
    fs::create_dir_all(stage.user().join(".git/jangdan-gone-r1-T6")).unwrap();

    let run = run_in(stage.folder.path());
    let recovered = run.recover_worktrees();
    assert!(recovered.ready.is_empty() && recovered.failed.is_empty(), "{recovered:?}");
    assert_eq!(recovered.removed, ["T1", "T2", "T3", "T4", "T5", "T6"].map(id));
    assert!(!stage.user().join(".git/jangdan-gone-r1-T6").exists());
    for task in ["T1", "T2", "T3", "T4", "T5", "T6"] {
        assert!(
            !run.worktrees_folder.join(format!("r1-{task}")).exists() && !git_dir(&stage, task).exists(),
            "{task}"
        );
        let worktree = run.create_worktree(&id(task)).unwrap();
        assert_eq!(git(&worktree.path, &["status", "--porcelain"]), "");
        assert!(run.snapshots(&id(task)).unwrap().is_empty());
    }
}

#[test]
fn work_in_a_worktree_that_lost_its_mark_is_kept() {
    let stage = Stage::new();
    let worktree = stage.create("T1");
    write(&worktree.path, "new", "work\n");
    fs::remove_file(git_dir(&stage, "T1").join("jangdan-ready")).unwrap();
    assert_eq!(stage.run.recover_worktrees().removed, [id("T1")]);
    let kept = stage.run.snapshots(&id("T1")).unwrap();
    assert_eq!(git(&stage.user(), &["show", &format!("{}:new", kept[0].commit)]), "work");
}

#[test]
fn a_worktree_that_somebody_deleted_is_made_again_with_its_commits() {
    let stage = Stage::new();
    let worktree = stage.create("T1");
    git(&worktree.path, &["checkout", "--quiet", "--detach"]);
    git(&worktree.path, &["commit", "--quiet", "--allow-empty", "-m", "on no branch"]);
    let commit = git(&worktree.path, &["rev-parse", "HEAD"]);
    fs::remove_dir_all(&worktree.path).unwrap();
    let again = stage.create("T1");
    assert!(again.path.join("file").exists());
    assert_eq!(stage.run.snapshots(&id("T1")).unwrap()[0].commit.as_str(), commit);
}

#[test]
fn an_agent_that_breaks_its_git_file_loses_nothing() {
    let stage = Stage::new();
    let worktree = stage.create("T1");
    write(&worktree.path, "new", "work\n");
    fs::remove_file(worktree.path.join(".git")).unwrap();
    git(&worktree.path, &["init", "--quiet"]);
    let kept = stage.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    assert_eq!(git(&stage.user(), &["show", &format!("{}:new", kept.commit)]), "work");
}

#[test]
fn a_merge_between_making_and_moving_is_done_once() {
    let stage = Stage::new();
    stage.task("T1", |path| write(path, "new", "x"));
    let author = repo::GitIdentity::jangdan();
    let before = stage.run.run_tip().unwrap();
    let MergeAttempt::Merged { .. } = stage.run.merge_task(&id("T1"), &author).unwrap() else {
        panic!("merges")
    };
    assert_eq!(stage.run.run_tip().unwrap(), before);
    // Here the crash was. The next try makes it again and moves the branch; the one after that finds it.
    let run = run_in(stage.folder.path());
    let MergeAttempt::Merged { onto, commit, .. } = run.merge_task(&id("T1"), &author).unwrap() else {
        panic!("merges")
    };
    run.advance_run_branch(&onto, &commit).unwrap();
    run.advance_run_branch(&onto, &commit).unwrap();
    assert_eq!(
        run.merge_task(&id("T1"), &author).unwrap(),
        MergeAttempt::AlreadyMerged { commit: commit.clone() }
    );
    assert_eq!(git(&stage.user(), &["rev-list", "--count", "--merges", "jangdan/r1/run"]), "1");
}

#[test]
fn a_commit_between_branch_and_index_is_finished() {
    let stage = Stage::new();
    let worktree = stage.task("T1", |path| write(path, "file", "task\n"));
    // The branch had moved, the index had not.
    git(&worktree.path, &["read-tree", "HEAD^"]);
    let tip = stage.run.repository.resolve_commit("jangdan/r1/T1").unwrap();
    assert_eq!(stage.run.commit_work(&worktree, &crate::stage::work()).unwrap(), tip);
    assert_eq!(git(&worktree.path, &["status", "--porcelain"]), "");
}

#[test]
fn going_back_is_finished_by_going_back_again() {
    let stage = Stage::new();
    let worktree = stage.create("T1");
    write(&worktree.path, "new", "checkpoint\n");
    let checkpoint = stage.run.snapshot_worktree(&worktree, "checkpoint", &[]).unwrap();
    write(&worktree.path, "later", "later\n");
    stage.run.commit_work(&worktree, &crate::stage::work()).unwrap();
    // The files were back, the branch was not; and an index was left behind.
    git(&worktree.path, &["read-tree", "--reset", "-u", checkpoint.commit.as_str()]);
    fs::write(git_dir(&stage, "T1").join("jangdan-index-1-1"), "left").unwrap();
    stage.run.restore_worktree(&worktree, &checkpoint.commit, &[]).unwrap();
    assert_eq!(stage.run.snapshot_worktree(&worktree, "again", &[]).unwrap(), checkpoint);
    assert_eq!(git(&worktree.path, &["status", "--porcelain"]), "?? new");
    assert_eq!(git(&worktree.path, &["rev-parse", "HEAD"]), stage.run.run_tip().unwrap().as_str());
}

#[test]
fn of_two_merges_at_once_one_is_told() {
    let stage = Stage::new();
    stage.task("T1", |path| write(path, "a", "x"));
    stage.task("T2", |path| write(path, "b", "x"));
    let merges =
        ["T1", "T2"].map(|task| stage.run.merge_task(&id(task), &repo::GitIdentity::jangdan()).unwrap());
    let moved: Vec<_> = std::thread::scope(|scope| {
        let threads = merges.each_ref().map(|merge| {
            let MergeAttempt::Merged { onto, commit, .. } = merge else { panic!("merges") };
            let run = &stage.run;
            scope.spawn(move || run.advance_run_branch(onto, commit))
        });
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let refused: Vec<_> = moved.iter().filter_map(|moved| moved.as_ref().err()).collect();
    assert_eq!(refused.len(), 1, "{moved:?}");
    assert!(matches!(refused[0], RepoError::BranchMoved { .. }), "{moved:?}");
    assert!(!stage.user().join(".git/jangdan-gone-r1-T6").exists());
    for task in ["T1", "T2"] {
        stage.merge(task);
        assert!(matches!(stage.merge(task), MergeAttempt::AlreadyMerged { .. }));
    }
    assert_eq!(git(&stage.user(), &["rev-list", "--count", "--merges", "jangdan/r1/run"]), "2");
}
