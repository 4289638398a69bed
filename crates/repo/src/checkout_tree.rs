//! The tree that somebody's own checkout is now, for receipts of those who work in it. Nothing in the repository changes.

use std::{
    fs,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use crate::{
    GitOptions, RepoError, contents::Index, git::Git, repository::commit_of, worktree_slot::remove_tree,
};

/// Returns the tree of the checkout that a folder is in: what is tracked, and what is new and not ignored. Nothing where
/// there is no git. What is needed for it lies below another folder for as long as it takes.
pub fn checkout_tree(
    folder: &Path,
    options: &GitOptions,
    temporary_parent: &Path,
) -> Result<Option<String>, RepoError> {
    // Each task asks, and where there is none no program is needed to say so.
    if !folder.ancestors().any(|folder| folder.join(".git").exists()) {
        return Ok(None);
    }
    let git = Git::new(options, folder);
    let question =
        ["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-path", "objects"];
    let answer = git.call(question).run_or(&[128])?;
    let paths = answer.line();
    let lines: Vec<&Path> = paths.lines().map(Path::new).collect();
    let (0, [top, git_dir, objects]) = (answer.code, lines.as_slice()) else { return Ok(None) };
    let room = Room::make(temporary_parent)?;
    let git = git.in_worktree(top, git_dir).writing_to(&room.0.join("objects"), objects);
    let head = commit_of(&git, "HEAD")?;
    let index = Index::copied(&git, &git_dir.join("index"), room.0.join("index"), head.as_ref())?;
    // Repositories inside are somebody else's.
    index.take_in(&[])?;
    index.tree().map(Some)
}

/// A folder that is gone when it is dropped.
struct Room(PathBuf);

impl Room {
    fn make(temporary_parent: &Path) -> Result<Self, RepoError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("tree-{}-{}", process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let room = Self(temporary_parent.join(name));
        let made = fs::create_dir_all(room.0.join("objects"));
        made.map_err(|source| RepoError::Io { operation: "make", path: room.0.clone(), source })?;
        Ok(room)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // What stays is nobody's, and small.
        let _ = remove_tree(&self.0);
    }
}
