//! What git says about a working tree, taken apart: `status --porcelain=v2 -z`.

use std::{ffi::OsStr, path::PathBuf};

use crate::{
    RepoError,
    git::{Answer, Git, to_path},
};

/// What differs between an index and its working tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Status {
    /// Files that are new or have other content, another kind or another mode.
    pub(crate) changed: Vec<PathBuf>,
    /// Files that the index has and the working tree has not.
    pub(crate) gone: Vec<PathBuf>,
    /// Files that differ between HEAD and the index.
    pub(crate) staged: Vec<PathBuf>,
    /// Files that a merge left open; also among those that changed or are gone.
    pub(crate) unmerged: Vec<PathBuf>,
    /// Files that git does not track and does not ignore; also among those that changed.
    pub(crate) untracked: Vec<PathBuf>,
    /// Repositories that are no submodules.
    pub(crate) nested: Vec<PathBuf>,
}

/// Asks git for the status, by an index of the caller's if there is one.
pub(crate) fn status(git: &Git, index: Option<&OsStr>) -> Result<Status, RepoError> {
    let call = git.call([
        "status",
        "--porcelain=v2",
        "-z",
        "--untracked-files=all",
        "--no-renames",
        "--no-ahead-behind",
        "--ignore-submodules=none",
    ]);
    let answer = match index {
        Some(index) => call.with("GIT_INDEX_FILE", index),
        None => call,
    }
    .run()?;
    parse(&answer)
}

fn parse(answer: &Answer) -> Result<Status, RepoError> {
    let mut status = Status::default();
    for entry in answer.parts() {
        read(entry, &mut status).ok_or_else(|| answer.unreadable())?;
    }
    Ok(status)
}

/// Reads one entry: its kind, then fields that spaces part, then the name to the end.
fn read(entry: &[u8], status: &mut Status) -> Option<()> {
    let n_fields = match entry.first()? {
        b'1' => 8,
        b'u' => 10,
        b'?' => 1,
        b'#' | b'!' => return Some(()),
        _ => return None,
    };
    let mut fields: Vec<&[u8]> = entry.splitn(n_fields + 1, |byte| *byte == b' ').collect();
    let name = fields.pop().filter(|_| fields.len() == n_fields)?;
    if n_fields == 1 {
        match name.strip_suffix(b"/") {
            Some(folder) => status.nested.push(to_path(folder)),
            None => {
                status.untracked.push(to_path(name));
                status.changed.push(to_path(name));
            }
        }
        return Some(());
    }
    let (staged, unstaged) = (*fields.get(1)?.first()?, *fields.get(1)?.get(1)?);
    let is_unmerged = n_fields == 10;
    let is_gone = if is_unmerged { *fields.get(6)? == b"000000" } else { unstaged == b'D' };
    if is_unmerged {
        status.unmerged.push(to_path(name));
    } else if staged != b'.' {
        status.staged.push(to_path(name));
    }
    if is_gone {
        status.gone.push(to_path(name));
    } else if is_unmerged || unstaged != b'.' {
        status.changed.push(to_path(name));
    }
    Some(())
}
