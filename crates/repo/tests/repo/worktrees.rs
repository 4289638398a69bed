//! Worktrees are created outside the user's tree, found again, and removed only if no work is lost.

use std::{fs, os::unix::fs::PermissionsExt, thread, time::Instant};

use repo::{RepoError, Repository};

use crate::fixture::{Fixture, git, git_options, task_id, user_git_command, write_file};

#[test]
fn a_worktree_is_locked_and_its_branch_starts_at_the_run_tip() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1.3");
    assert_eq!(git(&worktree.path, &["symbolic-ref", "HEAD"]), "refs/heads/jangdan/r1/T1.3");
    assert_eq!(git(&worktree.path, &["rev-parse", "HEAD"]), fixture.run.run_tip().unwrap().as_str());
    assert_eq!(git(&worktree.path, &["status", "--porcelain"]), "");
    assert!(git(&fixture.user_folder(), &["worktree", "list", "--porcelain"]).contains("locked"));
    assert_eq!(fixture.create_worktree("T1.3").path, worktree.path);
    assert_eq!(fixture.run.open_worktree(&task_id("T1.3")).unwrap().path, worktree.path);
    assert!(fixture.run.open_worktree(&task_id("T1")).is_none());
}

#[test]
fn ids_with_a_slash_have_branches_folders_and_refs_of_their_own() {
    let fixture = Fixture::new();
    let ids = ["P5", "P5/T1.1", "P5-T1.1", "P5/x/T1.1"];
    let worktrees: Vec<_> = ids.iter().map(|id| fixture.create_worktree(id)).collect();
    let branch = git(&worktrees[1].path, &["symbolic-ref", "HEAD"]);
    assert_eq!(branch, "refs/heads/jangdan/r1/P5+T1.1");
    assert_eq!(worktrees[1].path.parent(), Some(fixture.run.worktrees_folder.as_path()));
    for (id, worktree) in ids.iter().zip(&worktrees) {
        write_file(&worktree.path, "new", id);
        let snapshot = fixture.run.snapshot_worktree(worktree, "turn", &[]).unwrap();
        assert_eq!(fixture.run.task_snapshots(&task_id(id)).unwrap().len(), 1, "{id}");
        assert_eq!(git(&worktree.path, &["show", &format!("{}:new", snapshot.commit)]), *id);
    }
    let mut recovered: Vec<_> = fixture.run.recover_worktrees().ready.into_iter().map(|it| it.task).collect();
    recovered.sort();
    let mut expected = ids.map(task_id);
    expected.sort();
    assert_eq!(recovered, expected);
    fixture.run.remove_worktree(&worktrees[1], &[]).unwrap();
    assert!(fixture.run.open_worktree(&task_id("P5/T1.1")).is_none());
    assert!(fixture.run.open_worktree(&task_id("P5-T1.1")).is_some());
}

#[test]
fn existing_files_are_not_replaced_by_a_worktree() {
    let fixture = Fixture::new();
    write_file(&fixture.run.worktrees_folder, "r1-T1/precious", "x");
    assert!(matches!(fixture.run.create_worktree(&task_id("T1")), Err(RepoError::PathOccupied { .. })));
    assert!(fixture.run.worktrees_folder.join("r1-T1/precious").exists());
    git(&fixture.user_folder(), &["branch", "jangdan/r1/T2"]);
    git(&fixture.user_folder(), &["worktree", "add", "--quiet", "../mine", "jangdan/r1/T2"]);
    let error = fixture.run.create_worktree(&task_id("T2")).unwrap_err();
    assert!(error.hint().contains("checked out elsewhere"), "{error}: {}", error.hint());
}

#[test]
fn removal_preserves_all_work_first() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    write_file(&worktree.path, "file", "changed\n");
    write_file(&worktree.path, "new", "new\n");
    write_file(&worktree.path, "build.log", "ignored\n");
    write_file(&worktree.path, "sealed/inside", "x");
    fs::set_permissions(worktree.path.join("sealed"), fs::Permissions::from_mode(0o555)).unwrap();
    // One replaced commit, and one on no branch.
    git(&worktree.path, &["commit", "--quiet", "--allow-empty", "-m", "replaced"]);
    let replaced = git(&worktree.path, &["rev-parse", "HEAD"]);
    git(&worktree.path, &["reset", "--quiet", "--soft", "HEAD^"]);
    git(&worktree.path, &["checkout", "--quiet", "--detach"]);
    git(&worktree.path, &["commit", "--quiet", "--allow-empty", "-m", "detached"]);
    let detached = git(&worktree.path, &["rev-parse", "HEAD"]);

    fixture.run.remove_worktree(&worktree, &[]).unwrap();
    fixture.run.remove_worktree(&worktree, &[]).unwrap();
    assert!(!worktree.path.exists() && fixture.run.open_worktree(&task_id("T1")).is_none());
    assert!(!git(&fixture.user_folder(), &["worktree", "list"]).contains("r1-T1"));
    let snapshots = fixture.run.task_snapshots(&task_id("T1")).unwrap();
    assert_eq!(git(&fixture.user_folder(), &["show", &format!("{}:new", snapshots[0].commit)]), "new");
    let commits = git(&fixture.user_folder(), &["rev-list", "--glob=refs/jangdan/keep"]);
    assert!(commits.contains(&replaced) && commits.contains(&detached));
}

