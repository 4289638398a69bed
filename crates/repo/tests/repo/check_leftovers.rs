//! Files that a check left behind are not part of the work; files that the agent changes again are.

use std::{fs, path::Path};

use repo::{MergeAttempt, TaskWorktree, UntrackedFileRules};

use crate::fixture::{Fixture, commit_options, file_names_in_commit, git, write_file};

/// Commits the work, runs a check that changes files, and records what it left behind.
fn check(fixture: &Fixture, worktree: &TaskWorktree, changes: impl FnOnce(&Path)) {
    let commit = fixture.run.commit_work(worktree, &commit_options()).unwrap();
    let tree = fixture.run.tree_of(&commit).unwrap();
    changes(&worktree.path);
    fixture.run.record_check_leftovers(worktree, &tree, &[]).unwrap();
}

fn cache_rules(caches: &[&str]) -> UntrackedFileRules {
    let caches = caches.iter().map(|&name| name.to_owned()).collect();
    UntrackedFileRules { caches, ..UntrackedFileRules::default() }
}

fn content(fixture: &Fixture, commit: &repo::CommitId, file: &str) -> String {
    git(&fixture.user_folder(), &["show", &format!("{commit}:{file}")])
}

#[test]
fn leftovers_are_neither_committed_nor_in_snapshots_but_stay_in_the_worktree() {
    let fixture = Fixture::with_base_files(|user| write_file(user, "deleted", "x\n"));
    let worktree = fixture.create_worktree("T1");
    write_file(&worktree.path, "work", "work\n");
    check(&fixture, &worktree, |path| {
        write_file(path, "file", "changed by the check\n");
        write_file(path, "report/new.xml", "created by the check\n");
        fs::remove_file(path.join("deleted")).unwrap();
    });
    let names = ".gitignore\0deleted\0file\0work\0";
    let snapshot = fixture.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    assert_eq!(file_names_in_commit(&fixture.user_folder(), &snapshot.commit), names);
    write_file(&worktree.path, "work", "more work\n");
    let commit = fixture.run.commit_work(&worktree, &commit_options()).unwrap();
    assert_eq!(file_names_in_commit(&fixture.user_folder(), &commit), names);
    assert_eq!(content(&fixture, &commit, "file"), "one\ntwo\nthree");
    assert_eq!(content(&fixture, &commit, "work"), "more work");
    assert!(worktree.path.join("report/new.xml").exists());
    assert!(fixture.run.changed_files(&worktree).unwrap().contains(Path::new("work")));
    assert!(!fixture.run.changed_files(&worktree).unwrap().contains(Path::new("report/new.xml")));
}

#[test]
fn a_leftover_that_is_changed_again_is_work() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    let leave = |path: &Path| {
        write_file(path, "file", "changed by the check\n");
        write_file(path, "new", "created by the check\n");
        write_file(path, "other", "created by the check\n");
    };
    check(&fixture, &worktree, leave);
    write_file(&worktree.path, "file", "changed by the agent\n");
    write_file(&worktree.path, "new", "changed by the agent\n");
    let commit = fixture.run.commit_work(&worktree, &commit_options()).unwrap();
    assert_eq!(content(&fixture, &commit, "file"), "changed by the agent");
    assert_eq!(content(&fixture, &commit, "new"), "changed by the agent");
    assert_eq!(file_names_in_commit(&fixture.user_folder(), &commit), ".gitignore\0file\0new\0");
    // The record of the next check replaces that of the last one.
    check(&fixture, &worktree, leave);
    assert_eq!(fixture.run.commit_work(&worktree, &commit_options()).unwrap(), commit);
}

