//! The tree of everything in a worktree, made by an index of our own: the worktree's index and HEAD stay as they are.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use crate::{
    CommitId, RepoError,
    git::{Git, nul_list, to_path},
    nested,
    repository::commit_of,
    status::{Status, status},
    worktree_slot::Slot,
};

/// What is in a worktree.
pub(crate) struct Contents {
    /// The tree's name.
    pub(crate) tree: String,
    /// The commit that is checked out; an agent may have begun a branch without one.
    pub(crate) head: Option<CommitId>,
    /// Files that a merge left open.
    pub(crate) unmerged: Vec<PathBuf>,
    /// Repositories that are no submodules. Their files are in the tree, their history is not.
    pub(crate) nested: Vec<PathBuf>,
}

/// Writes the tree of what is tracked and of what is new and not ignored, without the files that are left out.
pub(crate) fn contents(slot: &Slot, leave_out: &[PathBuf]) -> Result<Contents, RepoError> {
    let git = &slot.git;
    let head = commit_of(git, "HEAD")?;
    let index = Index::of(slot, head.as_ref())?;
    let status = index.take_in(leave_out)?;
    let mut lines = nested::entries(git, &status.nested, leave_out)?;
    index.update(&["--force-remove"], leave_out)?;
    lines.extend(index.as_committed(head.as_ref(), leave_out)?);
    if !lines.is_empty() {
        index.call(&["update-index", "-z", "--index-info"], lines)?;
    }
    let tree = index.tree()?;
    Ok(Contents { tree, head, unmerged: status.unmerged, nested: status.nested })
}

/// An index of our own, gone when it is dropped.
pub(crate) struct Index<'a> {
    git: &'a Git,
    path: PathBuf,
}

impl<'a> Index<'a> {
    /// Copies the worktree's index, or makes one from HEAD where there is none.
    fn of(slot: &'a Slot, head: Option<&CommitId>) -> Result<Self, RepoError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("jangdan-index-{}-{}", process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        Self::copied(&slot.git, &slot.git_dir.join("index"), slot.git_dir.join(name), head)
    }

    /// Copies an index to another place, or makes one from HEAD where there is none.
    pub(crate) fn copied(
        git: &'a Git,
        from: &Path,
        path: PathBuf,
        head: Option<&CommitId>,
    ) -> Result<Self, RepoError> {
        let index = Self { git, path };
        match copy_with_time(from, &index.path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                index.call(&["read-tree", head.map_or("--empty", CommitId::as_str)], Vec::new())?;
            }
            Err(source) => {
                return Err(RepoError::Io {
                    operation: "copy the index to",
                    path: index.path.clone(),
                    source,
                });
            }
        }
        Ok(index)
    }

    /// Takes in what the working tree has, but for repositories inside and for what is left out.
    pub(crate) fn take_in(&self, leave_out: &[PathBuf]) -> Result<Status, RepoError> {
        self.show_hidden()?;
        let mut status = status(self.git, Some(self.name()))?;
        let is_kept = |path: &PathBuf| !leave_out.contains(path);
        status.changed.retain(is_kept);
        status.gone.retain(is_kept);
        // First what is gone: a folder may have become a file, or a link to another folder.
        self.update(&["--force-remove"], &status.gone)?;
        self.update(&["--add", "--remove", "--replace"], &status.changed)?;
        Ok(status)
    }

    /// Writes the tree that it stands for.
    pub(crate) fn tree(&self) -> Result<String, RepoError> {
        Ok(self.call(&["write-tree"], Vec::new())?.line())
    }

    fn name(&self) -> &OsStr {
        self.path.as_os_str()
    }

    fn call(&self, arguments: &[&str], input: Vec<u8>) -> Result<crate::git::Answer, RepoError> {
        self.git.call(arguments).with("GIT_INDEX_FILE", &self.path).input(input).run()
    }

    fn update(&self, options: &[&str], paths: &[PathBuf]) -> Result<(), RepoError> {
        if paths.is_empty() {
            return Ok(());
        }
        let arguments = [&["update-index", "-z"], options, &["--stdin"]].concat();
        self.call(&arguments, nul_list(paths)).map(drop)
    }

    /// Clears the marks by which git looks away from a changed file.
    fn show_hidden(&self) -> Result<(), RepoError> {
        let listed = self.call(&["ls-files", "-v", "-z"], Vec::new())?;
        let (mut assumed, mut skipped) = (Vec::new(), Vec::new());
        for entry in listed.parts() {
            let (Some(mark), Some(name)) = (entry.first(), entry.get(2..)) else { continue };
            if mark.is_ascii_lowercase() {
                assumed.push(to_path(name));
            }
            if mark.eq_ignore_ascii_case(&b'S') {
                skipped.push(to_path(name));
            }
        }
        self.update(&["--no-assume-unchanged"], &assumed)?;
        self.update(&["--no-skip-worktree"], &skipped)
    }

    /// Returns what HEAD has of files, as entries: what an agent staged of them is not kept either.
    fn as_committed(&self, head: Option<&CommitId>, paths: &[PathBuf]) -> Result<Vec<u8>, RepoError> {
        let (Some(head), false) = (head, paths.is_empty()) else { return Ok(Vec::new()) };
        let call = self.git.call(["ls-tree", "-z", "--full-tree", head.as_str(), "--"]);
        Ok(paths.iter().fold(call, |call, path| call.arg(path)).run()?.output)
    }
}

impl Drop for Index<'_> {
    fn drop(&mut self) {
        // What stays goes with the worktree; it is nobody's.
        let _ = fs::remove_file(&self.path);
    }
}

/// Copies an index with its time. Git compares a file's time with the index's to see whether it may have changed
/// unseen in the same moment; a newer copy would hide that.
fn copy_with_time(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    File::options().write(true).open(to)?.set_modified(fs::metadata(from)?.modified()?)
}
