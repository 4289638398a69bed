//! Pruning removes what can be rebuilt, and never work.

use std::fs;

use crate::fixture::{Fixture, git, write_file};

/// Creates a task's worktree with files of every kind.
fn worktree_with_all_file_kinds(fixture: &Fixture) -> repo::TaskWorktree {
    let worktree = fixture.create_worktree("T1");
    write_file(&worktree.path, ".gitignore", "target/\nnode_modules/\n.env\nclones/\n");
    write_file(&worktree.path, "target/debug/app", "x".repeat(100_000));
    write_file(&worktree.path, "web/node_modules/left/pad.js", "x".repeat(100_000));
    write_file(&worktree.path, ".env", "KEY=1\n");
    write_file(&worktree.path, "new.txt", "work\n");
    fs::create_dir_all(worktree.path.join("clones/lib")).unwrap();
    git(&worktree.path.join("clones/lib"), &["init", "--quiet"]);
    worktree
}

#[test]
fn only_ignored_folders_are_removed() {
    let fixture = Fixture::new();
    let worktree = worktree_with_all_file_kinds(&fixture);
    let freed = fixture.run.remove_ignored_folders(&worktree).unwrap();
    assert!(freed >= 200_000, "{freed}");
    let exists = |name: &str| worktree.path.join(name).exists();
    assert!(!exists("target") && !exists("web/node_modules"));
    assert!(exists(".env") && exists("new.txt") && exists(".gitignore") && exists("clones/lib/.git"));
    assert_eq!(fixture.run.remove_ignored_folders(&worktree).unwrap(), 0);
}

#[test]
fn a_worktree_is_removed_only_when_completely_merged() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    write_file(&worktree.path, "new.txt", "work\n");
    assert_eq!(fixture.run.remove_worktree_if_merged(&worktree).unwrap(), None, "not committed");
    git(&worktree.path, &["add", "."]);
    git(&worktree.path, &["commit", "--quiet", "-m", "work"]);
    assert_eq!(fixture.run.remove_worktree_if_merged(&worktree).unwrap(), None, "not merged");
    assert!(worktree.path.join("new.txt").exists());
    fixture.merge("T1");
    assert!(fixture.run.remove_worktree_if_merged(&worktree).unwrap().is_some_and(|bytes| bytes > 0));
    assert!(!worktree.path.exists());
    assert_eq!(fixture.run.tasks_with_worktrees(), []);
}
