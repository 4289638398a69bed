//! Worktrees have the submodules of the user's checkout, without network access, and no work in them is lost.

use std::{fs, path::Path};

use repo::{RepoError, Repository, SubmoduleAvailability};

use crate::fixture::{Fixture, commit_options, git, git_options, open_run_in, task_id, write_file};

/// Creates a library with a submodule, and a project that contains the library as `libs/lib`.
fn project_with_submodules() -> (Fixture, Fixture, Fixture) {
    let (inner, lib, fixture) = (Fixture::new(), Fixture::new(), Fixture::new());
    add_submodule(&lib.user_folder(), &inner.user_folder(), "inner");
    add_submodule(&fixture.user_folder(), &lib.user_folder(), "libs/lib");
    git(&fixture.user_folder(), &["submodule", "--quiet", "update", "--init", "--recursive"]);
    let tip = fixture.run.run_tip().unwrap();
    fixture.run.advance_run_branch(&tip, &fixture.run.repository.resolve_commit("HEAD").unwrap()).unwrap();
    (fixture, lib, inner)
}

fn add_submodule(project: &Path, library: &Path, path: &str) {
    let url = format!("file://{}", library.display());
    git(project, &["submodule", "--quiet", "add", &url, path]);
    git(project, &["commit", "--quiet", "-m", "add a submodule"]);
}

#[test]
fn a_worktree_has_the_submodules_of_the_checkout() {
    let (fixture, lib, inner) = project_with_submodules();
    // Nothing is fetched: the sources are gone.
    drop((lib, inner));
    let worktree = fixture.create_worktree("T1");
    assert!(worktree.path.join("libs/lib/file").is_file());
    assert!(worktree.path.join("libs/lib/inner/file").is_file());
    assert_eq!(git(&worktree.path, &["status", "--porcelain"]), "");
    let check = fixture.run.create_check_worktree(&fixture.run.run_tip().unwrap()).unwrap();
    assert!(check.path.join("libs/lib/inner/file").is_file());
    assert_eq!(git(&fixture.user_folder(), &["status", "--porcelain"]), "");
    fixture.run.remove_worktree(&worktree, &[]).unwrap();
    fixture.run.remove_check_worktree().unwrap();
    let left = git(&fixture.user_folder().join("libs/lib"), &["worktree", "list"]);
    assert_eq!(left.lines().count(), 1, "{left}");
    assert!(
        fixture.run.create_worktree(&task_id("T1")).unwrap().path.join("libs/lib/file").is_file(),
        "made again"
    );
}

#[test]
fn changes_in_a_submodule_are_merged_and_reach_the_users_copy() {
    let (fixture, _lib, _inner) = project_with_submodules();
    let worktree = fixture.create_worktree("T1");
    write_file(&worktree.path, "libs/lib/inner/new", "inside\n");
    write_file(&worktree.path, "libs/lib/more", "lib\n");
    assert!(matches!(fixture.run.remove_worktree(&worktree, &[]), Err(RepoError::WouldLoseWork { .. })));
    fixture.run.commit_work(&worktree, &commit_options()).unwrap();
    fixture.merge("T1");
    let check = fixture.run.create_check_worktree(&fixture.run.run_tip().unwrap()).unwrap();
    assert_eq!(fs::read_to_string(check.path.join("libs/lib/inner/new")).unwrap(), "inside\n");
    fixture.run.remove_worktree(&worktree, &[]).unwrap();
    fixture.run.remove_check_worktree().unwrap();
    // After landing, the user's copy of the submodule has the commit, even after garbage collection.
    git(&fixture.user_folder().join("libs/lib"), &["gc", "--quiet", "--prune=now"]);
    git(&fixture.user_folder(), &["merge", "--quiet", "--ff-only", &fixture.run.run_branch()]);
    git(&fixture.user_folder(), &["submodule", "--quiet", "update", "--no-fetch", "--recursive"]);
    assert_eq!(fs::read_to_string(fixture.user_folder().join("libs/lib/more")).unwrap(), "lib\n");
    assert_eq!(fs::read_to_string(fixture.user_folder().join("libs/lib/inner/new")).unwrap(), "inside\n");
}

