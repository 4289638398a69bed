//! Writes the tree of everything in a worktree, using a temporary index: the worktree's own index and HEAD are not
//! changed.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    fs::{self, File, Metadata},
    io,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use domain::LargeFile;
use rustix::{
    io::Errno,
    process::{Pid, test_kill_process},
};

use crate::{
    CommitId, RepoError, UntrackedFileRules,
    check_leftovers::{CheckLeftovers, TreeChange, index_changes},
    confined_folder::ConfinedFolder,
    git::{GitClient, nul_list, to_path},
    leftover::remove_temporary_file,
    nested_repositories,
    repository::find_commit,
    status::{WorkingTreeStatus, working_tree_status},
    untracked_files::{LeftOutFileFilter, large_file},
    worktree_slot::WorktreeSlot,
};

/// A process id and a number follow.
const TEMPORARY_INDEX_PREFIX: &str = "jangdan-index-";

/// The tree of a worktree and what was noticed while writing it.
pub(crate) struct WorktreeTree {
    /// Id of the tree.
    pub(crate) tree: String,
    /// Checked-out commit; `None` if an agent started a branch without one.
    pub(crate) head: Option<CommitId>,
    /// Files with merge conflicts.
    pub(crate) unmerged: Vec<PathBuf>,
    /// Nested repositories. Their files are in the tree, their history is not.
    pub(crate) nested: Vec<PathBuf>,
    /// Untracked files that are not in the tree: caches.
    pub(crate) caches: BTreeSet<PathBuf>,
    /// Files above the size limit that are not in the tree, except those of the last check.
    pub(crate) large_files: BTreeMap<PathBuf, Metadata>,
    /// Files above the size limit that the last check left behind.
    pub(crate) large_leftovers: Vec<PathBuf>,
    /// Changes by the last check that are not in the tree.
    pub(crate) leftovers: Vec<TreeChange>,
}

impl WorktreeTree {
    /// Returns the files above the size limit that are not in the tree.
    pub(crate) fn listed_large_files(&self) -> Vec<LargeFile> {
        self.large_files.iter().map(|(path, metadata)| large_file(path, metadata.len())).collect()
    }
}

/// Writes the tree of the work in a worktree: tracked files, and untracked files that are not ignored, without the
/// excluded paths, caches, files above the size limit, and what the last check left behind.
pub(crate) fn write_worktree_tree(
    slot: &WorktreeSlot,
    excluded: &[PathBuf],
) -> Result<WorktreeTree, RepoError> {
    write_tree_without(CheckoutFiles::of_slot(slot), excluded, &CheckLeftovers::read(slot)?)
}

/// Like [`write_worktree_tree`], with files above the size limit.
pub(crate) fn write_tree_with_large_files(
    slot: &WorktreeSlot,
    excluded: &[PathBuf],
) -> Result<WorktreeTree, RepoError> {
    let rules = UntrackedFileRules { bytes_max: None, ..slot.untracked_files.clone() };
    let files = CheckoutFiles { untracked_files: Some(&rules), ..CheckoutFiles::of_slot(slot) };
    write_tree_without(files, excluded, &CheckLeftovers::read(slot)?)
}

/// Writes the tree of a worktree with what its last check left behind, except files above the size limit.
pub(crate) fn write_tree_with_leftovers(slot: &WorktreeSlot) -> Result<WorktreeTree, RepoError> {
    write_tree_without(CheckoutFiles::of_slot(slot), &[], &CheckLeftovers::default())
}

/// Like [`write_worktree_tree`], for a checkout of the user. `git` works in the root of the checkout.
pub(crate) fn write_checkout_tree(
    git: &GitClient,
    git_dir: &Path,
    excluded: &[PathBuf],
    untracked_files: &UntrackedFileRules,
) -> Result<WorktreeTree, RepoError> {
    let files = CheckoutFiles { git, git_dir, untracked_files: Some(untracked_files) };
    write_tree_without(files, excluded, &CheckLeftovers::default())
}

/// The files of a checkout.
#[derive(Clone, Copy)]
struct CheckoutFiles<'a> {
    git: &'a GitClient,
    git_dir: &'a Path,
    /// `None` if all untracked files count.
    untracked_files: Option<&'a UntrackedFileRules>,
}

