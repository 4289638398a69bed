//! Finds named pipes where git expects files: git would wait forever for a program that writes to them.
//!
//! An agent can create one in its worktree and in the git directory of it. Only calls that take long look for one.

use std::{
    fs,
    os::unix::fs::FileTypeExt,
    path::{Path, PathBuf},
};

/// Files that git opens in every folder of a worktree.
const OPENED_NAMES: [&str; 4] = [".gitattributes", ".gitignore", ".gitmodules", ".mailmap"];
/// Folders of a repository in which agents can write and git opens every file.
const SHARED_FOLDERS: [&str; 2] = ["refs", "logs"];
/// Limit of the entries that are looked at; larger worktrees are rare.
const ENTRIES_MAX: usize = 2_000_000;

/// Returns a pipe that makes git wait. `git_dir` is that of an agent's worktree, if the call is for one.
pub(crate) fn find_blocking_pipe(
    folder: &Path,
    git_dir: Option<&Path>,
    common_dir: &Path,
) -> Option<PathBuf> {
    let shared = SHARED_FOLDERS.iter().map(|name| common_dir.join(name));
    let is_opened = |path: &Path| OPENED_NAMES.iter().any(|name| path.ends_with(name));
    shared
        .chain(git_dir.map(Path::to_owned))
        .find_map(|folder| find_pipe(folder, |_| true))
        .or_else(|| git_dir.and_then(|_| find_pipe(folder.to_owned(), is_opened)))
}

/// Links are not followed.
fn find_pipe(folder: PathBuf, is_relevant: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let mut folders = vec![folder];
    let mut n_entries = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            n_entries += 1;
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            if kind.is_fifo() && is_relevant(&path) {
                return Some(path);
            }
            if kind.is_dir() && n_entries < ENTRIES_MAX {
                folders.push(path);
            }
        }
    }
    None
}