#[test]
fn files_of_the_set_up_are_no_work_until_the_agent_changes_them() {
    let fixture = Fixture::new();
    let (first, second) = (fixture.create_worktree("T1"), fixture.create_worktree("T2"));
    for (worktree, lock) in [(&first, "lock of T1\n"), (&second, "lock of T2\n")] {
        // It runs again when its packages were removed.
        write_file(&worktree.path, "before", "work\n");
        let before = fixture.run.snapshot_worktree(worktree, "before", &[]).unwrap();
        write_file(&worktree.path, "package-lock.json", lock);
        write_file(&worktree.path, "file", "changed by the set-up\n");
        fixture.run.record_setup_leftovers(worktree, &before.tree, &[]).unwrap();
        fs::remove_file(worktree.path.join("before")).unwrap();
    }
    let base = fixture.run.repository.resolve_commit("HEAD").unwrap();
    let snapshot = fixture.run.snapshot_worktree(&first, "before the task", &[]).unwrap();
    assert_eq!(snapshot.tree, fixture.run.tree_of(&base).unwrap());
    write_file(&first.path, "work", "of T1\n");
    // The files are still no work after a check.
    check(&fixture, &first, |_| {});
    let commit = fixture.run.commit_work(&first, &commit_options()).unwrap();
    assert_eq!(file_names_in_commit(&fixture.user_folder(), &commit), ".gitignore\0file\0work\0");
    assert_eq!(content(&fixture, &commit, "file"), "one\ntwo\nthree");
    write_file(&second.path, "package-lock.json", "changed by T2\n");
    let commit = fixture.run.commit_work(&second, &commit_options()).unwrap();
    assert_eq!(content(&fixture, &commit, "package-lock.json"), "changed by T2");
    assert!(matches!(fixture.merge("T1"), MergeAttempt::Merged { .. }));
    assert!(matches!(fixture.merge("T2"), MergeAttempt::Merged { .. }));
    // The file of the set-up does not prevent the merge into its worktree.
    fixture.run.merge_run_into_worktree(&first).unwrap();
    assert_eq!(fs::read_to_string(first.path.join("package-lock.json")).unwrap(), "changed by T2\n");
}

#[test]
fn everything_that_a_check_changed_is_preserved_under_a_ref() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    check(&fixture, &worktree, |path| write_file(path, "late", "of an agent that did not wait\n"));
    let kept = fixture.run.task_snapshots(&"T1".parse().unwrap()).unwrap();
    assert_eq!(content(&fixture, &kept.last().unwrap().commit, "late"), "of an agent that did not wait");
    fixture.run.remove_worktree(&worktree, &[]).unwrap();
    assert_eq!(content(&fixture, &kept.last().unwrap().commit, "late"), "of an agent that did not wait");
}

#[test]
fn leftovers_do_not_prevent_the_merge_that_prepares_a_conflict() {
    let mut fixture = Fixture::new();
    fixture.run.repository.untracked_files = cache_rules(&["cache"]);
    fixture.commit_task_work("T1", |path| {
        write_file(path, "file", "of T1\n");
        write_file(path, "report", "of T1\n");
        write_file(path, "cache/a", "of T1\n");
        git(path, &["add", "cache/a"]);
    });
    let second = fixture.create_worktree("T2");
    fixture.merge("T1");
    write_file(&second.path, "own", "of T2\n");
    check(&fixture, &second, |path| {
        write_file(path, "file", "of the check\n");
        write_file(path, "report", "of the check\n");
        write_file(path, "cache/a", "of a tool\n");
    });
    fixture.run.merge_run_into_worktree(&second).unwrap();
    for (file, text) in
        [("file", "of T1\n"), ("report", "of T1\n"), ("cache/a", "of T1\n"), ("own", "of T2\n")]
    {
        assert_eq!(fs::read_to_string(second.path.join(file)).unwrap(), text, "{file}");
    }
    fixture.run.commit_work(&second, &commit_options()).unwrap();
    assert!(matches!(fixture.merge("T2"), MergeAttempt::Merged { .. }));
}

#[test]
fn untracked_caches_are_left_out_and_tracked_ones_are_not() {
    let mut fixture = Fixture::with_base_files(|user| write_file(user, "lib/__pycache__/tracked", "x\n"));
    fixture.run.repository.untracked_files = cache_rules(&["__pycache__", "*.pyc"]);
    let worktree = fixture.create_worktree("T1");
    write_file(&worktree.path, "lib/__pycache__/tracked", "changed\n");
    write_file(&worktree.path, "lib/__pycache__/new", "x\n");
    write_file(&worktree.path, "a.pyc", "x\n");
    write_file(&worktree.path, "a.py", "x\n");
    let commit = fixture.run.commit_work(&worktree, &commit_options()).unwrap();
    assert_eq!(
        file_names_in_commit(&fixture.user_folder(), &commit),
        ".gitignore\0a.py\0file\0lib/__pycache__/tracked\0"
    );
    assert_eq!(content(&fixture, &commit, "lib/__pycache__/tracked"), "changed");
    let changed = fixture.run.changed_files(&worktree).unwrap();
    assert!(!changed.contains(Path::new("a.pyc")) && changed.contains(Path::new("a.py")), "{changed:?}");
    // All of the work is merged, so the caches do not keep the worktree.
    fixture.merge("T1");
    assert!(fixture.run.remove_worktree_if_merged(&worktree).unwrap().is_some());
}