#[test]
fn an_uninitialized_submodule_is_empty_and_one_without_the_commit_is_an_error() {
    let (fixture, lib, _inner) = project_with_submodules();
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["clone", "--quiet", &fixture.user_folder().display().to_string(), "user"]);
    let run = open_run_in(folder.path());
    let states = |repository: &Repository| -> Vec<SubmoduleAvailability> {
        repository.submodules().unwrap().into_iter().map(|module| module.state).collect()
    };
    assert_eq!(states(&fixture.run.repository), [SubmoduleAvailability::Ready]);
    assert_eq!(states(&run.repository), [SubmoduleAvailability::NotCheckedOut]);
    run.create_run_branch(&run.repository.resolve_commit("HEAD").unwrap()).unwrap();
    let worktree = run.create_worktree(&task_id("T1")).unwrap();
    assert_eq!(fs::read_dir(worktree.path.join("libs/lib")).unwrap().count(), 0);
    // The submodule was updated elsewhere, and its new commit was never fetched here.
    let user = folder.path().join("user");
    git(&user, &["submodule", "--quiet", "update", "--init"]);
    write_file(&lib.user_folder(), "later", "x\n");
    git(&lib.user_folder(), &["add", "-A"]);
    git(&lib.user_folder(), &["commit", "--quiet", "-m", "later"]);
    let later = git(&lib.user_folder(), &["rev-parse", "HEAD"]);
    git(&user, &["update-index", "--cacheinfo", &format!("160000,{later},libs/lib")]);
    git(&user, &["commit", "--quiet", "-m", "move on"]);
    let repository = Repository::discover(&user, &git_options()).unwrap();
    assert_eq!(states(&repository), [SubmoduleAvailability::CommitMissing]);
    let run = repository.open_run(&"r2".parse().unwrap(), &folder.path().join("worktrees")).unwrap();
    run.create_run_branch(&repository.resolve_commit("HEAD").unwrap()).unwrap();
    let refused = run.create_worktree(&task_id("T1")).unwrap_err();
    assert!(matches!(refused, RepoError::SubmoduleCommitMissing { .. }), "{refused}");
    assert!(refused.hint().contains("git submodule update"));
    // After the user fetches it, it works.
    git(&user, &["submodule", "--quiet", "update"]);
    assert!(run.create_worktree(&task_id("T1")).unwrap().path.join("libs/lib/later").is_file());
}

#[test]
fn submodule_changes_of_other_tasks_are_not_reverted() {
    let (fixture, _lib, _inner) = project_with_submodules();
    let first = fixture.commit_task_work("T1", |path| {
        write_file(path, "libs/lib/more", "lib\n");
        write_file(path, "file", "first\n");
    });
    let second = fixture.commit_task_work("T2", |path| write_file(path, "file", "second\n"));
    let begin = fixture.run.snapshot_worktree(&second, "turn", &[]).unwrap();
    fixture.merge("T1");
    fixture.run.merge_run_into_worktree(&second).unwrap();
    assert!(second.path.join("libs/lib/more").is_file());
    write_file(&second.path, "file", "both\n");
    fixture.run.mark_resolved_if_no_markers(&second).unwrap();
    fixture.run.commit_work(&second, &commit_options()).unwrap();
    fixture.merge("T2");
    let link = |name: &str| git(&fixture.user_folder(), &["rev-parse", &format!("{name}:libs/lib")]);
    assert_eq!(link(&fixture.run.run_branch()), git(&first.path.join("libs/lib"), &["rev-parse", "HEAD"]));
    // Restoring also restores the submodule.
    fixture.run.restore_worktree(&second, &begin.commit, &[]).unwrap();
    assert!(!second.path.join("libs/lib/more").exists());
    assert_eq!(git(&second.path, &["status", "--porcelain"]), "");
}

#[test]
fn without_submodules_their_folders_are_empty() {
    let (mut fixture, _lib, _inner) = project_with_submodules();
    fixture.run.repository.with_submodules = false;
    let worktree = fixture.create_worktree("T1");
    assert_eq!(fs::read_dir(worktree.path.join("libs/lib")).unwrap().count(), 0);
}
