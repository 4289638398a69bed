//! Untracked files above the size limit are committed only if they are listed as allowed.

use std::{fs, path::Path};

use domain::LargeFile;
use repo::{MergeAttempt, RepoError, TaskWorktree, UntrackedFileRules};

use crate::fixture::{Fixture, commit_options, file_names_in_commit, git, write_file};

const LIMIT: u64 = 1000;

fn fixture() -> Fixture {
    let mut fixture = Fixture::new();
    fixture.run.repository.untracked_files =
        UntrackedFileRules { bytes_max: Some(LIMIT), ..UntrackedFileRules::default() };
    fixture
}

fn large(path: &str, bytes: u64) -> LargeFile {
    LargeFile { path: path.to_owned(), bytes }
}

fn write_bytes(worktree: &TaskWorktree, path: &str, bytes: usize) {
    write_file(&worktree.path, path, vec![b'x'; bytes]);
}

fn snapshot(fixture: &Fixture, worktree: &TaskWorktree) -> (String, Vec<LargeFile>) {
    let snapshot = fixture.run.snapshot_worktree(worktree, "turn", &[]).unwrap();
    (file_names_in_commit(&fixture.user_folder(), &snapshot.commit), snapshot.large_files)
}

#[test]
fn large_files_are_left_out_and_listed() {
    let fixture = fixture();
    let worktree = fixture.create_worktree("T1");
    write_bytes(&worktree, "data/big", 1001);
    write_bytes(&worktree, "small", 1000);
    write_bytes(&worktree, "nested/big", 2000);
    git(&worktree.path.join("nested"), &["init", "--quiet", "--template="]);
    let (names, files) = snapshot(&fixture, &worktree);
    assert_eq!(names, ".gitignore\0file\0small\0");
    assert_eq!(files, [large("data/big", 1001), large("nested/big", 2000)]);
    let commit = fixture.run.commit_work(&worktree, &commit_options()).unwrap();
    assert_eq!(file_names_in_commit(&fixture.user_folder(), &commit), ".gitignore\0file\0small\0");
    assert!(worktree.path.join("data/big").exists());
    assert!(!fixture.run.changed_files(&worktree).unwrap().contains(Path::new("data/big")));
}

#[test]
fn a_listed_file_is_committed_while_it_has_its_size() {
    let fixture = fixture();
    let worktree = fixture.create_worktree("T1").with_large_files(&[large("big", 2000)]);
    write_bytes(&worktree, "big", 2001);
    assert_eq!(snapshot(&fixture, &worktree).1, [large("big", 2001)]);
    write_bytes(&worktree, "big", 2000);
    let commit = fixture.run.commit_work(&worktree, &commit_options()).unwrap();
    assert_eq!(file_names_in_commit(&fixture.user_folder(), &commit), ".gitignore\0big\0file\0");
    // From now on it is tracked, so its size does not matter.
    let worktree = fixture.create_worktree("T1");
    write_bytes(&worktree, "big", 3000);
    assert_eq!(snapshot(&fixture, &worktree), (".gitignore\0big\0file\0".to_owned(), Vec::new()));
}

#[test]
fn large_files_of_a_check_are_not_listed_until_they_change() {
    let fixture = fixture();
    let worktree = fixture.create_worktree("T1");
    write_bytes(&worktree, "of the agent", 2000);
    let commit = fixture.run.commit_work(&worktree, &commit_options()).unwrap();
    let tree = fixture.run.tree_of(&commit).unwrap();
    write_bytes(&worktree, "core", 5000);
    fixture.run.record_check_leftovers(&worktree, &tree, &[large("of the agent", 2000)]).unwrap();
    assert_eq!(snapshot(&fixture, &worktree).1, [large("of the agent", 2000)]);
    write_bytes(&worktree, "core", 5001);
    assert_eq!(snapshot(&fixture, &worktree).1, [large("core", 5001), large("of the agent", 2000)]);
}

#[test]
fn a_removed_worktree_preserves_its_large_files() {
    let fixture = fixture();
    let worktree = fixture.create_worktree("T1");
    write_bytes(&worktree, "big", 2000);
    fixture.merge("T1");
    // Only the user removes it.
    assert_eq!(fixture.run.remove_worktree_if_merged(&worktree).unwrap(), None);
    fixture.run.remove_worktree(&worktree, &[]).unwrap();
    let kept = fixture.run.task_snapshots(&worktree.task).unwrap();
    let last = &kept.last().unwrap().commit;
    assert_eq!(file_names_in_commit(&fixture.user_folder(), last), ".gitignore\0big\0file\0");
}

#[test]
fn a_large_file_in_the_way_of_a_merge_is_preserved() {
    let fixture = fixture();
    let second = fixture.create_worktree("T2");
    fixture.commit_task_work("T1", |path| write_file(path, "big", "of T1\n"));
    assert!(matches!(fixture.merge("T1"), MergeAttempt::Merged { .. }));
    write_bytes(&second, "big", 2000);
    write_bytes(&second, "other", 2000);
    fixture.run.merge_run_into_worktree(&second).unwrap();
    assert_eq!(fs::read_to_string(second.path.join("big")).unwrap(), "of T1\n");
    assert!(second.path.join("other").exists());
    let kept = fixture.run.task_snapshots(&second.task).unwrap();
    let kept = git(&fixture.user_folder(), &["cat-file", "-s", &format!("{}:big", kept[0].commit)]);
    assert_eq!(kept, "2000");
}

#[test]
fn a_restored_worktree_keeps_its_large_files() {
    let fixture = fixture();
    let worktree = fixture.create_worktree("T1");
    let start = fixture.run.repository.resolve_commit("HEAD").unwrap();
    write_bytes(&worktree, "big", 2000);
    write_bytes(&worktree, "small", 10);
    fixture.run.restore_worktree(&worktree, &start, &[]).unwrap();
    assert!(worktree.path.join("big").exists());
    assert!(!worktree.path.join("small").exists());
}

#[test]
fn changes_of_the_user_with_a_large_file_are_refused() {
    let fixture = fixture();
    write_file(&fixture.user_folder(), "file", "changed\n");
    write_file(&fixture.user_folder(), "big", vec![b'x'; 2000]);
    let repository = &fixture.run.repository;
    let refused = repository.commit_checkout_changes("ana", &[], Some(LIMIT)).unwrap_err();
    assert!(matches!(&refused, RepoError::LargeFiles { files, .. } if files == &[large("big", 2000)]));
    let commit = repository.commit_checkout_changes("ana", &["big".into()], Some(LIMIT)).unwrap();
    assert_eq!(file_names_in_commit(&fixture.user_folder(), &commit), ".gitignore\0file\0");
    assert!(repository.commit_checkout_changes("ana", &[], None).is_ok());
}
