//! Worktrees have the submodules that the user's checkout has, without a network, and nothing done in one is lost.

use std::{fs, path::Path};

use repo::{RepoError, Repository, SubmoduleState};

use crate::stage::{Stage, git, id, options, run_in, work, write};

/// Makes a library with a submodule of its own, and a project that has it as `libs/lib`.
fn project() -> (Stage, Stage, Stage) {
    let (inner, lib, stage) = (Stage::new(), Stage::new(), Stage::new());
    add(&lib.user(), &inner.user(), "inner");
    add(&stage.user(), &lib.user(), "libs/lib");
    git(&stage.user(), &["submodule", "--quiet", "update", "--init", "--recursive"]);
    let tip = stage.run.run_tip().unwrap();
    stage.run.advance_run_branch(&tip, &stage.run.repository.resolve_commit("HEAD").unwrap()).unwrap();
    (stage, lib, inner)
}

fn add(project: &Path, library: &Path, path: &str) {
    let url = format!("file://{}", library.display());
    git(project, &["submodule", "--quiet", "add", &url, path]);
    git(project, &["commit", "--quiet", "-m", "add a submodule"]);
}

#[test]
fn a_worktree_has_what_the_checkout_has() {
    let (stage, lib, inner) = project();
    // Nothing is fetched: there is nobody to ask.
    drop((lib, inner));
    let worktree = stage.create("T1");
    assert!(worktree.path.join("libs/lib/file").is_file());
    assert!(worktree.path.join("libs/lib/inner/file").is_file());
    assert_eq!(git(&worktree.path, &["status", "--porcelain"]), "");
    let scratch = stage.run.create_check_worktree(&stage.run.run_tip().unwrap()).unwrap();
    assert!(scratch.path.join("libs/lib/inner/file").is_file());
    assert_eq!(git(&stage.user(), &["status", "--porcelain"]), "");
    stage.run.remove_worktree(&worktree, &[]).unwrap();
    stage.run.remove_check_worktree().unwrap();
    let left = git(&stage.user().join("libs/lib"), &["worktree", "list"]);
    assert_eq!(left.lines().count(), 1, "{left}");
    assert!(stage.run.create_worktree(&id("T1")).unwrap().path.join("libs/lib/file").is_file(), "made again");
}

#[test]
fn what_is_changed_in_a_submodule_is_merged_and_is_there_for_the_user() {
    let (stage, _lib, _inner) = project();
    let worktree = stage.create("T1");
    write(&worktree.path, "libs/lib/inner/new", "inside\n");
    write(&worktree.path, "libs/lib/more", "lib\n");
    assert!(matches!(stage.run.remove_worktree(&worktree, &[]), Err(RepoError::WouldLoseWork { .. })));
    stage.run.commit_work(&worktree, &work()).unwrap();
    stage.merge("T1");
    let scratch = stage.run.create_check_worktree(&stage.run.run_tip().unwrap()).unwrap();
    assert_eq!(fs::read_to_string(scratch.path.join("libs/lib/inner/new")).unwrap(), "inside\n");
    stage.run.remove_worktree(&worktree, &[]).unwrap();
    stage.run.remove_check_worktree().unwrap();
    // The user lands it, and their own copy of the submodule has the commit, also after a clean-up.
    git(&stage.user().join("libs/lib"), &["gc", "--quiet", "--prune=now"]);
    git(&stage.user(), &["merge", "--quiet", "--ff-only", &stage.run.run_branch()]);
    git(&stage.user(), &["submodule", "--quiet", "update", "--no-fetch", "--recursive"]);
    assert_eq!(fs::read_to_string(stage.user().join("libs/lib/more")).unwrap(), "lib\n");
    assert_eq!(fs::read_to_string(stage.user().join("libs/lib/inner/new")).unwrap(), "inside\n");
}

#[test]
fn a_submodule_that_the_checkout_has_not_is_empty_and_one_that_is_behind_is_refused() {
    let (stage, lib, _inner) = project();
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["clone", "--quiet", &stage.user().display().to_string(), "user"]);
    let run = run_in(folder.path());
    let states = |repository: &Repository| -> Vec<SubmoduleState> {
        repository.submodules().unwrap().into_iter().map(|module| module.state).collect()
    };
    assert_eq!(states(&stage.run.repository), [SubmoduleState::Ready]);
    assert_eq!(states(&run.repository), [SubmoduleState::NotCheckedOut]);
    run.create_run_branch(&run.repository.resolve_commit("HEAD").unwrap()).unwrap();
    let worktree = run.create_worktree(&id("T1")).unwrap();
    assert_eq!(fs::read_dir(worktree.path.join("libs/lib")).unwrap().count(), 0);
    // Somebody else moved the submodule on, and its new commit was never fetched here.
    let user = folder.path().join("user");
    git(&user, &["submodule", "--quiet", "update", "--init"]);
    write(&lib.user(), "later", "x\n");
    git(&lib.user(), &["add", "-A"]);
    git(&lib.user(), &["commit", "--quiet", "-m", "later"]);
    let later = git(&lib.user(), &["rev-parse", "HEAD"]);
    git(&user, &["update-index", "--cacheinfo", &format!("160000,{later},libs/lib")]);
    git(&user, &["commit", "--quiet", "-m", "move on"]);
    let repository = Repository::discover(&user, &options()).unwrap();
    assert_eq!(states(&repository), [SubmoduleState::CommitMissing]);
    let run = repository.open_run(&"r2".parse().unwrap(), &folder.path().join("worktrees")).unwrap();
    run.create_run_branch(&repository.resolve_commit("HEAD").unwrap()).unwrap();
    let refused = run.create_worktree(&id("T1")).unwrap_err();
    assert!(matches!(refused, RepoError::SubmoduleCommitMissing { .. }), "{refused}");
    assert!(refused.hint().contains("git submodule update"));
    // The user fetches it, and it works.
    git(&user, &["submodule", "--quiet", "update"]);
    assert!(run.create_worktree(&id("T1")).unwrap().path.join("libs/lib/later").is_file());
}

#[test]
fn what_others_merged_into_a_submodule_is_not_taken_back() {
    let (stage, _lib, _inner) = project();
    let first = stage.task("T1", |path| {
        write(path, "libs/lib/more", "lib\n");
        write(path, "file", "first\n");
    });
    let second = stage.task("T2", |path| write(path, "file", "second\n"));
    let begin = stage.run.snapshot_worktree(&second, "turn", &[]).unwrap();
    stage.merge("T1");
    stage.run.merge_run_into_worktree(&second).unwrap();
    assert!(second.path.join("libs/lib/more").is_file());
    write(&second.path, "file", "both\n");
    stage.run.mark_conflicts_resolved(&second).unwrap();
    stage.run.commit_work(&second, &work()).unwrap();
    stage.merge("T2");
    let link = |name: &str| git(&stage.user(), &["rev-parse", &format!("{name}:libs/lib")]);
    assert_eq!(link(&stage.run.run_branch()), git(&first.path.join("libs/lib"), &["rev-parse", "HEAD"]));
    // Going back brings the submodule back, too.
    stage.run.restore_worktree(&second, &begin.commit, &[]).unwrap();
    assert!(!second.path.join("libs/lib/more").exists());
    assert_eq!(git(&second.path, &["status", "--porcelain"]), "");
}

#[test]
fn whoever_wants_no_submodules_has_empty_folders() {
    let (mut stage, _lib, _inner) = project();
    stage.run.repository.with_submodules = false;
    let worktree = stage.create("T1");
    assert_eq!(fs::read_dir(worktree.path.join("libs/lib")).unwrap().count(), 0);
}
