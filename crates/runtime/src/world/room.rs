//! The room in which merged trees are checked: one worktree for the whole run, and one check in it at a time.
//!
//! A check that a killed server left there goes on. Whoever has the room next waits for it if it is their own, and ends it
//! if it is not: its own order runs it again.

use std::{fs, path::Path};

use domain::{Receipt, TaskId};
use repo::{CommitId, RepoError};

use super::{
    job::{self, Job, receipt},
    leash::{Leash, Pull},
    site::Site,
};
use crate::git::Git;

/// Says whose check is in the room.
const TAKEN: &str = "room";

/// Tells whether a check is in the room, perhaps of a server that was killed.
pub(crate) fn is_taken(folder: &Path) -> bool {
    folder.join(TAKEN).exists()
}

/// A check of a merged tree.
pub(super) struct Merged<'a> {
    pub(super) name: &'a str,
    pub(super) command: &'a str,
    pub(super) commit: &'a CommitId,
    pub(super) tree: String,
    pub(super) task: Option<&'a TaskId>,
    pub(super) time_max_ms: u64,
}

/// Checks a merged tree, when the room is free.
pub(super) fn check(site: &Site, git: &Git, merged: Merged<'_>, leash: &Leash) -> Result<Receipt, RepoError> {
    let Merged { name, command, commit, tree, task, time_max_ms } = merged;
    let room = git.checking();
    let taken = site.shared.folder(&site.run).join(TAKEN);
    let by = fs::read_to_string(&taken).unwrap_or_default();
    let place = if by == name && job::is_begun(site, name) {
        git.scratch_path()
    } else {
        if !by.is_empty() {
            job::end(site, &by);
        }
        // Where it can't be noted, a crash costs the check that it left.
        let _ = fs::write(&taken, name);
        let scratch = git.scratch(commit)?;
        site.prepare(&scratch.path, scratch.is_new, task, leash);
        scratch.path
    };
    let receipt = receipt(
        site,
        &Job { name, command, place: &place, task, time_max_ms, leash, is_of_agents: true },
        tree,
    );
    // One that was called off has ended; one that was left goes on.
    if leash.pulled() != Some(Pull::Leave) {
        let _ = fs::remove_file(&taken);
    }
    drop(room);
    Ok(receipt)
}
