//! Worktrees are made outside the user's tree, found again, and removed only when nothing is lost.

use std::{fs, os::unix::fs::PermissionsExt, thread, time::Instant};

use repo::{RepoError, Repository};

use crate::stage::{Stage, git, id, options, user_git, write};

#[test]
fn a_worktree_is_on_its_branch_from_the_runs_tip_and_locked() {
    let stage = Stage::new();
    let worktree = stage.create("T1.3");
    assert_eq!(git(&worktree.path, &["symbolic-ref", "HEAD"]), "refs/heads/jangdan/r1/T1.3");
    assert_eq!(git(&worktree.path, &["rev-parse", "HEAD"]), stage.run.run_tip().unwrap().as_str());
    assert_eq!(git(&worktree.path, &["status", "--porcelain"]), "");
    assert!(git(&stage.user(), &["worktree", "list", "--porcelain"]).contains("locked"));
    assert_eq!(stage.create("T1.3").path, worktree.path);
    assert_eq!(stage.run.open_worktree(&id("T1.3")).unwrap().path, worktree.path);
    assert!(stage.run.open_worktree(&id("T1")).is_none());
}

#[test]
fn what_is_in_the_way_stays() {
    let stage = Stage::new();
    write(&stage.run.worktrees_folder, "r1-T1/precious", "x");
    assert!(matches!(stage.run.create_worktree(&id("T1")), Err(RepoError::PathOccupied { .. })));
    assert!(stage.run.worktrees_folder.join("r1-T1/precious").exists());
    git(&stage.user(), &["branch", "jangdan/r1/T2"]);
    git(&stage.user(), &["worktree", "add", "--quiet", "../mine", "jangdan/r1/T2"]);
    let error = stage.run.create_worktree(&id("T2")).unwrap_err();
    assert!(error.hint().contains("checked out elsewhere"), "{error}: {}", error.hint());
}

#[test]
fn removing_keeps_everything_first() {
    let stage = Stage::new();
    let worktree = stage.create("T1");
    write(&worktree.path, "file", "changed\n");
    write(&worktree.path, "new", "new\n");
    write(&worktree.path, "build.log", "ignored\n");
    write(&worktree.path, "sealed/inside", "x");
    fs::set_permissions(worktree.path.join("sealed"), fs::Permissions::from_mode(0o555)).unwrap();
    // A commit that was replaced, and one on no branch.
    git(&worktree.path, &["commit", "--quiet", "--allow-empty", "-m", "replaced"]);
    let replaced = git(&worktree.path, &["rev-parse", "HEAD"]);
    git(&worktree.path, &["reset", "--quiet", "--soft", "HEAD^"]);
    git(&worktree.path, &["checkout", "--quiet", "--detach"]);
    git(&worktree.path, &["commit", "--quiet", "--allow-empty", "-m", "detached"]);
    let detached = git(&worktree.path, &["rev-parse", "HEAD"]);

    stage.run.remove_worktree(&worktree, &[]).unwrap();
    stage.run.remove_worktree(&worktree, &[]).unwrap();
    assert!(!worktree.path.exists() && stage.run.open_worktree(&id("T1")).is_none());
    assert!(!git(&stage.user(), &["worktree", "list"]).contains("r1-T1"));
    let kept = stage.run.snapshots(&id("T1")).unwrap();
    assert_eq!(git(&stage.user(), &["show", &format!("{}:new", kept[0].commit)]), "new");
    let commits = git(&stage.user(), &["rev-list", "--glob=refs/jangdan/keep"]);
    assert!(commits.contains(&replaced) && commits.contains(&detached));
}

#[test]
fn a_repository_inside_is_kept_as_files_and_holds_up_the_removal() {
    let stage = Stage::new();
    let worktree = stage.create("T1");
    write(&worktree.path, "inner/deep/file", "inside\n");
    git(&worktree.path.join("inner"), &["init", "--quiet"]);
    let kept = stage.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    assert_eq!(kept.nested, [std::path::Path::new("inner")]);
    assert_eq!(git(&stage.user(), &["show", &format!("{}:inner/deep/file", kept.commit)]), "inside");
    assert!(matches!(stage.run.remove_worktree(&worktree, &[]), Err(RepoError::WouldLoseWork { .. })));
    assert!(worktree.path.join("inner/.git").exists());
}

