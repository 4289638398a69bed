//! Room is given back by what can be made again, and never by work.

use std::fs;

use crate::stage::{Stage, git, write};

/// Makes a task's worktree with something of every kind in it.
fn littered(stage: &Stage) -> repo::TaskWorktree {
    let worktree = stage.create("T1");
    write(&worktree.path, ".gitignore", "target/\nnode_modules/\n.env\nclones/\n");
    write(&worktree.path, "target/debug/app", "x".repeat(100_000));
    write(&worktree.path, "web/node_modules/left/pad.js", "x".repeat(100_000));
    write(&worktree.path, ".env", "KEY=1\n");
    write(&worktree.path, "new.txt", "work\n");
    fs::create_dir_all(worktree.path.join("clones/lib")).unwrap();
    git(&worktree.path.join("clones/lib"), &["init", "--quiet"]);
    worktree
}

#[test]
fn folders_that_git_ignores_go_and_everything_else_stays() {
    let stage = Stage::new();
    let worktree = littered(&stage);
    let freed = stage.run.remove_ignored_folders(&worktree).unwrap();
    assert!(freed >= 200_000, "{freed}");
    let there = |name: &str| worktree.path.join(name).exists();
    assert!(!there("target") && !there("web/node_modules"));
    assert!(there(".env") && there("new.txt") && there(".gitignore") && there("clones/lib/.git"));
    assert_eq!(stage.run.remove_ignored_folders(&worktree).unwrap(), 0);
}

#[test]
fn a_worktree_goes_when_all_that_it_holds_is_merged_and_no_sooner() {
    let stage = Stage::new();
    let worktree = stage.create("T1");
    write(&worktree.path, "new.txt", "work\n");
    assert_eq!(stage.run.remove_worktree_if_merged(&worktree).unwrap(), None, "it is not committed");
    git(&worktree.path, &["add", "."]);
    git(&worktree.path, &["commit", "--quiet", "-m", "work"]);
    assert_eq!(stage.run.remove_worktree_if_merged(&worktree).unwrap(), None, "it is not merged");
    assert!(worktree.path.join("new.txt").exists());
    stage.merge("T1");
    assert!(stage.run.remove_worktree_if_merged(&worktree).unwrap().is_some_and(|bytes| bytes > 0));
    assert!(!worktree.path.exists());
    assert_eq!(stage.run.tasks_with_worktrees(), []);
}
