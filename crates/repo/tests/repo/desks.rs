//! Whoever works at no task has a worktree too, and leaves nothing behind but what they wrote.

use std::fs;

use crate::stage::{Stage, git, run_in, write};

/// Returns what git lists of the run's worktrees, and the refs that keep something of desks.
fn left(stage: &Stage) -> (usize, Vec<String>) {
    let listed = git(&stage.user(), &["worktree", "list", "--porcelain"]);
    let kept = git(&stage.user(), &["for-each-ref", "--format=%(refname)", "refs/jangdan/keep/r1/desk-*/*"]);
    (listed.matches("worktree ").count() - 1, kept.lines().map(str::to_owned).collect())
}

#[test]
fn a_desk_where_nothing_was_written_goes_without_a_trace() {
    let stage = Stage::new();
    let desk = stage.run.create_session_worktree("s_1", &stage.run.run_tip().unwrap()).unwrap();
    write(&desk.path, "build.log", "what git ignores\n");
    stage.create("T1");
    assert_eq!(stage.run.session_worktrees(), ["s_1"]);
    stage.run.remove_session_worktree("s_1").unwrap();
    stage.run.remove_session_worktree("s_1").unwrap();
    assert!(!desk.path.exists());
    assert_eq!(stage.run.session_worktrees(), [""; 0]);
    assert_eq!(left(&stage), (1, vec![]), "the task's is there");
}

#[test]
fn what_somebody_wrote_at_a_desk_is_kept_before_it_goes() {
    let stage = Stage::new();
    let desk = stage.run.create_session_worktree("s_2", &stage.run.run_tip().unwrap()).unwrap();
    write(&desk.path, "committed", "x");
    git(&desk.path, &["add", "committed"]);
    git(&desk.path, &["commit", "--quiet", "-m", "on no branch"]);
    let commit = git(&desk.path, &["rev-parse", "HEAD"]);
    write(&desk.path, "notes", "not committed\n");
    stage.run.remove_session_worktree("s_2").unwrap();
    assert_eq!(left(&stage), (0, vec!["refs/jangdan/keep/r1/desk-s_2/1".to_owned()]));
    let kept = git(&stage.user(), &["show", "refs/jangdan/keep/r1/desk-s_2/1:notes"]);
    assert_eq!(kept, "not committed");
    assert_eq!(git(&stage.user(), &["rev-parse", "refs/jangdan/keep/r1/desk-s_2/1^"]), commit);
}

#[test]
fn a_commit_alone_is_kept_too() {
    let stage = Stage::new();
    let desk = stage.run.create_session_worktree("s_2", &stage.run.run_tip().unwrap()).unwrap();
    write(&desk.path, "committed", "x");
    git(&desk.path, &["add", "committed"]);
    git(&desk.path, &["commit", "--quiet", "-m", "on no branch"]);
    let commit = git(&desk.path, &["rev-parse", "HEAD"]);
    stage.run.remove_session_worktree("s_2").unwrap();
    let kept = git(&stage.user(), &["rev-parse", "refs/jangdan/keep/r1/desk-s_2/1"]);
    assert_eq!(kept, commit);
}

#[test]
fn a_repository_that_somebody_made_at_a_desk_stays_with_it() {
    let stage = Stage::new();
    let desk = stage.run.create_session_worktree("s_3", &stage.run.run_tip().unwrap()).unwrap();
    let inner = desk.path.join("inner");
    fs::create_dir(&inner).unwrap();
    git(&inner, &["init", "--quiet"]);
    write(&inner, "file", "x");
    let refused = stage.run.remove_session_worktree("s_3").unwrap_err().to_string();
    assert!(refused.contains("inner"), "{refused}");
    assert!(inner.join("file").exists());
}

#[test]
fn what_a_crash_left_of_a_desk_is_found_and_goes() {
    let stage = Stage::new();
    let desk = stage.run.create_session_worktree("s_4", &stage.run.run_tip().unwrap()).unwrap();
    fs::remove_dir_all(&desk.path).unwrap();
    let run = run_in(stage.folder.path());
    assert_eq!(run.session_worktrees(), ["s_4"]);
    run.remove_session_worktree("s_4").unwrap();
    assert_eq!(run.session_worktrees(), [""; 0]);
    assert_eq!(left(&stage), (0, vec![]));
}
