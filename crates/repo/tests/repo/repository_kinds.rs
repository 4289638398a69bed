//! Unusual repositories and settings work, or fail with a helpful hint.

use std::fs;

use repo::{GitOptions, MergeAttempt, Repository, RunRepository};

use crate::fixture::{Fixture, git, id, options, work, write};

/// Runs through everything a run does, from creating a worktree to removing it.
fn check(run: &RunRepository) {
    let worktree = run.create_worktree(&id("T1")).unwrap();
    write(&worktree.path, "new", "new\n");
    let snapshot = run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    write(&worktree.path, "new", "changed\n");
    run.restore_worktree(&worktree, &snapshot.commit, &[]).unwrap();
    assert_eq!(fs::read_to_string(worktree.path.join("new")).unwrap(), "new\n");
    run.commit_work(&worktree, &work()).unwrap();
    let MergeAttempt::Merged { onto, commit, .. } =
        run.merge_task(&id("T1"), &repo::GitIdentity::jangdan()).unwrap()
    else {
        panic!("merges")
    };
    run.create_check_worktree(&commit).unwrap();
    run.advance_run_branch(&onto, &commit).unwrap();
    run.remove_worktree(&worktree, &[]).unwrap();
    run.remove_check_worktree().unwrap();
}

fn check_at(fixture: &Fixture, name: &str, options: &GitOptions) {
    let repository = Repository::discover(&fixture.folder.path().join(name), options).unwrap();
    let run = repository.open_run(&"r9".parse().unwrap(), &fixture.folder.path().join("others")).unwrap();
    run.create_run_branch(&repository.resolve_commit("HEAD").unwrap()).unwrap();
    check(&run);
}

#[test]
fn a_shallow_clone() {
    let fixture = Fixture::new();
    git(&fixture.user(), &["commit", "--quiet", "--allow-empty", "-m", "later"]);
    let url = format!("file://{}", fixture.user().display());
    git(fixture.folder.path(), &["clone", "--quiet", "--depth", "1", &url, "shallow"]);
    check_at(&fixture, "shallow", &options());
}

#[test]
fn a_sha256_repository() {
    let fixture = Fixture::new();
    let folder = fixture.folder.path();
    git(folder, &["init", "--quiet", "--object-format=sha256", "long"]);
    git(&folder.join("long"), &["commit", "--quiet", "--allow-empty", "-m", "base"]);
    check_at(&fixture, "long", &options());
}

#[test]
fn a_linked_worktree_with_detached_head() {
    let fixture = Fixture::new();
    git(&fixture.user(), &["worktree", "add", "--quiet", "--detach", "../second"]);
    check_at(&fixture, "second", &options());
    assert_eq!(git(&fixture.folder.path().join("second"), &["status", "--porcelain"]), "");
}

#[test]
fn settings_that_change_the_behaviour_of_git() {
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
        git(&fixture.user(), &["config", name, value]);
    }
    check(&fixture.run);
}

#[test]
fn durability_settings() {
    let fixture = Fixture::new();
    let options = GitOptions { settings: GitOptions::from_environment().settings, ..options() };
    assert!(!options.settings.is_empty());
    check_at(&fixture, "user", &options);
}

#[test]
fn a_missing_filter_is_reported_and_leaves_no_worktree() {
    let fixture = Fixture::with(|user| {
        write(user, ".gitattributes", "*.bin filter=lfs\n");
        write(user, "large.bin", "pointer\n");
    });
    git(&fixture.user(), &["config", "filter.lfs.required", "true"]);
    git(&fixture.user(), &["config", "filter.lfs.smudge", "no-such-program"]);
    git(&fixture.user(), &["config", "filter.lfs.clean", "cat"]);
    let error = fixture.run.create_worktree(&id("T1")).unwrap_err();
    assert!(error.hint().contains("git-lfs"), "{error}");
    git(&fixture.user(), &["config", "filter.lfs.smudge", "cat"]);
    check(&fixture.run);
}

#[test]
fn lfs_filters_apply_in_worktrees() {
    // Imitates git-lfs: a pointer in the history, the content in the working tree.
    let fixture = Fixture::with(|user| {
        git(user, &["config", "filter.lfs.clean", "sed s/^content:/pointer:/"]);
        git(user, &["config", "filter.lfs.smudge", "sed s/^pointer:/content:/"]);
        git(user, &["config", "filter.lfs.required", "true"]);
        write(user, ".gitattributes", "*.bin filter=lfs\n");
        write(user, "large.bin", "content:1\n");
    });
    let show = |name: &str| git(&fixture.user(), &["cat-file", "blob", name]);
    let worktree = fixture.create("T1");
    assert_eq!(std::fs::read_to_string(worktree.path.join("large.bin")).unwrap(), "content:1\n");
    write(&worktree.path, "more.bin", "content:2\n");
    let snapshot = fixture.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    assert_eq!(show(&format!("{}:more.bin", snapshot.commit)), "pointer:2");
    fixture.run.commit_work(&worktree, &work()).unwrap();
    fixture.merge("T1");
    assert_eq!(show(&format!("{}:more.bin", fixture.run.run_branch())), "pointer:2");
    let check = fixture.run.create_check_worktree(&fixture.run.run_tip().unwrap()).unwrap();
    assert_eq!(std::fs::read_to_string(check.path.join("more.bin")).unwrap(), "content:2\n");
}
