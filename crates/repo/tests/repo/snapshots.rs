//! A snapshot contains everything in a worktree that is not ignored, and nothing else.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::{Duration, UNIX_EPOCH},
};

use crate::fixture::{Fixture, create_link, file_names_in_commit, git, task_id, write_file};

#[test]
fn a_snapshot_has_all_files_except_ignored_ones_and_changes_neither_index_nor_head() {
    let fixture = Fixture::with_base_files(|user| write_file(user, "gone", "x"));
    let worktree = fixture.create_worktree("T1");
    write_file(&worktree.path, "file", "changed\n");
    write_file(&worktree.path, "staged", "staged\n");
    git(&worktree.path, &["add", "staged"]);
    write_file(&worktree.path, "new/deep", "new\n");
    write_file(&worktree.path, "script", "#!/bin/sh\n");
    fs::set_permissions(worktree.path.join("script"), fs::Permissions::from_mode(0o755)).unwrap();
    create_link(&worktree.path, "link", "nowhere/at all");
    write_file(&worktree.path, "build.log", "ignored\n");
    fs::remove_file(worktree.path.join("gone")).unwrap();

    let git_dir = fixture.user_folder().join(".git/worktrees/r1-T1");
    let before = (fs::read(git_dir.join("index")).unwrap(), fs::read(git_dir.join("HEAD")).unwrap());
    let status = git(&worktree.path, &["--no-optional-locks", "status", "--porcelain=v2", "-z"]);
    let snapshot = fixture.run.snapshot_worktree(&worktree, "turn end", &[]).unwrap();
    assert_eq!(status, git(&worktree.path, &["--no-optional-locks", "status", "--porcelain=v2", "-z"]));
    let after = (fs::read(git_dir.join("index")).unwrap(), fs::read(git_dir.join("HEAD")).unwrap());
    assert!(before == after, "the worktree's index or HEAD changed");
    let left = fs::read_dir(&git_dir)
        .unwrap()
        .flatten()
        .filter(|e| e.file_name().to_string_lossy().contains("jangdan-index"));
    assert_eq!(left.count(), 0);

    assert_eq!(snapshot.reference, "refs/jangdan/keep/r1/T1/1");
    assert_eq!(
        file_names_in_commit(&fixture.user_folder(), &snapshot.commit),
        ".gitignore\0file\0link\0new/deep\0script\0staged\0"
    );
    let modes = git(&fixture.user_folder(), &["ls-tree", snapshot.commit.as_str(), "script", "link"]);
    assert!(modes.contains("100755") && modes.contains("120000"), "{modes}");
    assert_eq!(
        git(&fixture.user_folder(), &["log", "-1", "--format=%s", snapshot.commit.as_str()]),
        "keep: turn end"
    );
}

#[test]
fn the_same_tree_is_stored_once() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    let first = fixture.run.snapshot_worktree(&worktree, "one", &[]).unwrap();
    assert_eq!(fixture.run.snapshot_worktree(&worktree, "two", &[]).unwrap(), first);
    write_file(&worktree.path, "file", "changed\n");
    let second = fixture.run.snapshot_worktree(&worktree, "three", &[]).unwrap();
    assert_eq!(second.reference, "refs/jangdan/keep/r1/T1/2");
    // Numbers sort numerically.
    for n in 3..=12 {
        write_file(&worktree.path, "file", format!("{n}\n"));
        assert_eq!(
            fixture.run.snapshot_worktree(&worktree, "more", &[]).unwrap().reference,
            format!("refs/jangdan/keep/r1/T1/{n}")
        );
    }
    assert_eq!(fixture.run.task_snapshots(&task_id("T1")).unwrap().len(), 12);
}

#[test]
fn concurrent_snapshots_get_different_numbers() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    std::thread::scope(|scope| {
        for n in 0..4 {
            let (run, worktree) = (&fixture.run, &worktree);
            write_file(&worktree.path, "file", format!("{n}\n"));
            scope.spawn(move || run.snapshot_worktree(worktree, "turn", &[]).unwrap());
        }
    });
    let last = fixture.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    assert_eq!(git(&fixture.user_folder(), &["show", &format!("{}:file", last.commit)]), "3");
    let numbers: Vec<_> = fixture
        .run
        .task_snapshots(&task_id("T1"))
        .unwrap()
        .into_iter()
        .map(|snapshot| snapshot.reference)
        .collect();
    let expected: Vec<_> = (1..=numbers.len()).map(|n| format!("refs/jangdan/keep/r1/T1/{n}")).collect();
    assert_eq!(numbers, expected);
}

