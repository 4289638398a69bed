//! Repositories and settings that are not everybody's: all of it works, or is refused with a word that helps.

use std::fs;

use repo::{GitOptions, MergeAttempt, Repository, RunRepository};

use crate::stage::{Stage, git, id, options, work, write};

/// Does what a run does, from a worktree to its removal.
fn check(run: &RunRepository) {
    let worktree = run.create_worktree(&id("T1")).unwrap();
    write(&worktree.path, "new", "new\n");
    let kept = run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    write(&worktree.path, "new", "changed\n");
    run.restore_worktree(&worktree, &kept.commit, &[]).unwrap();
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

fn check_at(stage: &Stage, name: &str, options: &GitOptions) {
    let repository = Repository::discover(&stage.folder.path().join(name), options).unwrap();
    let run = repository.open_run(&"r9".parse().unwrap(), &stage.folder.path().join("others")).unwrap();
    run.create_run_branch(&repository.resolve_commit("HEAD").unwrap()).unwrap();
    check(&run);
}

#[test]
fn a_shallow_clone() {
    let stage = Stage::new();
    git(&stage.user(), &["commit", "--quiet", "--allow-empty", "-m", "later"]);
    let url = format!("file://{}", stage.user().display());
    git(stage.folder.path(), &["clone", "--quiet", "--depth", "1", &url, "shallow"]);
    check_at(&stage, "shallow", &options());
}

#[test]
fn names_of_64_digits() {
    let stage = Stage::new();
    let folder = stage.folder.path();
    git(folder, &["init", "--quiet", "--object-format=sha256", "long"]);
    git(&folder.join("long"), &["commit", "--quiet", "--allow-empty", "-m", "base"]);
    check_at(&stage, "long", &options());
}

#[test]
fn a_worktree_of_the_users_own_and_a_detached_head() {
    let stage = Stage::new();
    git(&stage.user(), &["worktree", "add", "--quiet", "--detach", "../second"]);
    check_at(&stage, "second", &options());
    assert_eq!(git(&stage.folder.path().join("second"), &["status", "--porcelain"]), "");
}

#[test]
fn settings_that_change_how_git_works() {
    let stage = Stage::new();
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
        git(&stage.user(), &["config", name, value]);
    }
    check(&stage.run);
}

#[test]
fn waiting_for_the_disk() {
    let stage = Stage::new();
    let options = GitOptions { settings: GitOptions::from_environment().settings, ..options() };
    assert!(!options.settings.is_empty());
    check_at(&stage, "user", &options);
}

#[test]
fn a_filter_that_is_missing_is_told_and_leaves_nothing() {
    let stage = Stage::with(|user| {
        write(user, ".gitattributes", "*.bin filter=lfs\n");
        write(user, "large.bin", "pointer\n");
    });
    git(&stage.user(), &["config", "filter.lfs.required", "true"]);
    git(&stage.user(), &["config", "filter.lfs.smudge", "no-such-program"]);
    git(&stage.user(), &["config", "filter.lfs.clean", "cat"]);
    let error = stage.run.create_worktree(&id("T1")).unwrap_err();
    assert!(error.hint().contains("git-lfs"), "{error}");
    git(&stage.user(), &["config", "filter.lfs.smudge", "cat"]);
    check(&stage.run);
}

#[test]
fn large_files_kept_elsewhere_go_through_their_filter_in_worktrees_too() {
    // What git-lfs does, as far as git sees it: a pointer in the history, the content in the working tree.
    let stage = Stage::with(|user| {
        git(user, &["config", "filter.lfs.clean", "sed s/^content:/pointer:/"]);
        git(user, &["config", "filter.lfs.smudge", "sed s/^pointer:/content:/"]);
        git(user, &["config", "filter.lfs.required", "true"]);
        write(user, ".gitattributes", "*.bin filter=lfs\n");
        write(user, "large.bin", "content:1\n");
    });
    let show = |name: &str| git(&stage.user(), &["cat-file", "blob", name]);
    let worktree = stage.create("T1");
    assert_eq!(std::fs::read_to_string(worktree.path.join("large.bin")).unwrap(), "content:1\n");
    write(&worktree.path, "more.bin", "content:2\n");
    let kept = stage.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    assert_eq!(show(&format!("{}:more.bin", kept.commit)), "pointer:2");
    stage.run.commit_work(&worktree, &work()).unwrap();
    stage.merge("T1");
    assert_eq!(show(&format!("{}:more.bin", stage.run.run_branch())), "pointer:2");
    let scratch = stage.run.create_check_worktree(&stage.run.run_tip().unwrap()).unwrap();
    assert_eq!(std::fs::read_to_string(scratch.path.join("more.bin")).unwrap(), "content:2\n");
}
