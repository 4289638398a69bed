//! Files that two live worktrees changed are named before they conflict.

use std::{fs, path::Path};

use crate::stage::{Stage, git, id, write};

#[test]
fn committed_uncommitted_new_and_deleted_files_overlap() {
    let stage = Stage::with(|user| {
        write(user, "a", "a\n");
        write(user, "b", "b\n");
    });
    let first = stage.create("T1");
    let second = stage.create("T2");
    let third = stage.create("T10");
    write(&first.path, "a", "first\n");
    git(&first.path, &["commit", "--quiet", "-am", "a"]);
    write(&first.path, "new", "first\n");
    write(&first.path, "x.log", "ignored\n");
    fs::remove_file(first.path.join("b")).unwrap();
    write(&second.path, "new", "second\n");
    write(&second.path, "x.log", "ignored\n");
    write(&second.path, "a", "second\n");
    write(&third.path, "b", "third\n");
    let overlaps = stage.run.find_overlaps(&[third, second, first]).unwrap();
    let pairs: Vec<_> =
        overlaps.iter().map(|overlap| (overlap.tasks.clone(), overlap.files.clone())).collect();
    let files = |names: &[&str]| names.iter().map(|name| Path::new(name).to_owned()).collect::<Vec<_>>();
    let expected = [(["T1", "T2"].map(id), files(&["a", "new"])), (["T1", "T10"].map(id), files(&["b"]))];
    assert_eq!(pairs, expected);
}

#[test]
fn what_others_merged_is_not_a_tasks_change() {
    let stage = Stage::new();
    let late = stage.create("T2");
    stage.task("T1", |path| write(path, "file", "merged\n"));
    stage.merge("T1");
    assert!(stage.run.changed_files(&late).unwrap().is_empty());
}