impl<'a> CheckoutFiles<'a> {
    fn of_slot(slot: &'a WorktreeSlot) -> Self {
        Self { git: &slot.git, git_dir: &slot.git_dir, untracked_files: Some(&slot.untracked_files) }
    }
}

fn write_tree_without(
    files: CheckoutFiles<'_>,
    excluded: &[PathBuf],
    check_leftovers: &CheckLeftovers,
) -> Result<WorktreeTree, RepoError> {
    let CheckoutFiles { git, git_dir, untracked_files } = files;
    let head = find_commit(git, "HEAD")?;
    let index = TemporaryIndex::for_git_dir(git, git_dir, head.as_ref())?;
    let left_out = LeftOutFileFilter::new(git.folder(), untracked_files);
    let status = index.add_working_tree(excluded, |path| left_out.contains(path))?;
    let is_excluded = |path: &PathBuf| excluded.contains(path) || left_out.contains(path);
    let mut lines = nested_repositories::store_nested_files(git, &status.nested, is_excluded)?;
    index.update_paths(&["--force-remove"], excluded)?;
    lines.extend(index.head_entries(head.as_ref(), excluded)?);
    if !lines.is_empty() {
        index.run_git_call(&["update-index", "-z", "--index-info"], lines)?;
    }
    let leftovers = index.remove_leftovers(check_leftovers, head.as_ref())?;
    let tree = index.write_tree()?;
    let caches = status.untracked.into_iter().filter(|path| left_out.is_cache(path)).collect();
    let mut large_files = left_out.into_large_files();
    large_files.retain(|path, _| !excluded.contains(path));
    let of_check =
        large_files.extract_if(.., |path, metadata| check_leftovers.has_large_file(path, metadata));
    let large_leftovers = of_check.map(|(path, _)| path).collect();
    let (unmerged, nested) = (status.unmerged, status.nested);
    Ok(WorktreeTree { tree, head, unmerged, nested, caches, large_files, large_leftovers, leftovers })
}

/// A temporary index file, removed on drop.
pub(crate) struct TemporaryIndex<'a> {
    git: &'a GitClient,
    path: PathBuf,
}

impl<'a> TemporaryIndex<'a> {
    /// Copies the worktree's index, or creates one from HEAD if there is none.
    fn for_git_dir(git: &'a GitClient, git_dir: &Path, head: Option<&CommitId>) -> Result<Self, RepoError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{TEMPORARY_INDEX_PREFIX}{}-{number}", process::id());
        // The agent can write to the git directory of its worktree, also links that git would follow.
        let folder = git.common_dir().unwrap_or(git_dir);
        Self::copy_from(git, &git_dir.join("index"), folder.join(name), head)
    }

