//! Restoring a checkpoint reproduces it exactly, and loses no current work.

use std::{collections::BTreeMap, fs, os::unix::fs::PermissionsExt, path::Path};

use proptest::{
    prelude::{Just, ProptestConfig, Strategy, any, prop, prop_assert_eq, prop_oneof},
    test_runner::TestRunner,
};

use crate::fixture::{Fixture, create_link, git, task_id, write_file};

#[test]
fn restoring_a_snapshot_brings_back_uncommitted_work() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    write_file(&worktree.path, "file", "checkpoint\n");
    write_file(&worktree.path, "new", "checkpoint\n");
    write_file(&worktree.path, "build.log", "ignored\n");
    let head = git(&worktree.path, &["rev-parse", "HEAD"]);
    let checkpoint = fixture.run.snapshot_worktree(&worktree, "checkpoint", &[]).unwrap();

    git(&worktree.path, &["checkout", "--quiet", "-b", "elsewhere"]);
    git(&worktree.path, &["add", "-A"]);
    git(&worktree.path, &["commit", "--quiet", "-m", "later"]);
    write_file(&worktree.path, "later", "later\n");
    fs::remove_file(worktree.path.join("new")).unwrap();

    let now = fixture.run.restore_worktree(&worktree, &checkpoint.commit, &[]).unwrap();
    assert_eq!(git(&worktree.path, &["symbolic-ref", "HEAD"]), "refs/heads/jangdan/r1/T1");
    assert_eq!(git(&worktree.path, &["rev-parse", "HEAD"]), head);
    assert_eq!(git(&worktree.path, &["status", "--porcelain"]), " M file\n?? new");
    assert!(!worktree.path.join("later").exists() && worktree.path.join("build.log").exists());
    assert_eq!(fixture.run.snapshot_worktree(&worktree, "again", &[]).unwrap(), checkpoint);
    // Restore the later state again.
    fixture.run.restore_worktree(&worktree, &now.commit, &[]).unwrap();
    assert!(worktree.path.join("later").exists() && !worktree.path.join("new").exists());
}

#[test]
fn restoring_a_plain_commit_is_clean_even_during_a_rebase() {
    let fixture = Fixture::new();
    let worktree = fixture.commit_task_work("T1", |path| write_file(path, "file", "task\n"));
    git(&fixture.user_folder(), &["checkout", "--quiet", "-b", "other"]);
    write_file(&fixture.user_folder(), "file", "other\n");
    git(&fixture.user_folder(), &["commit", "--quiet", "-am", "other"]);
    let rebase = crate::fixture::user_git_command(&worktree.path).args(["rebase", "other"]).output().unwrap();
    assert!(!rebase.status.success());
    let base = fixture.run.run_tip().unwrap();
    fixture.run.restore_worktree(&worktree, &base, &[]).unwrap();
    assert_eq!(git(&worktree.path, &["rev-parse", "HEAD"]), base.as_str());
    let status = git(&worktree.path, &["status"]);
    assert!(status.contains("nothing to commit") && !status.contains("rebas"), "{status}");
    // The task's commit is preserved although its branch moved.
    let snapshot = git(&fixture.user_folder(), &["log", "--glob=refs/jangdan/keep", "--format=%s"]);
    assert!(snapshot.contains("what the agent left"), "{snapshot}");
    assert!(!fixture.run.task_snapshots(&task_id("T1")).unwrap().is_empty());
}

#[derive(Debug, Clone)]
enum TreeEntry {
    File { content: Vec<u8>, is_executable: bool },
    Link { target: String },
}

/// Folders and files share names, so that one replaces the other.
fn file_tree_strategy() -> impl Strategy<Value = BTreeMap<String, TreeEntry>> {
    let name = prop::sample::select(vec!["a", "b", "-c", "d e", "\n", "\"q\"", "ü", "*"]);
    let path = prop::collection::vec(name, 1..3).prop_map(|parts| parts.join("/"));
    let entry = prop_oneof![
        (prop::collection::vec(any::<u8>(), 0..20), any::<bool>())
            .prop_map(|(content, is_executable)| TreeEntry::File { content, is_executable }),
        Just(TreeEntry::Link { target: "a".to_owned() }),
    ];
    prop::collection::btree_map(path, entry, 0..6)
}

fn replace_files(folder: &Path, tree: &BTreeMap<String, TreeEntry>) {
    for entry in fs::read_dir(folder).unwrap().flatten().filter(|entry| entry.file_name() != ".git") {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
            .unwrap();
    }
    for (name, entry) in tree {
        // If a file and a folder have the same path, the first one stays.
        let path = folder.join(name);
        if path.symlink_metadata().is_ok() || fs::create_dir_all(path.parent().unwrap()).is_err() {
            continue;
        }
        match entry {
            TreeEntry::Link { target } => create_link(folder, name, target),
            TreeEntry::File { content, is_executable } => {
                write_file(folder, name, content);
                let mode = if *is_executable { 0o755 } else { 0o644 };
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            }
        }
    }
}

#[test]
fn restoring_a_snapshot_reproduces_its_tree() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    // Each case starts about thirty processes. Cases share the worktree, so each also has to cope with the last one's
    // state.
    let config = ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() };
    let cases = TestRunner::new(config).run(
        &(file_tree_strategy(), file_tree_strategy(), any::<bool>()),
        |(first, second, is_committed)| {
            replace_files(&worktree.path, &first);
            let snapshot = fixture.run.snapshot_worktree(&worktree, "first", &[]).unwrap();
            replace_files(&worktree.path, &second);
            if is_committed {
                fixture.run.commit_work(&worktree, &crate::fixture::commit_options()).unwrap();
            }
            fixture.run.restore_worktree(&worktree, &snapshot.commit, &[]).unwrap();
            prop_assert_eq!(fixture.run.snapshot_worktree(&worktree, "again", &[]).unwrap(), snapshot);
            Ok(())
        },
    );
    cases.unwrap();
}