#[test]
fn excluded_files_are_not_stored_even_if_staged() {
    let fixture = Fixture::with_base_files(|user| write_file(user, "config", "key = none\n"));
    let worktree = fixture.create_worktree("T1");
    write_file(&worktree.path, "config", "key = hunter2\n");
    write_file(&worktree.path, "key", "hunter2\n");
    write_file(&worktree.path, "staged-key", "hunter2\n");
    write_file(&worktree.path, "new", "fine\n");
    git(&worktree.path, &["add", "staged-key"]);
    let leave_out = ["config", "key", "staged-key"].map(PathBuf::from);
    let snapshot = fixture.run.snapshot_worktree(&worktree, "turn", &leave_out).unwrap();
    assert_eq!(
        file_names_in_commit(&fixture.user_folder(), &snapshot.commit),
        ".gitignore\0config\0file\0new\0"
    );
    assert_eq!(git(&fixture.user_folder(), &["show", &format!("{}:config", snapshot.commit)]), "key = none");
}

#[test]
fn files_hidden_from_git_status_are_stored() {
    let fixture = Fixture::with_base_files(|user| write_file(user, "other", "x\n"));
    let worktree = fixture.create_worktree("T1");
    git(&worktree.path, &["update-index", "--assume-unchanged", "file"]);
    git(&worktree.path, &["update-index", "--skip-worktree", "other"]);
    write_file(&worktree.path, "file", "changed\n");
    write_file(&worktree.path, "other", "changed\n");
    let snapshot = fixture.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    for name in ["file", "other"] {
        assert_eq!(git(&fixture.user_folder(), &["show", &format!("{}:{name}", snapshot.commit)]), "changed");
    }
}

#[test]
fn a_change_in_the_same_instant_as_the_index_is_detected() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    // Same size and time as in the index, and the index is not newer: git must compare the content.
    git(&fixture.user_folder(), &["config", "core.checkStat", "minimal"]);
    git(&fixture.user_folder(), &["config", "core.trustctime", "false"]);
    let moment = UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    let set_time =
        |path: &Path| fs::File::options().write(true).open(path).unwrap().set_modified(moment).unwrap();
    write_file(&worktree.path, "file", "one\n");
    set_time(&worktree.path.join("file"));
    git(&worktree.path, &["add", "file"]);
    write_file(&worktree.path, "file", "two\n");
    set_time(&worktree.path.join("file"));
    set_time(&fixture.user_folder().join(".git/worktrees/r1-T1/index"));
    let snapshot = fixture.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    assert_eq!(git(&fixture.user_folder(), &["show", &format!("{}:file", snapshot.commit)]), "two");
}

#[test]
fn a_file_may_replace_a_folder_and_vice_versa() {
    let fixture = Fixture::with_base_files(|user| {
        write_file(user, "folder/a", "a");
        write_file(user, "folder/b", "b");
        write_file(user, "linked/a", "a");
        write_file(user, "plain", "x");
    });
    let worktree = fixture.create_worktree("T1");
    for folder in ["folder", "linked"] {
        fs::remove_dir_all(worktree.path.join(folder)).unwrap();
    }
    fs::remove_file(worktree.path.join("plain")).unwrap();
    write_file(&worktree.path, "folder", "now a file");
    create_link(&worktree.path, "linked", "plain");
    write_file(&worktree.path, "plain/a", "now below it");
    let snapshot = fixture.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    assert_eq!(
        file_names_in_commit(&fixture.user_folder(), &snapshot.commit),
        ".gitignore\0file\0folder\0linked\0plain/a\0"
    );
}

#[test]
fn large_files_and_unresolved_conflicts_are_stored() {
    let fixture = Fixture::new();
    let worktree = fixture.commit_task_work("T1", |path| write_file(path, "file", "task\n"));
    git(&fixture.user_folder(), &["checkout", "--quiet", "-b", "other"]);
    write_file(&fixture.user_folder(), "file", "other\n");
    git(&fixture.user_folder(), &["commit", "--quiet", "-am", "other"]);
    let merged = crate::fixture::user_git_command(&worktree.path).args(["merge", "other"]).output().unwrap();
    assert!(!merged.status.success());
    write_file(&worktree.path, "large", vec![7; 10 << 20]);
    let snapshot = fixture.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    assert!(git(&fixture.user_folder(), &["show", &format!("{}:file", snapshot.commit)]).contains("<<<<<<<"));
    assert_eq!(
        git(&fixture.user_folder(), &["cat-file", "-s", &format!("{}:large", snapshot.commit)]),
        (10 << 20).to_string()
    );
    let refused = fixture.run.commit_work(&worktree, &crate::fixture::commit_options()).unwrap_err();
    assert!(
        matches!(&refused, repo::RepoError::UnresolvedConflicts { files, .. } if files == &[Path::new("file")]),
        "{refused}"
    );
    // Resolved but not committed, it becomes a merge commit.
    write_file(&worktree.path, "file", "both\n");
    git(&worktree.path, &["add", "file"]);
    let commit = fixture.run.commit_work(&worktree, &crate::fixture::commit_options()).unwrap();
    let parents = git(&fixture.user_folder(), &["log", "-1", "--format=%P", commit.as_str()]);
    assert_eq!(parents.split(' ').count(), 2);
    assert!(!git(&worktree.path, &["status"]).contains("merging"));
}
