//! A keep-ref has everything that is in a worktree and not ignored, and nothing else.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::{Duration, UNIX_EPOCH},
};

use crate::stage::{Stage, git, id, link, names_in, write};

#[test]
fn everything_but_what_is_ignored_is_kept_and_index_and_head_stay() {
    let stage = Stage::with(|user| write(user, "gone", "x"));
    let worktree = stage.create("T1");
    write(&worktree.path, "file", "changed\n");
    write(&worktree.path, "staged", "staged\n");
    git(&worktree.path, &["add", "staged"]);
    write(&worktree.path, "new/deep", "new\n");
    write(&worktree.path, "script", "#!/bin/sh\n");
    fs::set_permissions(worktree.path.join("script"), fs::Permissions::from_mode(0o755)).unwrap();
    link(&worktree.path, "link", "nowhere/at all");
    write(&worktree.path, "build.log", "ignored\n");
    fs::remove_file(worktree.path.join("gone")).unwrap();

    let git_dir = stage.user().join(".git/worktrees/r1-T1");
    let before = (fs::read(git_dir.join("index")).unwrap(), fs::read(git_dir.join("HEAD")).unwrap());
    let status = git(&worktree.path, &["--no-optional-locks", "status", "--porcelain=v2", "-z"]);
    let kept = stage.run.snapshot_worktree(&worktree, "turn end", &[]).unwrap();
    assert_eq!(status, git(&worktree.path, &["--no-optional-locks", "status", "--porcelain=v2", "-z"]));
    let after = (fs::read(git_dir.join("index")).unwrap(), fs::read(git_dir.join("HEAD")).unwrap());
    assert!(before == after, "the worktree's index or HEAD changed");
    let left = fs::read_dir(&git_dir)
        .unwrap()
        .flatten()
        .filter(|e| e.file_name().to_string_lossy().contains("jangdan-index"));
    assert_eq!(left.count(), 0);

    assert_eq!(kept.reference, "refs/jangdan/keep/r1/T1/1");
    assert_eq!(names_in(&stage.user(), &kept.commit), ".gitignore\0file\0link\0new/deep\0script\0staged\0");
    let modes = git(&stage.user(), &["ls-tree", kept.commit.as_str(), "script", "link"]);
    assert!(modes.contains("100755") && modes.contains("120000"), "{modes}");
    assert_eq!(git(&stage.user(), &["log", "-1", "--format=%s", kept.commit.as_str()]), "keep: turn end");
}

#[test]
fn the_same_tree_is_kept_once() {
    let stage = Stage::new();
    let worktree = stage.create("T1");
    let first = stage.run.snapshot_worktree(&worktree, "one", &[]).unwrap();
    assert_eq!(stage.run.snapshot_worktree(&worktree, "two", &[]).unwrap(), first);
    write(&worktree.path, "file", "changed\n");
    let second = stage.run.snapshot_worktree(&worktree, "three", &[]).unwrap();
    assert_eq!(second.reference, "refs/jangdan/keep/r1/T1/2");
    // Ten come behind nine.
    for n in 3..=12 {
        write(&worktree.path, "file", format!("{n}\n"));
        assert_eq!(
            stage.run.snapshot_worktree(&worktree, "more", &[]).unwrap().reference,
            format!("refs/jangdan/keep/r1/T1/{n}")
        );
    }
    assert_eq!(stage.run.snapshots(&id("T1")).unwrap().len(), 12);
}

#[test]
fn two_that_keep_at_once_get_two_numbers() {
    let stage = Stage::new();
    let worktree = stage.create("T1");
    std::thread::scope(|scope| {
        for n in 0..4 {
            let (run, worktree) = (&stage.run, &worktree);
            write(&worktree.path, "file", format!("{n}\n"));
            scope.spawn(move || run.snapshot_worktree(worktree, "turn", &[]).unwrap());
        }
    });
    let last = stage.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    assert_eq!(git(&stage.user(), &["show", &format!("{}:file", last.commit)]), "3");
    let numbers: Vec<_> =
        stage.run.snapshots(&id("T1")).unwrap().into_iter().map(|kept| kept.reference).collect();
    let expected: Vec<_> = (1..=numbers.len()).map(|n| format!("refs/jangdan/keep/r1/T1/{n}")).collect();
    assert_eq!(numbers, expected);
}

