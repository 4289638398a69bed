//! File names that break tools which split at lines, spaces or quotes.

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt, path::PathBuf};

use repo::MergeAttempt;

use crate::fixture::{Fixture, find_overlaps, git, task_id, write_file};

const UNUSUAL: [&[u8]; 10] = [
    b"new\nline",
    b"-dash",
    b"--force",
    b"\"quoted\" 'names'",
    b"not utf-8 \xff\xfe",
    b"  spaces ",
    b":(glob)**",
    b"tab\tand\\back",
    b"$(touch pwned)",
    "한글/이름".as_bytes(),
];

fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

#[test]
fn unusual_names_survive_snapshot_restore_merge_and_overlap() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    for name in UNUSUAL {
        write_file(&worktree.path, path_from_bytes(name), "one\n");
    }
    let snapshot = fixture.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    for name in UNUSUAL {
        fs::remove_file(worktree.path.join(path_from_bytes(name))).unwrap();
    }
    fixture.run.restore_worktree(&worktree, &snapshot.commit, &[]).unwrap();
    for name in UNUSUAL {
        assert_eq!(fs::read_to_string(worktree.path.join(path_from_bytes(name))).unwrap(), "one\n");
    }
    let changed = fixture.run.changed_files(&worktree).unwrap();
    assert_eq!(changed, UNUSUAL.iter().map(|name| path_from_bytes(name)).collect());

    let other = fixture.commit_task_work("T2", |folder| {
        UNUSUAL.iter().for_each(|name| write_file(folder, path_from_bytes(name), "two\n"))
    });
    fixture.run.commit_work(&worktree, &crate::fixture::commit_options()).unwrap();
    assert!(matches!(fixture.merge("T1"), MergeAttempt::Merged { .. }));
    let MergeAttempt::Conflicted { conflicts, .. } = fixture.merge("T2") else { panic!("conflicts") };
    let mut files: Vec<_> = UNUSUAL.iter().map(|name| path_from_bytes(name)).collect();
    files.sort();
    assert_eq!(conflicts.iter().map(|conflict| conflict.path.clone()).collect::<Vec<_>>(), files);
    let overlaps = find_overlaps(&fixture.run, &[worktree, other]);
    assert_eq!(overlaps.iter().map(|overlap| overlap.files.len()).sum::<usize>(), 0, "T1 is merged");
}

#[test]
fn unusual_names_can_be_excluded() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    for name in UNUSUAL {
        write_file(&worktree.path, path_from_bytes(name), "secret\n");
    }
    git(&worktree.path, &["add", "-A"]);
    let leave_out: Vec<PathBuf> = UNUSUAL.iter().map(|name| path_from_bytes(name)).collect();
    let snapshot = fixture.run.snapshot_worktree(&worktree, "turn", &leave_out).unwrap();
    assert_eq!(
        crate::fixture::file_names_in_commit(&fixture.user_folder(), &snapshot.commit),
        ".gitignore\0file\0"
    );
    assert_eq!(fixture.run.task_snapshots(&task_id("T1")).unwrap().len(), 1);
}
