//! Sessions without a task have a worktree too; only their work remains after it is removed.

use std::fs;

use crate::fixture::{Fixture, git, open_run_in, write_file};

/// Returns the number of worktrees that git lists, and the snapshot refs of session worktrees.
fn worktree_count_and_snapshot_refs(fixture: &Fixture) -> (usize, Vec<String>) {
    let listed = git(&fixture.user_folder(), &["worktree", "list", "--porcelain"]);
    let snapshot = git(
        &fixture.user_folder(),
        &["for-each-ref", "--format=%(refname)", "refs/jangdan/keep/r1/desk-*/*"],
    );
    (listed.matches("worktree ").count() - 1, snapshot.lines().map(str::to_owned).collect())
}

#[test]
fn an_unchanged_session_worktree_is_removed_without_a_snapshot() {
    let fixture = Fixture::new();
    let worktree = fixture.run.create_session_worktree("s_1", &fixture.run.run_tip().unwrap()).unwrap();
    write_file(&worktree.path, "build.log", "what git ignores\n");
    fixture.create_worktree("T1");
    assert_eq!(fixture.run.session_worktree_names(), ["s_1"]);
    fixture.run.remove_session_worktree("s_1").unwrap();
    fixture.run.remove_session_worktree("s_1").unwrap();
    assert!(!worktree.path.exists());
    assert_eq!(fixture.run.session_worktree_names(), [""; 0]);
    assert_eq!(worktree_count_and_snapshot_refs(&fixture), (1, vec![]), "only the task's worktree is left");
}

#[test]
fn work_in_a_session_worktree_is_preserved_before_removal() {
    let fixture = Fixture::new();
    let worktree = fixture.run.create_session_worktree("s_2", &fixture.run.run_tip().unwrap()).unwrap();
    write_file(&worktree.path, "committed", "x");
    git(&worktree.path, &["add", "committed"]);
    git(&worktree.path, &["commit", "--quiet", "-m", "on no branch"]);
    let commit = git(&worktree.path, &["rev-parse", "HEAD"]);
    write_file(&worktree.path, "notes", "not committed\n");
    fixture.run.remove_session_worktree("s_2").unwrap();
    assert_eq!(
        worktree_count_and_snapshot_refs(&fixture),
        (0, vec!["refs/jangdan/keep/r1/desk-s_2/1".to_owned()])
    );
    let snapshot = git(&fixture.user_folder(), &["show", "refs/jangdan/keep/r1/desk-s_2/1:notes"]);
    assert_eq!(snapshot, "not committed");
    assert_eq!(git(&fixture.user_folder(), &["rev-parse", "refs/jangdan/keep/r1/desk-s_2/1^"]), commit);
}

#[test]
fn a_commit_without_further_changes_is_preserved() {
    let fixture = Fixture::new();
    let worktree = fixture.run.create_session_worktree("s_2", &fixture.run.run_tip().unwrap()).unwrap();
    write_file(&worktree.path, "committed", "x");
    git(&worktree.path, &["add", "committed"]);
    git(&worktree.path, &["commit", "--quiet", "-m", "on no branch"]);
    let commit = git(&worktree.path, &["rev-parse", "HEAD"]);
    fixture.run.remove_session_worktree("s_2").unwrap();
    let snapshot = git(&fixture.user_folder(), &["rev-parse", "refs/jangdan/keep/r1/desk-s_2/1"]);
    assert_eq!(snapshot, commit);
}

#[test]
fn a_session_worktree_with_a_nested_repository_is_not_removed() {
    let fixture = Fixture::new();
    let worktree = fixture.run.create_session_worktree("s_3", &fixture.run.run_tip().unwrap()).unwrap();
    let inner = worktree.path.join("inner");
    fs::create_dir(&inner).unwrap();
    git(&inner, &["init", "--quiet"]);
    write_file(&inner, "file", "x");
    let refused = fixture.run.remove_session_worktree("s_3").unwrap_err().to_string();
    assert!(refused.contains("inner"), "{refused}");
    assert!(inner.join("file").exists());
}

#[test]
fn remains_of_a_session_worktree_are_found_and_removed() {
    let fixture = Fixture::new();
    let worktree = fixture.run.create_session_worktree("s_4", &fixture.run.run_tip().unwrap()).unwrap();
    fs::remove_dir_all(&worktree.path).unwrap();
    let run = open_run_in(fixture.folder.path());
    assert_eq!(run.session_worktree_names(), ["s_4"]);
    run.remove_session_worktree("s_4").unwrap();
    assert_eq!(run.session_worktree_names(), [""; 0]);
    assert_eq!(worktree_count_and_snapshot_refs(&fixture), (0, vec![]));
}