#[test]
fn a_nested_repository_is_stored_as_files_and_prevents_removal() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    write_file(&worktree.path, "inner/deep/file", "inside\n");
    git(&worktree.path.join("inner"), &["init", "--quiet"]);
    let snapshot = fixture.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    assert_eq!(snapshot.nested, [std::path::Path::new("inner")]);
    assert_eq!(
        git(&fixture.user_folder(), &["show", &format!("{}:inner/deep/file", snapshot.commit)]),
        "inside"
    );
    assert!(matches!(fixture.run.remove_worktree(&worktree, &[]), Err(RepoError::WouldLoseWork { .. })));
    assert!(worktree.path.join("inner/.git").exists());
}

#[test]
fn a_submodule_with_unsaved_work_prevents_removal() {
    let other = Fixture::new();
    let fixture = Fixture::new();
    let url = format!("file://{}", other.user_folder().display());
    git(&fixture.user_folder(), &["submodule", "--quiet", "add", &url, "sub"]);
    git(&fixture.user_folder(), &["commit", "--quiet", "-m", "sub"]);
    let tip = fixture.run.run_tip().unwrap();
    fixture.run.advance_run_branch(&tip, &fixture.run.repository.resolve_commit("HEAD").unwrap()).unwrap();
    // The agent clones it itself, since submodules are turned off.
    let mut fixture = fixture;
    fixture.run.repository.with_submodules = false;
    let worktree = fixture.create_worktree("T1");
    git(&worktree.path, &["submodule", "--quiet", "update", "--init"]);
    write_file(&worktree.path, "sub/new", "x");
    assert!(matches!(fixture.run.remove_worktree(&worktree, &[]), Err(RepoError::WouldLoseWork { .. })));
    fs::remove_file(worktree.path.join("sub/new")).unwrap();
    fixture.run.remove_worktree(&worktree, &[]).unwrap();
    assert!(!worktree.path.exists());
}

#[test]
fn a_bare_repository_supports_worktrees() {
    let fixture = Fixture::new();
    let folder = fixture.folder.path();
    git(folder, &["clone", "--quiet", "--bare", "user", "bare"]);
    let bare = Repository::discover(&folder.join("bare"), &git_options()).unwrap();
    let run = bare.open_run(&"r2".parse().unwrap(), &folder.join("worktrees")).unwrap();
    run.create_run_branch(&bare.resolve_commit("main").unwrap()).unwrap();
    let worktree = run.create_worktree(&task_id("T1")).unwrap();
    write_file(&worktree.path, "new", "x");
    run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    run.remove_worktree(&worktree, &[]).unwrap();
}

#[test]
fn a_run_branch_is_created_once_and_needs_a_commit() {
    let fixture = Fixture::new();
    let tip = fixture.run.run_tip().unwrap();
    git(&fixture.user_folder(), &["commit", "--quiet", "--allow-empty", "-m", "later"]);
    let later = fixture.run.repository.resolve_commit("HEAD").unwrap();
    assert_eq!(fixture.run.create_run_branch(&later).unwrap(), tip);
    let nothing = repo::CommitId::parse(&"0".repeat(40)).unwrap();
    let run = fixture.run.repository.open_run(&"r2".parse().unwrap(), &fixture.run.worktrees_folder).unwrap();
    assert!(matches!(run.create_run_branch(&nothing), Err(RepoError::CommitNotFound { .. })));
    assert!(matches!(run.create_worktree(&task_id("T1")), Err(RepoError::BranchNotFound { .. })));
}

#[test]
fn a_conflicting_branch_name_is_reported_with_a_hint() {
    let fixture = Fixture::new();
    git(&fixture.user_folder(), &["branch", "jangdan/r2"]);
    let run = fixture.run.repository.open_run(&"r2".parse().unwrap(), &fixture.run.worktrees_folder).unwrap();
    let error = run.create_run_branch(&fixture.run.run_tip().unwrap()).unwrap_err();
    assert!(error.hint().contains("rename it"), "{error}: {}", error.hint());
}

#[test]
fn two_hundred_worktrees_are_created_concurrently_and_recovered() {
    let fixture = Fixture::new();
    let start = Instant::now();
    thread::scope(|scope| {
        for first in 0..4 {
            let fixture = &fixture;
            scope.spawn(move || {
                (1..=50).for_each(|n| drop(fixture.create_worktree(&format!("T{}", first * 50 + n))))
            });
        }
    });
    let made = start.elapsed();
    let found = fixture.run.recover_worktrees();
    assert_eq!((found.ready.len(), found.removed.len()), (200, 0));
    // A quarter of a second each, ten times the usual time, to allow for a busy machine.
    assert!(made.as_secs() < 50, "{made:?}");
    assert!(user_git_command(&fixture.user_folder()).args(["worktree", "prune"]).status().unwrap().success());
    assert_eq!(fixture.run.recover_worktrees().ready.len(), 200);
}
