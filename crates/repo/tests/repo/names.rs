//! Names that break tools which part by lines, spaces or quotes.

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt, path::PathBuf};

use repo::MergeAttempt;

use crate::stage::{Stage, git, id, write};

const HOSTILE: [&[u8]; 10] = [
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

fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

#[test]
fn hostile_names_are_kept_restored_merged_and_compared() {
    let stage = Stage::new();
    let worktree = stage.create("T1");
    for name in HOSTILE {
        write(&worktree.path, path(name), "one\n");
    }
    let kept = stage.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    for name in HOSTILE {
        fs::remove_file(worktree.path.join(path(name))).unwrap();
    }
    stage.run.restore_worktree(&worktree, &kept.commit, &[]).unwrap();
    for name in HOSTILE {
        assert_eq!(fs::read_to_string(worktree.path.join(path(name))).unwrap(), "one\n");
    }
    let changed = stage.run.changed_files(&worktree).unwrap();
    assert_eq!(changed, HOSTILE.iter().map(|name| path(name)).collect());

    let other = stage.task("T2", |folder| HOSTILE.iter().for_each(|name| write(folder, path(name), "two\n")));
    stage.run.commit_work(&worktree, &crate::stage::work()).unwrap();
    assert!(matches!(stage.merge("T1"), MergeAttempt::Merged { .. }));
    let MergeAttempt::Conflicted { conflicts, .. } = stage.merge("T2") else { panic!("conflicts") };
    let mut files: Vec<_> = HOSTILE.iter().map(|name| path(name)).collect();
    files.sort();
    assert_eq!(conflicts.iter().map(|conflict| conflict.path.clone()).collect::<Vec<_>>(), files);
    let overlaps = stage.run.find_overlaps(&[worktree, other]).unwrap();
    assert_eq!(overlaps.iter().map(|overlap| overlap.files.len()).sum::<usize>(), 0, "T1 is merged");
}

#[test]
fn hostile_names_can_be_left_out() {
    let stage = Stage::new();
    let worktree = stage.create("T1");
    for name in HOSTILE {
        write(&worktree.path, path(name), "secret\n");
    }
    git(&worktree.path, &["add", "-A"]);
    let leave_out: Vec<PathBuf> = HOSTILE.iter().map(|name| path(name)).collect();
    let kept = stage.run.snapshot_worktree(&worktree, "turn", &leave_out).unwrap();
    assert_eq!(crate::stage::names_in(&stage.user(), &kept.commit), ".gitignore\0file\0");
    assert_eq!(stage.run.snapshots(&id("T1")).unwrap().len(), 1);
}
