//! One worktree on disk: created in steps that a crash may interrupt, recognized again, removed.
//!
//! Invariant: the file [`READY_MARKER`] in the worktree's git directory is written last on creation and removed first
//! on removal. Without it, no agent works there.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use domain::{LargeFile, TaskId};

use crate::{
    CommitId, RepoError, Repository, RunRepository, UntrackedFileRules,
    confined_folder::{is_real_folder, read_regular_file, set_folder_mode},
    git::GitClient,
    names::worktree_folder_name,
    worktree_lock,
};

/// Marks a complete worktree.
const READY_MARKER: &str = "jangdan-ready";
/// Prefix for the git directory of a worktree that is being removed.
pub(crate) const REMOVED_PREFIX: &str = "jangdan-gone-";
/// Prevents `git worktree prune` from removing worktrees while their disk is not mounted.
const LOCK_REASON: &str = "jangdan: used by a run";

/// The worktree of a task.
#[derive(Debug, Clone)]
pub struct TaskWorktree {
    /// Id of the task.
    pub task: TaskId,
    /// Folder of the worktree.
    pub path: PathBuf,
    /// Name of the task's branch.
    pub branch: String,
    pub(crate) slot: WorktreeSlot,
}

/// The paths of a worktree, which need not exist.
#[derive(Debug, Clone)]
pub(crate) struct WorktreeSlot {
    /// Name among the worktrees of the run.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) git_dir: PathBuf,
    /// Where the git directory is moved on removal.
    removed_git_dir: PathBuf,
    pub(crate) git: GitClient,
    pub(crate) untracked_files: UntrackedFileRules,
}

/// What exists on disk for a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SlotState {
    Empty,
    /// A complete worktree.
    Ready,
    /// An incomplete worktree, possibly with files.
    Incomplete,
    /// Only the git directory: the worktree's folder was deleted.
    Deleted,
    /// Files that do not belong to this run.
    Foreign,
    /// Something else in place of the worktree, such as a link.
    Replaced,
}

