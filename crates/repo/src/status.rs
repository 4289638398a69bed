//! Runs and parses `git status --porcelain=v2 -z`.

use std::{ffi::OsStr, path::PathBuf};

use crate::{
    RepoError,
    git::{GitClient, GitOutput, to_path},
};

/// Differences between an index and its working tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct WorkingTreeStatus {
    /// Files that are new or differ in content, kind or mode.
    pub(crate) changed: Vec<PathBuf>,
    /// Files in the index that the working tree lacks.
    pub(crate) missing: Vec<PathBuf>,
    /// Files that differ between HEAD and the index.
    pub(crate) staged: Vec<PathBuf>,
    /// Files with merge conflicts; also in `changed` or `missing`.
    pub(crate) unmerged: Vec<PathBuf>,
    /// Files that are neither tracked nor ignored; also in `changed`.
    pub(crate) untracked: Vec<PathBuf>,
    /// Nested repositories that are not submodules.
    pub(crate) nested: Vec<PathBuf>,
}

/// Returns the status, using another index if one is given.
pub(crate) fn working_tree_status(
    git: &GitClient,
    index: Option<&OsStr>,
) -> Result<WorkingTreeStatus, RepoError> {
    let call = git.call([
        "status",
        "--porcelain=v2",
        "-z",
        "--untracked-files=all",
        "--no-renames",
        "--no-ahead-behind",
        // Without this, git would run inside submodules, whose configuration an agent can write.
        "--ignore-submodules=dirty",
    ]);
    let answer = match index {
        Some(index) => call.env("GIT_INDEX_FILE", index),
        None => call,
    }
    .run()?;
    parse_status(&answer)
}

fn parse_status(answer: &GitOutput) -> Result<WorkingTreeStatus, RepoError> {
    let mut status = WorkingTreeStatus::default();
    for entry in answer.nul_parts() {
        parse_entry(entry, &mut status).ok_or_else(|| answer.unexpected_output_error())?;
    }
    Ok(status)
}

/// Parses one entry: kind, space-separated fields, file name.
fn parse_entry(entry: &[u8], status: &mut WorkingTreeStatus) -> Option<()> {
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
        status.missing.push(to_path(name));
    } else if is_unmerged || unstaged != b'.' {
        status.changed.push(to_path(name));
    }
    Some(())
}
