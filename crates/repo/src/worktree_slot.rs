//! One worktree on the disk: made in steps that a crash may come between, found again, undone.
//!
//! Invariant: the file [`READY`] in git's folder of a worktree is written last when it is made, and removed first when it is
//! removed. Without it nobody has worked there yet, or nobody will again.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use domain::TaskId;

use crate::{CommitId, RepoError, Repository, RunRepository, git::Git, linking, names::folder};

/// Says that a worktree is whole.
const READY: &str = "jangdan-ready";
/// Begins the name of git's folder of a worktree that is being removed.
pub(crate) const GONE: &str = "jangdan-gone-";
/// Keeps `git worktree prune` away while the disk with our data is not there.
const LOCK_REASON: &str = "jangdan: a run works here";

/// The worktree of a task.
#[derive(Debug, Clone)]
pub struct TaskWorktree {
    /// The task.
    pub task: TaskId,
    /// Where it is.
    pub path: PathBuf,
    /// The task's branch.
    pub branch: String,
    pub(crate) slot: Slot,
}

/// A place for a worktree, and git's folder that belongs to it.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    /// Its name among those of its run.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) git_dir: PathBuf,
    /// Where git's folder goes on its way out.
    gone: PathBuf,
    pub(crate) git: Git,
}

/// What is in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing.
    Nothing,
    /// A whole worktree.
    Ready,
    /// A worktree that is not whole, perhaps with files.
    Half,
    /// Git's folder alone: somebody deleted the worktree.
    Deleted,
    /// What is not ours.
    Foreign,
}

/// What is checked out in a new worktree.
pub(crate) enum Checkout<'a> {
    Branch(&'a str),
    Detached(&'a CommitId),
}

impl Slot {
    pub(crate) fn new(run: &RunRepository, name: String) -> Self {
        let (common, folder) = (&run.repository.common, folder(&run.run_id, &name));
        let path = run.worktrees_folder.join(&folder);
        let git_dir = common.join("worktrees").join(&folder);
        let git = run.repository.git.in_worktree(&path, &git_dir);
        let gone = common.join(format!("{GONE}{folder}"));
        Self { name, path, git_dir, gone, git }
    }

    pub(crate) fn look(&self) -> Found {
        let link = fs::read_to_string(self.git_dir.join("gitdir")).ok();
        let ours = self.path.join(".git");
        let is_linked = link.as_deref().is_some_and(|text| Path::new(text.trim_end_matches('\n')) == ours);
        if link.is_some() && !is_linked {
            return Found::Foreign;
        }
        let is_ready = self.git_dir.join(READY).exists();
        match (is_linked, is_ready, self.path.is_dir()) {
            (true, true, true) => Found::Ready,
            (true, _, true) => Found::Half,
            (true, _, false) => Found::Deleted,
            // Git had not linked the two yet, so nobody can have worked there.
            (false, _, true) if !holds_files(&self.path) => Found::Half,
            (false, _, true) => Found::Foreign,
            (false, _, false) if self.git_dir.exists() || self.gone.exists() => Found::Deleted,
            (false, _, false) => Found::Nothing,
        }
    }

    /// Makes the worktree where nothing is.
    pub(crate) fn make(&self, repository: &Repository, checkout: &Checkout<'_>) -> Result<(), RepoError> {
        let add = ["worktree", "add", "--quiet", "--no-checkout", "--lock", "--reason", LOCK_REASON];
        linking::make(&repository.common, || {
            let call = repository.git.call(add);
            match checkout {
                Checkout::Branch(branch) => call.arg(&self.path).arg(branch),
                Checkout::Detached(commit) => call.arg("--detach").arg(&self.path).arg(commit.as_str()),
            }
        })?;
        if self.look() != Found::Half {
            return Err(RepoError::PathOccupied { path: self.git_dir.clone() });
        }
        self.git.call(["reset", "--quiet", "--hard"]).run()?;
        repository.set_up_submodules(&self.path)?;
        fs::write(self.git_dir.join(READY), "").map_err(|source| RepoError::Io {
            operation: "mark",
            path: self.git_dir.clone(),
            source,
        })
    }

    /// Removes the worktree and git's folder of it, whatever is inside. Done twice is done once.
    pub(crate) fn undo(&self) -> Result<(), RepoError> {
        let io = |path: &Path, source| RepoError::Io { operation: "remove", path: path.to_owned(), source };
        absent(fs::remove_file(self.git_dir.join(READY))).map_err(|source| io(&self.git_dir, source))?;
        remove_tree(&self.path).map_err(|source| io(&self.path, source))?;
        // Out of git's sight in one step: half a folder there makes every call fail that looks at all worktrees.
        remove_tree(&self.gone).map_err(|source| io(&self.gone, source))?;
        absent(fs::rename(&self.git_dir, &self.gone)).map_err(|source| io(&self.git_dir, source))?;
        remove_tree(&self.gone).map_err(|source| io(&self.gone, source))
    }

    /// Tells whether git can work there: it had come so far, and its folder is not damaged.
    pub(crate) fn is_linked_whole(&self) -> bool {
        let read = |name| fs::read_to_string(self.git_dir.join(name)).unwrap_or_default();
        let head = read("HEAD");
        // Git writes a name of zeros first.
        !read("commondir").trim().is_empty() && head.trim().bytes().any(|byte| byte != b'0')
    }

    /// Tells whether there are files that only a checkout or an agent can have made.
    pub(crate) fn holds_files(&self) -> bool {
        holds_files(&self.path)
    }
}

/// Tells whether a folder has more in it than the `.git` file.
fn holds_files(path: &Path) -> bool {
    fs::read_dir(path).is_ok_and(|entries| entries.flatten().any(|entry| entry.file_name() != ".git"))
}

/// Takes what is not there for removed.
pub(crate) fn absent(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Removes a folder and what is in it. Package caches make folders that nobody may write; those are opened first.
pub(crate) fn remove_tree(path: &Path) -> io::Result<()> {
    match absent(fs::remove_dir_all(path)) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_folders(path)?;
            absent(fs::remove_dir_all(path))
        }
        other => other,
    }
}

fn open_folders(path: &Path) -> io::Result<()> {
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700))?;
        for entry in fs::read_dir(&folder)?.flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
        }
    }
    Ok(())
}
