//! An agent controls its worktree and git's folder of it. Nothing that it writes there makes our git run a program, or
//! read or write anywhere else.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
};

use repo::{CommitId, RepoError, TaskWorktree};

use crate::fixture::{Fixture, commit_options, git, write_file};

/// A program of the attacker that leaves a trace when it runs.
struct Trap {
    folder: tempfile::TempDir,
}

impl Trap {
    fn new() -> Self {
        let trap = Self { folder: tempfile::tempdir().unwrap() };
        let script = format!("#!/bin/sh\ntouch {}\ncat\n", trap.path("sprung").display());
        write_file(trap.folder.path(), "program", script);
        fs::set_permissions(trap.path("program"), fs::Permissions::from_mode(0o755)).unwrap();
        trap
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns a configuration of git that runs the program in several ways.
    fn configuration(&self) -> String {
        let program = self.path("program").display().to_string();
        format!(
            "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = {program}\n\thooksPath = {folder}\n\tpager = {program}\n\
             \tsshCommand = {program}\n[filter \"evil\"]\n\tclean = {program}\n\tsmudge = {program}\n\tprocess = {program}\n",
            folder = self.folder.path().display()
        )
    }

    fn assert_not_sprung(&self) {
        assert!(!self.path("sprung").exists(), "a program of the agent was run");
    }
}

fn git_dir(fixture: &Fixture, name: &str) -> PathBuf {
    fixture.user_folder().join(".git/worktrees").join(format!("r1-{name}"))
}

/// Performs the steps of a run on a worktree.
fn use_worktree(fixture: &Fixture, worktree: &TaskWorktree) -> Result<CommitId, RepoError> {
    let run = &fixture.run;
    run.changed_files(worktree)?;
    let snapshot = run.snapshot_worktree(worktree, "turn", &[])?;
    let commit = run.commit_work(worktree, &commit_options())?;
    run.record_check_leftovers(worktree, &snapshot.tree, &[])?;
    run.merge_run_into_worktree(worktree)?;
    run.remove_ignored_folders(worktree)?;
    run.restore_worktree(worktree, &commit, &[])?;
    Ok(commit)
}

#[test]
fn git_obeys_no_configuration_in_the_git_directory_of_a_worktree() {
    let trap = Trap::new();
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    write_file(&worktree.path, ".gitattributes", "* filter=evil\n");
    write_file(&worktree.path, "new", "x\n");
    // `commondir` names another repository, whose configuration the agent wrote.
    let forged = trap.path("forged");
    git(
        trap.folder.path(),
        &["clone", "--quiet", "--bare", &fixture.user_folder().display().to_string(), "forged"],
    );
    fs::write(forged.join("config"), trap.configuration()).unwrap();
    fs::write(git_dir(&fixture, "T1").join("commondir"), format!("{}\n", forged.display())).unwrap();
    let commit = use_worktree(&fixture, &worktree).unwrap();
    trap.assert_not_sprung();
    assert_eq!(git(&fixture.user_folder(), &["show", &format!("{commit}:new")]), "x");
    fixture.run.remove_worktree(&worktree, &[]).unwrap();
    trap.assert_not_sprung();
}

#[test]
fn git_obeys_no_configuration_of_a_worktree_alone() {
    let trap = Trap::new();
    let fixture = Fixture::new();
    git(&fixture.user_folder(), &["config", "extensions.worktreeConfig", "true"]);
    let worktree = fixture.create_worktree("T1");
    write_file(&worktree.path, ".gitattributes", "* filter=evil\n");
    write_file(&worktree.path, "new", "x\n");
    fs::write(git_dir(&fixture, "T1").join("config.worktree"), trap.configuration()).unwrap();
    use_worktree(&fixture, &worktree).unwrap();
    trap.assert_not_sprung();
}

#[test]
fn git_obeys_no_configuration_of_a_submodule_of_the_agent() {
    let trap = Trap::new();
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    let inner = worktree.path.join("inner");
    git(&worktree.path, &["init", "--quiet", "inner"]);
    write_file(&inner, ".gitattributes", "* filter=evil\n");
    write_file(&inner, "file", "x\n");
    git(&inner, &["add", "-A"]);
    git(&inner, &["commit", "--quiet", "-m", "inner"]);
    git(&worktree.path, &["add", "inner"]);
    fs::write(inner.join(".git/config"), trap.configuration()).unwrap();
    write_file(&inner, "file", "y\n");
    let commit = use_worktree(&fixture, &worktree).unwrap();
    trap.assert_not_sprung();
    assert!(git(&fixture.user_folder(), &["ls-tree", commit.as_str(), "inner"]).contains("160000"));
    let error = fixture.run.remove_worktree(&worktree, &[]).unwrap_err();
    assert!(matches!(error, RepoError::WouldLoseWork { .. }), "{error}");
    trap.assert_not_sprung();
}

#[test]
fn link_of_a_submodule_that_leads_elsewhere_is_not_followed() {
    let trap = Trap::new();
    let (library, fixture) = (Fixture::new(), Fixture::new());
    let url = format!("file://{}", library.user_folder().display());
    git(&fixture.user_folder(), &["submodule", "--quiet", "add", &url, "lib"]);
    git(&fixture.user_folder(), &["commit", "--quiet", "-m", "add a submodule"]);
    let tip = fixture.run.run_tip().unwrap();
    let head = fixture.run.repository.resolve_commit("HEAD").unwrap();
    fixture.run.advance_run_branch(&tip, &head).unwrap();
    let worktree = fixture.create_worktree("T1");
    let inner = worktree.path.join("lib");
    // The path begins like that of a linked worktree of the user's submodule.
    let forged = trap.path("forged");
    git(
        trap.folder.path(),
        &["clone", "--quiet", "--bare", &library.user_folder().display().to_string(), "forged"],
    );
    fs::write(forged.join("config"), trap.configuration()).unwrap();
    let source = fixture.user_folder().canonicalize().unwrap().join(".git/modules/lib/worktrees");
    let up = "../".repeat(source.components().count() - 1);
    let link = format!("gitdir: {}/{up}{}\n", source.display(), forged.strip_prefix("/").unwrap().display());
    fs::write(inner.join(".git"), link).unwrap();
    write_file(&inner, ".gitattributes", "* filter=evil\n");
    write_file(&inner, "file", "changed\n");
    // Its result does not matter.
    drop(use_worktree(&fixture, &worktree));
    drop(fixture.run.remove_worktree(&worktree, &[]));
    trap.assert_not_sprung();
}

#[test]
fn configuration_of_a_linked_submodule_is_not_obeyed() {
    let trap = Trap::new();
    let (library, fixture) = (Fixture::new(), Fixture::new());
    let url = format!("file://{}", library.user_folder().display());
    git(&fixture.user_folder(), &["submodule", "--quiet", "add", &url, "lib"]);
    git(&fixture.user_folder(), &["commit", "--quiet", "-m", "add a submodule"]);
    let tip = fixture.run.run_tip().unwrap();
    let head = fixture.run.repository.resolve_commit("HEAD").unwrap();
    fixture.run.advance_run_branch(&tip, &head).unwrap();
    let worktree = fixture.create_worktree("T1");
    let own = git(&worktree.path.join("lib"), &["rev-parse", "--absolute-git-dir"]);
    git(
        trap.folder.path(),
        &["clone", "--quiet", "--bare", &library.user_folder().display().to_string(), "forged"],
    );
    fs::write(trap.path("forged/config"), trap.configuration()).unwrap();
    fs::write(Path::new(&own).join("commondir"), format!("{}\n", trap.path("forged").display())).unwrap();
    write_file(&worktree.path, "lib/.gitattributes", "* filter=evil\n");
    write_file(&worktree.path, "lib/file", "changed\n");
    let commit = use_worktree(&fixture, &worktree).unwrap();
    trap.assert_not_sprung();
    let recorded = git(&fixture.user_folder(), &["rev-parse", &format!("{commit}:lib")]);
    assert_eq!(
        git(&fixture.user_folder().join(".git/modules/lib"), &["show", &format!("{recorded}:file")]),
        "changed"
    );
}

#[test]
fn git_does_not_wait_for_pipes_of_an_agent() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    write_file(&worktree.path, "folder/new", "x\n");
    let own = git_dir(&fixture, "T1");
    for pipe in [worktree.path.join("folder/.gitignore"), own.join("HEAD")] {
        let saved = fs::read(&pipe).ok();
        drop(fs::remove_file(&pipe));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let error = use_worktree(&fixture, &worktree).unwrap_err();
        assert!(
            matches!(&error, RepoError::PipeInTheWay { path } if path.ends_with(pipe.file_name().unwrap())),
            "{error}"
        );
        fs::remove_file(&pipe).unwrap();
        saved.iter().for_each(|content| fs::write(&pipe, content).unwrap());
    }
    use_worktree(&fixture, &worktree).unwrap();
}

