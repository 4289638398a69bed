//! Every kind of conflict is reported with its files and their three sides.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use repo::{ConflictSide, MergeAttempt, TreeEntryKind};

use crate::fixture::{Fixture, create_link, git, write_file};

/// Merges two changes, and compares the conflicts: path, kind, and base, run and task side.
fn assert_merge_conflicts(
    base: impl FnOnce(&Path),
    run: impl FnOnce(&Path),
    task: impl FnOnce(&Path),
    expected: &[&str],
) {
    let fixture = Fixture::with_base_files(base);
    fixture.commit_task_work("T1", run);
    // Both start from the same commit: the second worktree is created before the first is merged.
    let second = fixture.create_worktree("T2");
    fixture.merge("T1");
    task(&second.path);
    fixture.run.commit_work(&second, &crate::fixture::commit_options()).unwrap();
    let tip = fixture.run.run_tip().unwrap();
    let MergeAttempt::Conflicted { conflicts, onto } = fixture.merge("T2") else { panic!("conflicts") };
    let lines: Vec<String> = conflicts
        .iter()
        .map(|conflict| {
            let sides =
                [&conflict.base, &conflict.run, &conflict.task].map(|side| side_kind_name(side.as_ref()));
            format!("{}: {}: {}", conflict.path.display(), conflict.kind, sides.join(" "))
        })
        .collect();
    assert_eq!(lines, expected);
    assert_eq!((onto, fixture.run.run_tip().unwrap()), (tip.clone(), tip));
}

fn side_kind_name(side: Option<&ConflictSide>) -> &'static str {
    match side.map(|side| side.kind) {
        None => "-",
        Some(TreeEntryKind::File) => "file",
        Some(TreeEntryKind::Executable) => "executable",
        Some(TreeEntryKind::Link) => "link",
        Some(TreeEntryKind::Submodule) => "submodule",
    }
}

#[test]
fn different_contents_conflict() {
    let change = |text: &'static str| move |path: &Path| write_file(path, "file", text);
    assert_merge_conflicts(|_| {}, change("run\n"), change("task\n"), &["file: contents: file file file"]);
}

#[test]
fn a_file_added_on_both_sides_conflicts() {
    let add = |text: &'static str| move |path: &Path| write_file(path, "new", text);
    assert_merge_conflicts(|_| {}, add("run\n"), add("task\n"), &["new: contents: - file file"]);
}

#[test]
fn deletion_conflicts_with_modification() {
    let delete = |path: &Path| fs::remove_file(path.join("file")).unwrap();
    let modify = |path: &Path| write_file(path, "file", "changed\n");
    assert_merge_conflicts(|_| {}, delete, modify, &["file: modify/delete: file - file"]);
    assert_merge_conflicts(|_| {}, modify, delete, &["file: modify/delete: file file -"]);
}

#[test]
fn two_renames_of_a_file_conflict() {
    let rename =
        |name: &'static str| move |path: &Path| fs::rename(path.join("file"), path.join(name)).unwrap();
    let expected =
        ["file: rename/rename: file - -", "run: rename/rename: - file -", "task: rename/rename: - - file"];
    assert_merge_conflicts(|_| {}, rename("run"), rename("task"), &expected);
}

#[test]
fn different_file_modes_conflict() {
    let as_script = |text: &'static str| {
        move |path: &Path| {
            write_file(path, "script", text);
            fs::set_permissions(path.join("script"), fs::Permissions::from_mode(0o755)).unwrap();
        }
    };
    let as_file = |path: &Path| write_file(path, "script", "same\n");
    assert_merge_conflicts(|_| {}, as_script("same\n"), as_file, &["script: contents: - executable file"]);
}

#[test]
fn different_link_targets_conflict() {
    let to = |target: &'static str| move |path: &Path| create_link(path, "link", target);
    assert_merge_conflicts(to("base"), to("run"), to("task"), &["link: contents: link link link"]);
}

#[test]
fn different_binary_contents_conflict() {
    let bytes = |last: u8| move |path: &Path| write_file(path, "binary", [0, 1, 2, 0, last]);
    assert_merge_conflicts(bytes(0), bytes(1), bytes(2), &["binary: binary: file file file"]);
}

#[test]
fn a_file_conflicts_with_a_folder() {
    let file = |path: &Path| write_file(path, "place", "file\n");
    let folder = |path: &Path| write_file(path, "place/inside", "x\n");
    let fixture = Fixture::new();
    fixture.commit_task_work("T1", folder);
    let second = fixture.create_worktree("T2");
    fixture.merge("T1");
    file(&second.path);
    fixture.run.commit_work(&second, &crate::fixture::commit_options()).unwrap();
    let MergeAttempt::Conflicted { conflicts, .. } = fixture.merge("T2") else { panic!("conflicts") };
    assert_eq!(conflicts.len(), 1);
    assert_eq!(conflicts[0].kind, "file/directory");
    assert!(conflicts[0].path.to_string_lossy().starts_with("place~"));
    assert_eq!(side_kind_name(conflicts[0].task.as_ref()), "file");
    assert_eq!(git(&fixture.user_folder(), &["status", "--porcelain"]), "");
}
