//! Unusual repositories and settings work, or fail with a helpful hint.

use std::fs;

use repo::{GitOptions, MergeAttempt, Repository, RunRepository};

use crate::fixture::{Fixture, commit_options, git, git_options, task_id, write_file};

/// Runs through everything a run does, from creating a worktree to removing it.
fn assert_run_works(run: &RunRepository) {
    let worktree = run.create_worktree(&task_id("T1")).unwrap();
    write_file(&worktree.path, "new", "new\n");
    let snapshot = run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    write_file(&worktree.path, "new", "changed\n");
    run.restore_worktree(&worktree, &snapshot.commit, &[]).unwrap();
    assert_eq!(fs::read_to_string(worktree.path.join("new")).unwrap(), "new\n");
    run.commit_work(&worktree, &commit_options()).unwrap();
    let MergeAttempt::Merged { onto, commit, .. } =
        run.merge_task(&task_id("T1"), &repo::GitIdentity::jangdan()).unwrap()
    else {
        panic!("merges")
    };
    run.create_check_worktree(&commit).unwrap();
    run.advance_run_branch(&onto, &commit).unwrap();
    run.remove_worktree(&worktree, &[]).unwrap();
    run.remove_check_worktree().unwrap();
}

fn assert_run_works_in(fixture: &Fixture, name: &str, options: &GitOptions) {
    let repository = Repository::discover(&fixture.folder.path().join(name), options).unwrap();
    let run = repository.open_run(&"r9".parse().unwrap(), &fixture.folder.path().join("others")).unwrap();
    run.create_run_branch(&repository.resolve_commit("HEAD").unwrap()).unwrap();
    assert_run_works(&run);
}

#[test]
fn a_run_works_in_a_shallow_clone() {
    let fixture = Fixture::new();
    git(&fixture.user_folder(), &["commit", "--quiet", "--allow-empty", "-m", "later"]);
    let url = format!("file://{}", fixture.user_folder().display());
    git(fixture.folder.path(), &["clone", "--quiet", "--depth", "1", &url, "shallow"]);
    assert_run_works_in(&fixture, "shallow", &git_options());
}

#[test]
fn a_run_works_in_a_sha256_repository() {
    let fixture = Fixture::new();
    let folder = fixture.folder.path();
    git(folder, &["init", "--quiet", "--object-format=sha256", "long"]);
    git(&folder.join("long"), &["commit", "--quiet", "--allow-empty", "-m", "base"]);
    assert_run_works_in(&fixture, "long", &git_options());
}

#[test]
fn a_run_works_in_a_linked_worktree_with_detached_head() {
    let fixture = Fixture::new();
    git(&fixture.user_folder(), &["worktree", "add", "--quiet", "--detach", "../second"]);
    assert_run_works_in(&fixture, "second", &git_options());
    assert_eq!(git(&fixture.folder.path().join("second"), &["status", "--porcelain"]), "");
}

#[test]
fn a_run_works_with_unusual_git_settings() {
    let fixture = Fixture::new();
    for (name, value) in [
        ("core.splitIndex", "true"),
        ("core.sparseCheckout", "true"),
        ("core.untrackedCache", "true"),
        ("core.autocrlf", "input"),
        ("status.showUntrackedFiles", "no"),
        ("status.relativePaths", "true"),
        ("diff.noprefix", "true"),
        ("diff.renames", "copies"),
        ("merge.ff", "only"),
        ("commit.template", "/nonexistent"),
        ("log.showSignature", "true"),
        ("color.ui", "always"),
        ("user.useConfigOnly", "true"),
        ("fetch.prune", "true"),
        ("worktree.guessRemote", "true"),
    ] {
        git(&fixture.user_folder(), &["config", name, value]);
    }
    assert_run_works(&fixture.run);
}

#[test]
fn a_run_works_with_durability_settings() {
    let fixture = Fixture::new();
    let options = GitOptions { settings: GitOptions::from_environment().settings, ..git_options() };
    assert!(!options.settings.is_empty());
    assert_run_works_in(&fixture, "user", &options);
}

#[test]
fn a_missing_filter_is_reported_and_leaves_no_worktree() {
    let fixture = Fixture::with_base_files(|user| {
        write_file(user, ".gitattributes", "*.bin filter=lfs\n");
        write_file(user, "large.bin", "pointer\n");
    });
    git(&fixture.user_folder(), &["config", "filter.lfs.required", "true"]);
    git(&fixture.user_folder(), &["config", "filter.lfs.smudge", "no-such-program"]);
    git(&fixture.user_folder(), &["config", "filter.lfs.clean", "cat"]);
    let error = fixture.run.create_worktree(&task_id("T1")).unwrap_err();
    assert!(error.hint().contains("git-lfs"), "{error}");
    git(&fixture.user_folder(), &["config", "filter.lfs.smudge", "cat"]);
    assert_run_works(&fixture.run);
}

#[test]
fn lfs_filters_apply_in_worktrees() {
    // Imitates git-lfs: a pointer in the history, the content in the working tree.
    let fixture = Fixture::with_base_files(|user| {
        git(user, &["config", "filter.lfs.clean", "sed s/^content:/pointer:/"]);
        git(user, &["config", "filter.lfs.smudge", "sed s/^pointer:/content:/"]);
        git(user, &["config", "filter.lfs.required", "true"]);
        write_file(user, ".gitattributes", "*.bin filter=lfs\n");
        write_file(user, "large.bin", "content:1\n");
    });
    let show = |name: &str| git(&fixture.user_folder(), &["cat-file", "blob", name]);
    let worktree = fixture.create_worktree("T1");
    assert_eq!(std::fs::read_to_string(worktree.path.join("large.bin")).unwrap(), "content:1\n");
    write_file(&worktree.path, "more.bin", "content:2\n");
    let snapshot = fixture.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    assert_eq!(show(&format!("{}:more.bin", snapshot.commit)), "pointer:2");
    fixture.run.commit_work(&worktree, &commit_options()).unwrap();
    fixture.merge("T1");
    assert_eq!(show(&format!("{}:more.bin", fixture.run.run_branch())), "pointer:2");
    let check = fixture.run.create_check_worktree(&fixture.run.run_tip().unwrap()).unwrap();
    assert_eq!(std::fs::read_to_string(check.path.join("more.bin")).unwrap(), "content:2\n");
}
