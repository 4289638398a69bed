//! Keep-refs: a commit of everything in a worktree, under a number of its own, so that nothing can be lost.

use std::path::PathBuf;

use domain::TaskId;

use crate::{
    CommitId, GitIdentity, RepoError, RunRepository, TaskWorktree, contents::contents, names::keep_folder,
    status::status, worktree_slot::Slot,
};

/// Tries at a number that others take at the same time. Two callers for one task are already a mistake.
const TRIES_MAX: usize = 10;

/// What was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeSnapshot {
    /// The commit: the tree of the worktree, on top of what was checked out.
    pub commit: CommitId,
    /// The ref that holds it.
    pub reference: String,
    /// The tree, for receipts.
    pub tree: String,
    /// Repositories inside that are no submodules. Their files are kept, their history is not.
    pub nested: Vec<PathBuf>,
}

/// A keep-ref as it is in the repository.
pub(crate) struct KeepRef {
    pub(crate) number: u64,
    pub(crate) reference: String,
    pub(crate) commit: CommitId,
    pub(crate) tree: String,
    pub(crate) parents: String,
}

impl RunRepository {
    /// Keeps everything that is in a worktree and not ignored, but for files that are left out by their path in it.
    ///
    /// The worktree's index and HEAD stay as they are. The same tree on the same commit is kept once.
    pub fn snapshot_worktree(
        &self,
        worktree: &TaskWorktree,
        label: &str,
        leave_out: &[PathBuf],
    ) -> Result<WorktreeSnapshot, RepoError> {
        self.keep_slot(&worktree.slot, label, leave_out)
    }

    pub(crate) fn keep_slot(
        &self,
        slot: &Slot,
        label: &str,
        leave_out: &[PathBuf],
    ) -> Result<WorktreeSnapshot, RepoError> {
        let taken = contents(slot, leave_out)?;
        let parents = taken.head.as_ref().map_or("", CommitId::as_str);
        let refs = self.keep_refs(&slot.name)?;
        let kept = |commit, reference| WorktreeSnapshot {
            commit,
            reference,
            tree: taken.tree.clone(),
            nested: taken.nested.clone(),
        };
        if let Some(same) = refs.iter().rev().find(|keep| keep.tree == taken.tree && keep.parents == parents)
        {
            return Ok(kept(same.commit.clone(), same.reference.clone()));
        }
        let message = format!("keep: {label}\n");
        let commit =
            self.commit_tree(&taken.tree, taken.head.as_slice(), &GitIdentity::jangdan(), &message)?;
        let reference = self.keep_commit(&slot.name, &commit, &refs)?;
        Ok(kept(commit, reference))
    }

    /// Returns what was kept of a task, oldest first.
    pub fn snapshots(&self, task: &TaskId) -> Result<Vec<WorktreeSnapshot>, RepoError> {
        let to_kept = |keep: KeepRef| WorktreeSnapshot {
            commit: keep.commit,
            reference: keep.reference,
            tree: keep.tree,
            nested: Vec::new(),
        };
        Ok(self.keep_refs(&task.to_string())?.into_iter().map(to_kept).collect())
    }

    /// Puts a commit under the next number behind those that are known.
    pub(crate) fn keep_commit(
        &self,
        name: &str,
        commit: &CommitId,
        known: &[KeepRef],
    ) -> Result<String, RepoError> {
        let mut number = known.last().map_or(1, |keep| keep.number + 1);
        for _ in 1..TRIES_MAX {
            if let Ok(reference) = self.keep_as(name, commit, number) {
                return Ok(reference);
            }
            number = self.keep_refs(name)?.last().map_or(1, |keep| keep.number + 1);
        }
        self.keep_as(name, commit, number)
    }

    fn keep_as(&self, name: &str, commit: &CommitId, number: u64) -> Result<String, RepoError> {
        let reference = format!("{}{number}", keep_folder(&self.run_id, name));
        self.make_ref(&reference, commit, "keep")?;
        Ok(reference)
    }

    pub(crate) fn keep_refs(&self, name: &str) -> Result<Vec<KeepRef>, RepoError> {
        let folder = keep_folder(&self.run_id, name);
        let format = "--format=%(refname) %(objectname) %(tree) %(parent)";
        let answer = self.repository.git.call(["for-each-ref", format, &folder]).run()?;
        let read = |line: &str| {
            let mut fields = line.splitn(4, ' ');
            let reference = fields.next()?.to_owned();
            let number = reference.strip_prefix(&folder)?.parse().ok()?;
            let commit = CommitId::parse(fields.next()?)?;
            let (tree, parents) = (fields.next()?.to_owned(), fields.next().unwrap_or("").to_owned());
            Some(KeepRef { number, reference, commit, tree, parents })
        };
        // A ref that somebody else put there under a name of their own is not ours.
        let mut refs: Vec<KeepRef> = answer.line().lines().filter_map(read).collect();
        refs.sort_by_key(|keep| keep.number);
        Ok(refs)
    }

    /// Makes a commit of a tree. No branch moves.
    pub(crate) fn commit_tree(
        &self,
        tree: &str,
        parents: &[CommitId],
        author: &GitIdentity,
        message: &str,
    ) -> Result<CommitId, RepoError> {
        let us = GitIdentity::jangdan();
        let mut call = self.repository.git.call(["commit-tree", tree]).input(message);
        for parent in parents {
            call = call.arg("-p").arg(parent.as_str());
        }
        let answer = call
            .with("GIT_AUTHOR_NAME", &author.name)
            .with("GIT_AUTHOR_EMAIL", &author.email)
            .with("GIT_COMMITTER_NAME", us.name)
            .with("GIT_COMMITTER_EMAIL", us.email)
            .run()?;
        CommitId::parse(&answer.line()).ok_or_else(|| answer.unreadable())
    }

    /// Tells whether a worktree has anything that its HEAD has not. Missing files are nothing.
    pub(crate) fn has_changes(&self, slot: &Slot) -> Result<bool, RepoError> {
        let status = status(&slot.git, None)?;
        Ok(!status.changed.is_empty() || !status.nested.is_empty())
    }
}