#[test]
fn files_with_secrets_are_left_out_even_if_staged() {
    let stage = Stage::with(|user| write(user, "config", "key = none\n"));
    let worktree = stage.create("T1");
    write(&worktree.path, "config", "key = hunter2\n");
    write(&worktree.path, "key", "hunter2\n");
    write(&worktree.path, "staged-key", "hunter2\n");
    write(&worktree.path, "new", "fine\n");
    git(&worktree.path, &["add", "staged-key"]);
    let leave_out = ["config", "key", "staged-key"].map(PathBuf::from);
    let kept = stage.run.snapshot_worktree(&worktree, "turn", &leave_out).unwrap();
    assert_eq!(names_in(&stage.user(), &kept.commit), ".gitignore\0config\0file\0new\0");
    assert_eq!(git(&stage.user(), &["show", &format!("{}:config", kept.commit)]), "key = none");
}

#[test]
fn files_that_git_was_told_to_look_away_from_are_kept() {
    let stage = Stage::with(|user| write(user, "other", "x\n"));
    let worktree = stage.create("T1");
    git(&worktree.path, &["update-index", "--assume-unchanged", "file"]);
    git(&worktree.path, &["update-index", "--skip-worktree", "other"]);
    write(&worktree.path, "file", "changed\n");
    write(&worktree.path, "other", "changed\n");
    let kept = stage.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    for name in ["file", "other"] {
        assert_eq!(git(&stage.user(), &["show", &format!("{}:{name}", kept.commit)]), "changed");
    }
}

#[test]
fn a_change_in_the_moment_of_the_index_is_seen() {
    let stage = Stage::new();
    let worktree = stage.create("T1");
    // The same size and time as the index has for it, and the index no newer: git must look inside.
    git(&stage.user(), &["config", "core.checkStat", "minimal"]);
    git(&stage.user(), &["config", "core.trustctime", "false"]);
    let moment = UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    let set_time =
        |path: &Path| fs::File::options().write(true).open(path).unwrap().set_modified(moment).unwrap();
    write(&worktree.path, "file", "one\n");
    set_time(&worktree.path.join("file"));
    git(&worktree.path, &["add", "file"]);
    write(&worktree.path, "file", "two\n");
    set_time(&worktree.path.join("file"));
    set_time(&stage.user().join(".git/worktrees/r1-T1/index"));
    let kept = stage.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    assert_eq!(git(&stage.user(), &["show", &format!("{}:file", kept.commit)]), "two");
}

#[test]
fn files_and_folders_may_change_places() {
    let stage = Stage::with(|user| {
        write(user, "folder/a", "a");
        write(user, "folder/b", "b");
        write(user, "linked/a", "a");
        write(user, "plain", "x");
    });
    let worktree = stage.create("T1");
    for folder in ["folder", "linked"] {
        fs::remove_dir_all(worktree.path.join(folder)).unwrap();
    }
    fs::remove_file(worktree.path.join("plain")).unwrap();
    write(&worktree.path, "folder", "now a file");
    link(&worktree.path, "linked", "plain");
    write(&worktree.path, "plain/a", "now below it");
    let kept = stage.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    assert_eq!(names_in(&stage.user(), &kept.commit), ".gitignore\0file\0folder\0linked\0plain/a\0");
}

#[test]
fn a_large_file_and_a_merge_with_open_conflicts_are_kept() {
    let stage = Stage::new();
    let worktree = stage.task("T1", |path| write(path, "file", "task\n"));
    git(&stage.user(), &["checkout", "--quiet", "-b", "other"]);
    write(&stage.user(), "file", "other\n");
    git(&stage.user(), &["commit", "--quiet", "-am", "other"]);
    let merged = crate::stage::user_git(&worktree.path).args(["merge", "other"]).output().unwrap();
    assert!(!merged.status.success());
    write(&worktree.path, "large", vec![7; 10 << 20]);
    let kept = stage.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    assert!(git(&stage.user(), &["show", &format!("{}:file", kept.commit)]).contains("<<<<<<<"));
    assert_eq!(
        git(&stage.user(), &["cat-file", "-s", &format!("{}:large", kept.commit)]),
        (10 << 20).to_string()
    );
    let refused = stage.run.commit_work(&worktree, &crate::stage::work()).unwrap_err();
    assert!(
        matches!(&refused, repo::RepoError::UnresolvedConflicts { files, .. } if files == &[Path::new("file")]),
        "{refused}"
    );
    // Resolved and not committed, it becomes the merge that it was meant to be.
    write(&worktree.path, "file", "both\n");
    git(&worktree.path, &["add", "file"]);
    let commit = stage.run.commit_work(&worktree, &crate::stage::work()).unwrap();
    let parents = git(&stage.user(), &["log", "-1", "--format=%P", commit.as_str()]);
    assert_eq!(parents.split(' ').count(), 2);
    assert!(!git(&worktree.path, &["status"]).contains("merging"));
}