#[test]
fn a_submodule_with_work_of_its_own_holds_up_the_removal() {
    let other = Stage::new();
    let stage = Stage::new();
    let url = format!("file://{}", other.user().display());
    git(&stage.user(), &["submodule", "--quiet", "add", &url, "sub"]);
    git(&stage.user(), &["commit", "--quiet", "-m", "sub"]);
    let tip = stage.run.run_tip().unwrap();
    stage.run.advance_run_branch(&tip, &stage.run.repository.resolve_commit("HEAD").unwrap()).unwrap();
    // The agent clones it itself, where we set nothing up.
    let mut stage = stage;
    stage.run.repository.with_submodules = false;
    let worktree = stage.create("T1");
    git(&worktree.path, &["submodule", "--quiet", "update", "--init"]);
    write(&worktree.path, "sub/new", "x");
    assert!(matches!(stage.run.remove_worktree(&worktree, &[]), Err(RepoError::WouldLoseWork { .. })));
    fs::remove_file(worktree.path.join("sub/new")).unwrap();
    stage.run.remove_worktree(&worktree, &[]).unwrap();
    assert!(!worktree.path.exists());
}

#[test]
fn a_bare_repository_has_worktrees_too() {
    let stage = Stage::new();
    let folder = stage.folder.path();
    git(folder, &["clone", "--quiet", "--bare", "user", "bare"]);
    let bare = Repository::discover(&folder.join("bare"), &options()).unwrap();
    let run = bare.open_run(&"r2".parse().unwrap(), &folder.join("worktrees")).unwrap();
    run.create_run_branch(&bare.resolve_commit("main").unwrap()).unwrap();
    let worktree = run.create_worktree(&id("T1")).unwrap();
    write(&worktree.path, "new", "x");
    run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    run.remove_worktree(&worktree, &[]).unwrap();
}

#[test]
fn a_run_can_begin_once_and_needs_a_commit() {
    let stage = Stage::new();
    let tip = stage.run.run_tip().unwrap();
    git(&stage.user(), &["commit", "--quiet", "--allow-empty", "-m", "later"]);
    let later = stage.run.repository.resolve_commit("HEAD").unwrap();
    assert_eq!(stage.run.create_run_branch(&later).unwrap(), tip);
    let nothing = repo::CommitId::parse(&"0".repeat(40)).unwrap();
    let run = stage.run.repository.open_run(&"r2".parse().unwrap(), &stage.run.worktrees_folder).unwrap();
    assert!(matches!(run.create_run_branch(&nothing), Err(RepoError::CommitNotFound { .. })));
    assert!(matches!(run.create_worktree(&id("T1")), Err(RepoError::BranchNotFound { .. })));
}

#[test]
fn a_branch_of_the_user_in_the_way_is_told() {
    let stage = Stage::new();
    git(&stage.user(), &["branch", "jangdan/r2"]);
    let run = stage.run.repository.open_run(&"r2".parse().unwrap(), &stage.run.worktrees_folder).unwrap();
    let error = run.create_run_branch(&stage.run.run_tip().unwrap()).unwrap_err();
    assert!(error.hint().contains("rename it"), "{error}: {}", error.hint());
}

#[test]
fn two_hundred_worktrees_are_made_at_once_and_found_quickly() {
    let stage = Stage::new();
    let start = Instant::now();
    thread::scope(|scope| {
        for first in 0..4 {
            let stage = &stage;
            scope.spawn(move || (1..=50).for_each(|n| drop(stage.create(&format!("T{}", first * 50 + n)))));
        }
    });
    let made = start.elapsed();
    let found = stage.run.recover_worktrees();
    assert_eq!((found.ready.len(), found.removed.len()), (200, 0));
    // A quarter of a second each: ten times what it takes, so that a busy machine does not fail it.
    assert!(made.as_secs() < 50, "{made:?}");
    assert!(user_git(&stage.user()).args(["worktree", "prune"]).status().unwrap().success());
    assert_eq!(stage.run.recover_worktrees().ready.len(), 200);
}
