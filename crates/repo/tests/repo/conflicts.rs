//! Every kind of conflict is reported with its files and their three sides.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use repo::{ConflictSide, MergeAttempt, TreeEntryKind};

use crate::fixture::{Fixture, git, link, write};

/// Merges two changes, and compares the conflicts: path, kind, and base, run and task side.
fn check(base: impl FnOnce(&Path), run: impl FnOnce(&Path), task: impl FnOnce(&Path), expected: &[&str]) {
    let fixture = Fixture::with(base);
    fixture.task("T1", run);
    // Both start from the same commit: the second worktree is created before the first is merged.
    let second = fixture.create("T2");
    fixture.merge("T1");
    task(&second.path);
    fixture.run.commit_work(&second, &crate::fixture::work()).unwrap();
    let tip = fixture.run.run_tip().unwrap();
    let MergeAttempt::Conflicted { conflicts, onto } = fixture.merge("T2") else { panic!("conflicts") };
    let lines: Vec<String> = conflicts
        .iter()
        .map(|conflict| {
            let sides = [&conflict.base, &conflict.run, &conflict.task].map(|side| show(side.as_ref()));
            format!("{}: {}: {}", conflict.path.display(), conflict.kind, sides.join(" "))
        })
        .collect();
    assert_eq!(lines, expected);
    assert_eq!((onto, fixture.run.run_tip().unwrap()), (tip.clone(), tip));
}

fn show(side: Option<&ConflictSide>) -> &'static str {
    match side.map(|side| side.kind) {
        None => "-",
        Some(TreeEntryKind::File) => "file",
        Some(TreeEntryKind::Executable) => "executable",
        Some(TreeEntryKind::Link) => "link",
        Some(TreeEntryKind::Submodule) => "submodule",
    }
}

#[test]
fn conflicting_content() {
    let change = |text: &'static str| move |path: &Path| write(path, "file", text);
    check(|_| {}, change("run\n"), change("task\n"), &["file: contents: file file file"]);
}

#[test]
fn both_added() {
    let add = |text: &'static str| move |path: &Path| write(path, "new", text);
    check(|_| {}, add("run\n"), add("task\n"), &["new: contents: - file file"]);
}

#[test]
fn deleted_and_modified() {
    let delete = |path: &Path| fs::remove_file(path.join("file")).unwrap();
    let modify = |path: &Path| write(path, "file", "changed\n");
    check(|_| {}, delete, modify, &["file: modify/delete: file - file"]);
    check(|_| {}, modify, delete, &["file: modify/delete: file file -"]);
}

#[test]
fn renamed_to_two_names() {
    let rename =
        |name: &'static str| move |path: &Path| fs::rename(path.join("file"), path.join(name)).unwrap();
    let expected =
        ["file: rename/rename: file - -", "run: rename/rename: - file -", "task: rename/rename: - - file"];
    check(|_| {}, rename("run"), rename("task"), &expected);
}

#[test]
fn conflicting_modes() {
    let as_script = |text: &'static str| {
        move |path: &Path| {
            write(path, "script", text);
            fs::set_permissions(path.join("script"), fs::Permissions::from_mode(0o755)).unwrap();
        }
    };
    let as_file = |path: &Path| write(path, "script", "same\n");
    check(|_| {}, as_script("same\n"), as_file, &["script: contents: - executable file"]);
}

#[test]
fn conflicting_links() {
    let to = |target: &'static str| move |path: &Path| link(path, "link", target);
    check(to("base"), to("run"), to("task"), &["link: contents: link link link"]);
}

#[test]
fn conflicting_binary_files() {
    let bytes = |last: u8| move |path: &Path| write(path, "binary", [0, 1, 2, 0, last]);
    check(bytes(0), bytes(1), bytes(2), &["binary: binary: file file file"]);
}

#[test]
fn a_file_conflicts_with_a_folder() {
    let file = |path: &Path| write(path, "place", "file\n");
    let folder = |path: &Path| write(path, "place/inside", "x\n");
    let fixture = Fixture::new();
    fixture.task("T1", folder);
    let second = fixture.create("T2");
    fixture.merge("T1");
    file(&second.path);
    fixture.run.commit_work(&second, &crate::fixture::work()).unwrap();
    let MergeAttempt::Conflicted { conflicts, .. } = fixture.merge("T2") else { panic!("conflicts") };
    assert_eq!(conflicts.len(), 1);
    assert_eq!(conflicts[0].kind, "file/directory");
    assert!(conflicts[0].path.to_string_lossy().starts_with("place~"));
    assert_eq!(show(conflicts[0].task.as_ref()), "file");
    assert_eq!(git(&fixture.user(), &["status", "--porcelain"]), "");
}
