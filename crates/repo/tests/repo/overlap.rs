//! Files changed in two active worktrees are reported before they conflict.

use std::{fs, path::Path};

use crate::fixture::{Fixture, find_overlaps, git, task_id, write_file};

#[test]
fn committed_uncommitted_new_and_deleted_files_overlap() {
    let fixture = Fixture::with_base_files(|user| {
        write_file(user, "a", "a\n");
        write_file(user, "b", "b\n");
    });
    let first = fixture.create_worktree("T1");
    let second = fixture.create_worktree("T2");
    let third = fixture.create_worktree("T10");
    write_file(&first.path, "a", "first\n");
    git(&first.path, &["commit", "--quiet", "-am", "a"]);
    write_file(&first.path, "new", "first\n");
    write_file(&first.path, "x.log", "ignored\n");
    fs::remove_file(first.path.join("b")).unwrap();
    write_file(&second.path, "new", "second\n");
    write_file(&second.path, "x.log", "ignored\n");
    write_file(&second.path, "a", "second\n");
    write_file(&third.path, "b", "third\n");
    let overlaps = find_overlaps(&fixture.run, &[third, second, first]);
    let pairs: Vec<_> =
        overlaps.iter().map(|overlap| (overlap.tasks.clone(), overlap.files.clone())).collect();
    let files = |names: &[&str]| names.iter().map(|name| Path::new(name).to_owned()).collect::<Vec<_>>();
    let expected =
        [(["T1", "T2"].map(task_id), files(&["a", "new"])), (["T1", "T10"].map(task_id), files(&["b"]))];
    assert_eq!(pairs, expected);
}

#[test]
fn merges_of_other_tasks_are_not_changes_of_a_task() {
    let fixture = Fixture::new();
    let late = fixture.create_worktree("T2");
    fixture.commit_task_work("T1", |path| write_file(path, "file", "merged\n"));
    fixture.merge("T1");
    assert!(fixture.run.changed_files(&late).unwrap().is_empty());
}