#[test]
fn worktree_replaced_by_a_link_is_not_followed() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    let private = tempfile::tempdir().unwrap();
    write_file(private.path(), "secret", "S\n");
    fs::rename(&worktree.path, worktree.path.with_extension("moved")).unwrap();
    symlink(private.path(), &worktree.path).unwrap();
    let error = use_worktree(&fixture, &worktree).unwrap_err();
    assert!(matches!(error, RepoError::WorktreeReplaced { .. }), "{error}");
    let error = fixture.run.create_worktree(&worktree.task).unwrap_err();
    assert!(matches!(error, RepoError::WorktreeReplaced { .. }), "{error}");
    assert_eq!(fs::read_to_string(private.path().join("secret")).unwrap(), "S\n");
    assert!(!private.path().join("file").exists());
}

#[test]
fn nothing_is_written_or_removed_through_links_of_the_agent() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    let private = tempfile::tempdir().unwrap();
    write_file(private.path(), "victim", "V\n");
    write_file(private.path(), "folder/kept", "K\n");
    let victim = private.path().join("victim");
    let own = git_dir(&fixture, "T1");
    for number in 0..200 {
        symlink(&victim, own.join(format!("jangdan-index-{}-{number}", std::process::id()))).unwrap();
    }
    for name in ["jangdan-check-leftovers.new", "jangdan-check-leftovers"] {
        symlink(&victim, own.join(name)).unwrap();
    }
    write_file(&worktree.path, "new", "x\n");
    let before = fixture.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    write_file(&worktree.path, "left", "by the check\n");
    fixture.run.record_check_leftovers(&worktree, &before.tree, &[]).unwrap();
    assert_eq!(fs::read_to_string(&victim).unwrap(), "V\n");
    assert_eq!(fs::read_to_string(private.path().join("folder/kept")).unwrap(), "K\n");
    let again = fixture.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    assert_eq!(again.tree, before.tree, "the record was written");
}

#[test]
fn branch_that_a_worktree_of_the_run_claims_to_have_is_not_landed_there() {
    let trap = Trap::new();
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    let own = git_dir(&fixture, "T1");
    git(&fixture.user_folder(), &["checkout", "--quiet", "--detach"]);
    // A checkout with a configuration of the agent, which git lists as the place where the branch is checked out.
    git(trap.folder.path(), &["clone", "--quiet", &fixture.user_folder().display().to_string(), "forged"]);
    fs::write(trap.path("forged/.git/config"), trap.configuration()).unwrap();
    fs::write(own.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(own.join("gitdir"), format!("{}\n", trap.path("forged/.git").display())).unwrap();
    for path in [worktree.path.clone(), trap.path("forged")] {
        let error = fixture.run.has_uncommitted_changes(&path).unwrap_err();
        assert!(matches!(error, RepoError::NotACheckout { .. }), "{error}");
    }
    trap.assert_not_sprung();
}
