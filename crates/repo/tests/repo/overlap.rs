//! Files changed in two active worktrees are reported before they conflict.

use std::{fs, path::Path};

use crate::fixture::{Fixture, git, id, write};

#[test]
fn committed_uncommitted_new_and_deleted_files_overlap() {
    let fixture = Fixture::with(|user| {
        write(user, "a", "a\n");
        write(user, "b", "b\n");
    });
    let first = fixture.create("T1");
    let second = fixture.create("T2");
    let third = fixture.create("T10");
    write(&first.path, "a", "first\n");
    git(&first.path, &["commit", "--quiet", "-am", "a"]);
    write(&first.path, "new", "first\n");
    write(&first.path, "x.log", "ignored\n");
    fs::remove_file(first.path.join("b")).unwrap();
    write(&second.path, "new", "second\n");
    write(&second.path, "x.log", "ignored\n");
    write(&second.path, "a", "second\n");
    write(&third.path, "b", "third\n");
    let overlaps = fixture.run.find_overlaps(&[third, second, first]).unwrap();
    let pairs: Vec<_> =
        overlaps.iter().map(|overlap| (overlap.tasks.clone(), overlap.files.clone())).collect();
    let files = |names: &[&str]| names.iter().map(|name| Path::new(name).to_owned()).collect::<Vec<_>>();
    let expected = [(["T1", "T2"].map(id), files(&["a", "new"])), (["T1", "T10"].map(id), files(&["b"]))];
    assert_eq!(pairs, expected);
}

#[test]
fn merges_of_other_tasks_are_not_changes_of_a_task() {
    let fixture = Fixture::new();
    let late = fixture.create("T2");
    fixture.task("T1", |path| write(path, "file", "merged\n"));
    fixture.merge("T1");
    assert!(fixture.run.changed_files(&late).unwrap().is_empty());
}