    /// Copies an index to `path`, or creates one from HEAD if there is none.
    pub(crate) fn copy_from(
        git: &'a GitClient,
        from: &Path,
        path: PathBuf,
        head: Option<&CommitId>,
    ) -> Result<Self, RepoError> {
        let index = Self { git, path };
        match copy_with_mtime(from, &index.path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                index.run_git_call(&["read-tree", head.map_or("--empty", CommitId::as_str)], Vec::new())?;
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

    /// Adds the content of the working tree, except nested repositories, excluded paths, and untracked files that are
    /// left out.
    pub(crate) fn add_working_tree(
        &self,
        excluded: &[PathBuf],
        is_left_out: impl Fn(&Path) -> bool,
    ) -> Result<WorkingTreeStatus, RepoError> {
        self.clear_hidden_flags()?;
        let mut status = working_tree_status(self.git, Some(self.path_os_str()))?;
        let is_kept = |path: &PathBuf| !excluded.contains(path);
        let left_out: BTreeSet<&PathBuf> = status.untracked.iter().filter(|path| is_left_out(path)).collect();
        status.changed.retain(|path| is_kept(path) && !left_out.contains(path));
        status.missing.retain(is_kept);
        // Missing files first: a folder may have become a file or a link to another folder.
        self.update_paths(&["--force-remove"], &status.missing)?;
        self.update_paths(&["--add", "--remove", "--replace"], &status.changed)?;
        Ok(status)
    }

    /// Replaces files that are as the last check left them by those of HEAD, and returns the changes of the check.
    fn remove_leftovers(
        &self,
        leftovers: &CheckLeftovers,
        head: Option<&CommitId>,
    ) -> Result<Vec<TreeChange>, RepoError> {
        let (Some(head), false) = (head, leftovers.is_empty()) else { return Ok(Vec::new()) };
        let mut changes = index_changes(self.git, &self.path, head)?;
        changes.retain(|change| leftovers.contains(change));
        let lines: Vec<u8> =
            changes.iter().flat_map(|change| change.before.index_line(&change.path)).collect();
        if !lines.is_empty() {
            self.run_git_call(&["update-index", "-z", "--index-info"], lines)?;
        }
        Ok(changes)
    }

    /// Writes the tree of this index.
    pub(crate) fn write_tree(&self) -> Result<String, RepoError> {
        Ok(self.run_git_call(&["write-tree"], Vec::new())?.trimmed_text())
    }

    fn path_os_str(&self) -> &OsStr {
        self.path.as_os_str()
    }

    fn run_git_call(&self, arguments: &[&str], input: Vec<u8>) -> Result<crate::git::GitOutput, RepoError> {
        self.git.call(arguments).env("GIT_INDEX_FILE", &self.path).input(input).run()
    }

    fn update_paths(&self, options: &[&str], paths: &[PathBuf]) -> Result<(), RepoError> {
        if paths.is_empty() {
            return Ok(());
        }
        let arguments = [&["update-index", "-z"], options, &["--stdin"]].concat();
        self.run_git_call(&arguments, nul_list(paths)).map(drop)
    }

    /// Clears the flags that make git ignore changes to a file.
    fn clear_hidden_flags(&self) -> Result<(), RepoError> {
        let listed = self.run_git_call(&["ls-files", "-v", "-z"], Vec::new())?;
        let (mut assumed, mut skipped) = (Vec::new(), Vec::new());
        for entry in listed.nul_parts() {
            let (Some(mark), Some(name)) = (entry.first(), entry.get(2..)) else { continue };
            if mark.is_ascii_lowercase() {
                assumed.push(to_path(name));
            }
            if mark.eq_ignore_ascii_case(&b'S') {
                skipped.push(to_path(name));
            }
        }
        self.update_paths(&["--no-assume-unchanged"], &assumed)?;
        self.update_paths(&["--no-skip-worktree"], &skipped)
    }

    /// Returns the index entries of HEAD for the given paths, so that staged versions of excluded files are not
    /// stored.
    fn head_entries(&self, head: Option<&CommitId>, paths: &[PathBuf]) -> Result<Vec<u8>, RepoError> {
        let (Some(head), false) = (head, paths.is_empty()) else { return Ok(Vec::new()) };
        let call = self.git.call(["ls-tree", "-z", "--full-tree", head.as_str(), "--"]);
        Ok(paths.iter().fold(call, |call, path| call.arg(path)).run()?.output)
    }
}

impl Drop for TemporaryIndex<'_> {
    fn drop(&mut self) {
        // A leftover is removed at the next start of the run.
        remove_temporary_file(&self.path);
    }
}

/// Copies an index with its modification time. Git compares it with file times to detect changes made in the same
/// instant; a newer copy would hide them.
fn copy_with_mtime(from: &Path, to: &Path) -> io::Result<()> {
    let (Some(folder), Some(name)) = (from.parent(), from.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let mut from = ConfinedFolder::open(folder)?.open_file(Path::new(name))?;
    let mut to = File::options().write(true).create_new(true).open(to)?;
    io::copy(&mut from, &mut to)?;
    to.set_modified(from.metadata()?.modified()?)
}

/// Removes the temporary indexes of processes that were killed.
pub(crate) fn remove_stale_indexes(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(TEMPORARY_INDEX_PREFIX));
        let pid = pid.and_then(|rest| rest.split('-').next()?.parse().ok()).and_then(Pid::from_raw);
        if pid.is_some_and(|pid| test_kill_process(pid) == Err(Errno::SRCH)) {
            remove_temporary_file(&entry.path());
        }
    }
}
