//! A task's work into the run's branch: tried, checked on the merged tree, and only then moved.

use domain::{MergeOutcome, Receipt, TaskId};
use repo::{CommitId, Conflict, MergeAttempt, RepoError};

use super::{
    full,
    leash::Leash,
    room::{self, Merged},
    site::{Site, chain},
};
use crate::{Kept, git::Git};

/// What a merge needs to know.
pub(super) struct Wanted {
    check: Option<String>,
    /// The tree on which the task's check passed.
    checked_tree: Option<String>,
    author: String,
    title: String,
    time_max_ms: u64,
    job: String,
}

impl Wanted {
    pub(super) fn new(task: &TaskId, kept: &Kept, job: String) -> Self {
        let rows = kept.views().rows();
        let row = rows.tasks.get(task);
        let passed = rows
            .receipts
            .iter()
            .filter(|receipt| receipt.task.as_ref() == Some(task) && receipt.passed)
            .last();
        let agent = row.and_then(|row| row.agent.as_ref()).map(ToString::to_string);
        Self {
            check: kept.run().check_command(task).map(str::to_owned),
            checked_tree: passed.map(|row| row.receipt.tree.clone()),
            author: agent.unwrap_or_else(|| "agent".to_owned()),
            title: row.map(|row| row.title.clone()).unwrap_or_default(),
            time_max_ms: kept.run().settings().timeout_ms,
            job,
        }
    }
}

/// Merges a task; nothing moves unless the check passes on what comes out.
pub(super) fn merge(site: &Site, task: &TaskId, wanted: &Wanted, leash: &Leash) -> MergeOutcome {
    let Some(git) = &site.git else {
        // All work in one place: what is done is there.
        let tree = site.tree_in_place();
        return MergeOutcome::Merged { commit: String::new(), receipt: None, tree };
    };
    let merged =
        full::outwait(leash, || merge_in(site, git, task, wanted, leash).map_err(|error| chain(&error)));
    merged.unwrap_or_else(|error| MergeOutcome::Failed { error })
}

fn merge_in(
    site: &Site,
    git: &Git,
    task: &TaskId,
    wanted: &Wanted,
    leash: &Leash,
) -> Result<MergeOutcome, RepoError> {
    match git.try_merge(task, &wanted.author, format!("{task}: {}\n", wanted.title)) {
        // Also what was merged before is proved: a server may have been killed before it could tell of the check.
        Ok(MergeAttempt::AlreadyMerged { commit }) => {
            let tree = git.tree_of(&commit)?;
            checked(site, git, task, wanted, leash, Made { onto: None, commit, tree })
        }
        Ok(MergeAttempt::Conflicted { conflicts, .. }) => sent_back(git, task, &conflicts),
        Ok(MergeAttempt::Merged { onto, commit, tree }) => {
            checked(site, git, task, wanted, leash, Made { onto: Some(onto), commit, tree })
        }
        Err(RepoError::UnresolvedConflicts { files, .. }) => {
            let files = files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
            Ok(MergeOutcome::Conflicted { files })
        }
        Err(error) => Err(error),
    }
}

/// A merge that was made, and where the run's branch has to move for it.
struct Made {
    onto: Option<CommitId>,
    commit: CommitId,
    tree: String,
}

/// Checks a merge, and moves the run's branch onto it.
fn checked(
    site: &Site,
    git: &Git,
    task: &TaskId,
    wanted: &Wanted,
    leash: &Leash,
    made: Made,
) -> Result<MergeOutcome, RepoError> {
    let Made { onto, commit, tree } = made;
    // The same tree was checked in the worktree, or nothing is checked at all.
    let again = wanted.check.as_ref().filter(|_| wanted.checked_tree.as_ref() != Some(&tree));
    let receipt = match again {
        None => None,
        Some(command) => {
            let (name, time_max_ms, tree) = (wanted.job.as_str(), wanted.time_max_ms, tree.clone());
            let merged = Merged { name, command, commit: &commit, tree, task: Some(task), time_max_ms };
            let receipt = room::check(site, git, merged, leash)?;
            if !receipt.passed() {
                return not_passed(git, task, receipt, leash);
            }
            Some(Box::new(receipt))
        }
    };
    if let Some(onto) = onto {
        git.advance(&onto, &commit)?;
    }
    Ok(MergeOutcome::Merged { commit: commit.to_string(), receipt, tree: Some(tree) })
}

/// Gives a task's agent what its work fails together with: alone it passes.
fn not_passed(git: &Git, task: &TaskId, receipt: Receipt, leash: &Leash) -> Result<MergeOutcome, RepoError> {
    if !leash.is_pulled() {
        git.bring_tip(task)?;
    }
    Ok(MergeOutcome::CheckFailed { receipt })
}

/// Gives a task's agent what it needs to solve the conflict itself.
fn sent_back(git: &Git, task: &TaskId, conflicts: &[Conflict]) -> Result<MergeOutcome, RepoError> {
    let files = conflicts.iter().map(|conflict| conflict.path.to_string_lossy().into_owned()).collect();
    git.bring_tip(task)?;
    Ok(MergeOutcome::Conflicted { files })
}