/// What to check out in a new worktree.
pub(crate) enum CheckoutTarget<'a> {
    Branch(&'a str),
    Detached(&'a CommitId),
}

impl TaskWorktree {
    /// Lets commits and snapshots have these files above the size limit.
    #[must_use]
    pub fn with_large_files(mut self, files: &[LargeFile]) -> Self {
        files.clone_into(&mut self.slot.untracked_files.large_files);
        self
    }
}

impl WorktreeSlot {
    pub(crate) fn new(run: &RunRepository, name: String) -> Self {
        let (common, folder) = (&run.repository.common, worktree_folder_name(&run.run_id, &name));
        let path = run.worktrees_folder.join(&folder);
        let git_dir = common.join("worktrees").join(&folder);
        let git = run.repository.git.in_worktree(&path, &git_dir, common);
        let gone = common.join(format!("{REMOVED_PREFIX}{folder}"));
        let untracked_files = run.repository.untracked_files.clone();
        Self { name, path, git_dir, removed_git_dir: gone, git, untracked_files }
    }

    pub(crate) fn state(&self) -> SlotState {
        let link = read_regular_file(&self.git_dir.join("gitdir")).ok().flatten();
        let link = link.and_then(|bytes| String::from_utf8(bytes).ok());
        let ours = self.path.join(".git");
        let is_linked = link.as_deref().is_some_and(|text| Path::new(text.trim_end_matches('\n')) == ours);
        let exists = self.path.symlink_metadata().is_ok();
        if is_linked && exists && !is_real_folder(&self.path) {
            return SlotState::Replaced;
        }
        if link.is_some() && !is_linked {
            return SlotState::Foreign;
        }
        let is_ready = self.git_dir.join(READY_MARKER).exists();
        match (is_linked, is_ready, exists) {
            (true, true, true) => SlotState::Ready,
            (true, _, true) => SlotState::Incomplete,
            (true, _, false) => SlotState::Deleted,
            // Git had not linked the two folders yet, so no agent can have worked there.
            (false, _, true) if !has_files_besides_git(&self.path) => SlotState::Incomplete,
            (false, _, true) => SlotState::Foreign,
            (false, _, false) if self.git_dir.exists() || self.removed_git_dir.exists() => SlotState::Deleted,
            (false, _, false) => SlotState::Empty,
        }
    }

    /// Creates the worktree; the slot must be empty.
    pub(crate) fn create(
        &self,
        repository: &Repository,
        checkout: &CheckoutTarget<'_>,
    ) -> Result<(), RepoError> {
        let add = ["worktree", "add", "--quiet", "--no-checkout", "--lock", "--reason", LOCK_REASON];
        worktree_lock::run_exclusive(&repository.common, || {
            let call = repository.git.call(add);
            match checkout {
                CheckoutTarget::Branch(branch) => call.arg(&self.path).arg(branch),
                CheckoutTarget::Detached(commit) => call.arg("--detach").arg(&self.path).arg(commit.as_str()),
            }
        })?;
        if self.state() != SlotState::Incomplete {
            return Err(RepoError::PathOccupied { path: self.git_dir.clone() });
        }
        self.git.call(["reset", "--quiet", "--hard"]).run()?;
        repository.checkout_submodules(&self.git)?;
        fs::write(self.git_dir.join(READY_MARKER), "").map_err(|source| RepoError::Io {
            operation: "mark",
            path: self.git_dir.clone(),
            source,
        })
    }

    /// Returns the error for a path that something else occupies.
    pub(crate) fn occupied_error(&self) -> RepoError {
        RepoError::PathOccupied { path: self.path.clone() }
    }

    pub(crate) fn replaced_error(&self) -> RepoError {
        RepoError::WorktreeReplaced { path: self.path.clone() }
    }

    /// Removes the worktree and its git directory, whatever they contain. Can be repeated.
    pub(crate) fn remove_from_disk(&self) -> Result<(), RepoError> {
        let io = |path: &Path, source| RepoError::Io { operation: "remove", path: path.to_owned(), source };
        ignore_not_found(fs::remove_file(self.git_dir.join(READY_MARKER)))
            .map_err(|source| io(&self.git_dir, source))?;
        remove_folder(&self.path).map_err(|source| io(&self.path, source))?;
        // Move it away in one step: an incomplete git directory makes every command fail that lists worktrees.
        remove_folder(&self.removed_git_dir).map_err(|source| io(&self.removed_git_dir, source))?;
        ignore_not_found(fs::rename(&self.git_dir, &self.removed_git_dir))
            .map_err(|source| io(&self.git_dir, source))?;
        remove_folder(&self.removed_git_dir).map_err(|source| io(&self.removed_git_dir, source))
    }

    /// Tells whether git can use the worktree: it is linked and its git directory is intact.
    pub(crate) fn is_git_dir_intact(&self) -> bool {
        // A missing or unreadable file is not intact either.
        let read = |name| {
            let bytes = read_regular_file(&self.git_dir.join(name)).ok().flatten().unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let head = read("HEAD");
        // Git first writes an id of zeros.
        !read("commondir").trim().is_empty() && head.trim().bytes().any(|byte| byte != b'0')
    }

    /// Tells whether there are files that only a checkout or an agent can have created.
    pub(crate) fn has_files(&self) -> bool {
        has_files_besides_git(&self.path)
    }
}

/// Tells whether a folder contains anything besides the `.git` file.
fn has_files_besides_git(path: &Path) -> bool {
    fs::read_dir(path).is_ok_and(|entries| entries.flatten().any(|entry| entry.file_name() != ".git"))
}

/// Treats a missing file as removed.
pub(crate) fn ignore_not_found(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Removes a folder with its content. Package caches create read-only folders, which are made writable first.
pub(crate) fn remove_folder(path: &Path) -> io::Result<()> {
    match ignore_not_found(fs::remove_dir_all(path)) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            make_folders_writable(path)?;
            ignore_not_found(fs::remove_dir_all(path))
        }
        other => other,
    }
}

fn make_folders_writable(path: &Path) -> io::Result<()> {
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        set_folder_mode(&folder, fs::Permissions::from_mode(0o700))?;
        for entry in fs::read_dir(&folder)?.flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
        }
    }
    Ok(())
}
