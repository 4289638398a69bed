//! A temporary user repository with a run in it, isolated from the machine's git settings.

use std::{
    ffi::OsStr,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use domain::TaskId;
use repo::{
    CommitId, CommitOptions, GitIdentity, GitOptions, MergeAttempt, Repository, RunRepository,
    TaskPairOverlap, TaskWorktree,
};
use tempfile::TempDir;

pub(crate) struct Fixture {
    pub folder: TempDir,
    pub run: RunRepository,
}

impl Fixture {
    /// Creates a repository with one commit, and a run `r1` that starts from it.
    pub(crate) fn new() -> Self {
        Self::with_base_files(|_| {})
    }

    /// Creates a repository whose first commit contains what `fill` writes.
    pub(crate) fn with_base_files(fill: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let user = folder.path().join("user");
        fs::create_dir(&user).unwrap();
        git(&user, &["init", "--quiet", "--template=", "-b", "main"]);
        write_file(&user, "file", "one\ntwo\nthree\n");
        write_file(&user, ".gitignore", "*.log\n");
        fill(&user);
        git(&user, &["add", "-A"]);
        git(&user, &["commit", "--quiet", "-m", "base"]);
        let run = open_run_in(folder.path());
        run.create_run_branch(&run.repository.resolve_commit("HEAD").unwrap()).unwrap();
        Self { folder, run }
    }

    pub(crate) fn user_folder(&self) -> PathBuf {
        self.folder.path().join("user")
    }

    pub(crate) fn create_worktree(&self, task: &str) -> TaskWorktree {
        self.run.create_worktree(&task_id(task)).unwrap()
    }

    /// Creates a task's worktree, changes it and commits the work.
    pub(crate) fn commit_task_work(&self, task: &str, change: impl FnOnce(&Path)) -> TaskWorktree {
        let worktree = self.create_worktree(task);
        change(&worktree.path);
        self.run.commit_work(&worktree, &commit_options()).unwrap();
        worktree
    }

    /// Merges a task and moves the run's branch.
    pub(crate) fn merge(&self, task: &str) -> MergeAttempt {
        let merge = self.run.merge_task(&task_id(task), &GitIdentity::jangdan()).unwrap();
        if let MergeAttempt::Merged { onto, commit, .. } = &merge {
            self.run.advance_run_branch(onto, commit).unwrap();
        }
        merge
    }
}

pub(crate) fn open_run_in(folder: &Path) -> RunRepository {
    let repository = Repository::discover(&folder.join("user"), &git_options()).unwrap();
    repository.open_run(&"r1".parse().unwrap(), &folder.join("worktrees")).unwrap()
}

/// Returns each pair of worktrees that changed the same files.
pub(crate) fn find_overlaps(run: &RunRepository, worktrees: &[TaskWorktree]) -> Vec<TaskPairOverlap> {
    let changed = |worktree: &TaskWorktree| (worktree.task.clone(), run.changed_files(worktree).unwrap());
    TaskPairOverlap::between_tasks(&worktrees.iter().map(changed).collect())
}

pub(crate) fn task_id(task: &str) -> TaskId {
    task.parse().unwrap()
}

pub(crate) fn commit_options() -> CommitOptions {
    let author = GitIdentity { name: "Agent".to_owned(), email: "agent@localhost".to_owned() };
    CommitOptions { author, message: "what the agent left\n".to_owned(), excluded: Vec::new() }
}

pub(crate) fn git_options() -> GitOptions {
    let variables = git_environment().into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    GitOptions {
        program: "git".into(),
        variables,
        // Tests do not need durability.
        settings: vec!["core.fsync=none".to_owned()],
        time_max: Duration::from_secs(60),
        output_bytes_max: 1 << 24,
    }
}

fn git_environment() -> Vec<(&'static str, String)> {
    let path = std::env::var("PATH").unwrap();
    vec![
        ("PATH", path),
        ("HOME", "/nonexistent".to_owned()),
        ("GIT_CONFIG_GLOBAL", "/dev/null".to_owned()),
        ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
    ]
}

/// Runs git as the user or an agent would, and returns its output.
pub(crate) fn git<A: AsRef<OsStr>>(folder: &Path, arguments: &[A]) -> String {
    let output = user_git_command(folder).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned()
}

pub(crate) fn user_git_command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(folder).env_clear().envs(git_environment());
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "User").env(format!("GIT_{role}_EMAIL"), "user@localhost");
    }
    command.args(["-c", "protocol.file.allow=always"]);
    command
}

pub(crate) fn write_file(folder: &Path, name: impl AsRef<Path>, content: impl AsRef<[u8]>) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

pub(crate) fn create_link(folder: &Path, name: impl AsRef<Path>, target: &str) {
    let path = folder.join(name);
    let _ = fs::remove_file(&path);
    symlink(target, path).unwrap();
}

/// Returns the file names in a commit, NUL-terminated.
pub(crate) fn file_names_in_commit(folder: &Path, commit: &CommitId) -> String {
    git(folder, &["ls-tree", "-r", "-z", "--name-only", commit.as_str()])
}
