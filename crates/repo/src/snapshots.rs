//! Snapshots: commits of everything in a worktree under numbered refs, so that no work is lost.

use std::path::PathBuf;

use domain::{LargeFile, TaskId};

use crate::{
    CommitId, GitIdentity, RepoError, RunRepository, TaskWorktree,
    names::snapshot_ref_prefix,
    status::working_tree_status,
    worktree_slot::WorktreeSlot,
    worktree_tree::{WorktreeTree, write_tree_with_large_files, write_worktree_tree},
};

/// Attempts to get a free number. Concurrent snapshots of one task are not expected.
const TRIES_MAX: usize = 10;

/// A snapshot of a worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeSnapshot {
    /// Commit of the worktree's tree on top of the checked-out commit.
    pub commit: CommitId,
    /// Ref that preserves it.
    pub reference: String,
    /// Tree of the snapshot, for receipts.
    pub tree: String,
    /// Nested repositories. Their files are in the snapshot, their history is not.
    pub nested: Vec<PathBuf>,
    /// Files above the size limit that are not in the snapshot, if it was just taken.
    pub large_files: Vec<LargeFile>,
}

/// A snapshot ref as listed by git.
pub(crate) struct SnapshotRef {
    pub(crate) number: u64,
    pub(crate) reference: String,
    pub(crate) commit: CommitId,
    pub(crate) tree: String,
    pub(crate) parents: String,
}

impl RunRepository {
    /// Takes a snapshot of all files that are not ignored, except the excluded paths and files above the size limit.
    ///
    /// The worktree's index and HEAD are not changed. The same tree on the same commit is stored only once.
    pub fn snapshot_worktree(
        &self,
        worktree: &TaskWorktree,
        label: &str,
        excluded: &[PathBuf],
    ) -> Result<WorktreeSnapshot, RepoError> {
        self.snapshot_slot(&worktree.slot, label, excluded)
    }

    /// Preserves a commit of a task under a ref, so that it stays when the agent resets its branch.
    pub fn preserve_task_commit(&self, task: &TaskId, commit: &CommitId) -> Result<(), RepoError> {
        let name = task.to_file_name();
        let refs = self.snapshot_refs(&name)?;
        if refs.iter().all(|snapshot_ref| snapshot_ref.commit != *commit) {
            self.preserve_commit(&name, commit, &refs)?;
        }
        Ok(())
    }

    pub(crate) fn snapshot_slot(
        &self,
        slot: &WorktreeSlot,
        label: &str,
        excluded: &[PathBuf],
    ) -> Result<WorktreeSnapshot, RepoError> {
        self.preserve_tree(slot, label, &write_worktree_tree(slot, excluded)?)
    }

    /// Takes a snapshot that has the files above the size limit too.
    pub(crate) fn snapshot_with_large_files(
        &self,
        slot: &WorktreeSlot,
        label: &str,
        excluded: &[PathBuf],
    ) -> Result<WorktreeSnapshot, RepoError> {
        self.preserve_tree(slot, label, &write_tree_with_large_files(slot, excluded)?)
    }

    fn preserve_tree(
        &self,
        slot: &WorktreeSlot,
        label: &str,
        tree: &WorktreeTree,
    ) -> Result<WorktreeSnapshot, RepoError> {
        let parents = tree.head.as_ref().map_or("", CommitId::as_str);
        let refs = self.snapshot_refs(&slot.name)?;
        let snapshot = |commit, reference| WorktreeSnapshot {
            commit,
            reference,
            tree: tree.tree.clone(),
            nested: tree.nested.clone(),
            large_files: tree.listed_large_files(),
        };
        if let Some(same) = refs
            .iter()
            .rev()
            .find(|snapshot_ref| snapshot_ref.tree == tree.tree && snapshot_ref.parents == parents)
        {
            return Ok(snapshot(same.commit.clone(), same.reference.clone()));
        }
        let message = format!("keep: {label}\n");
        let commit = self.commit_tree(&tree.tree, tree.head.as_slice(), &GitIdentity::jangdan(), &message)?;
        let reference = self.preserve_commit(&slot.name, &commit, &refs)?;
        Ok(snapshot(commit, reference))
    }

    /// Returns the snapshots of a task, oldest first.
    pub fn task_snapshots(&self, task: &TaskId) -> Result<Vec<WorktreeSnapshot>, RepoError> {
        let to_snapshot = |snapshot_ref: SnapshotRef| WorktreeSnapshot {
            commit: snapshot_ref.commit,
            reference: snapshot_ref.reference,
            tree: snapshot_ref.tree,
            nested: Vec::new(),
            large_files: Vec::new(),
        };
        Ok(self.snapshot_refs(&task.to_file_name())?.into_iter().map(to_snapshot).collect())
    }

    /// Preserves a commit under the next free number.
    pub(crate) fn preserve_commit(
        &self,
        name: &str,
        commit: &CommitId,
        existing: &[SnapshotRef],
    ) -> Result<String, RepoError> {
        let mut number = existing.last().map_or(1, |snapshot_ref| snapshot_ref.number + 1);
        for _ in 1..TRIES_MAX {
            if let Ok(reference) = self.create_snapshot_ref(name, commit, number) {
                return Ok(reference);
            }
            number = self.snapshot_refs(name)?.last().map_or(1, |snapshot_ref| snapshot_ref.number + 1);
        }
        self.create_snapshot_ref(name, commit, number)
    }

    fn create_snapshot_ref(&self, name: &str, commit: &CommitId, number: u64) -> Result<String, RepoError> {
        let reference = format!("{}{number}", snapshot_ref_prefix(&self.run_id, name));
        self.create_ref(&reference, commit, "keep")?;
        Ok(reference)
    }

    pub(crate) fn snapshot_refs(&self, name: &str) -> Result<Vec<SnapshotRef>, RepoError> {
        let prefix = snapshot_ref_prefix(&self.run_id, name);
        let format = "--format=%(refname) %(objectname) %(tree) %(parent)";
        let answer = self.repository.git.call(["for-each-ref", format, &prefix]).run()?;
        let parse = |line: &str| {
            let mut fields = line.splitn(4, ' ');
            let reference = fields.next()?.to_owned();
            let number = reference.strip_prefix(&prefix)?.parse().ok()?;
            let commit = CommitId::parse(fields.next()?)?;
            let (tree, parents) = (fields.next()?.to_owned(), fields.next().unwrap_or("").to_owned());
            Some(SnapshotRef { number, reference, commit, tree, parents })
        };
        // Refs without a number were not created here.
        let mut refs: Vec<SnapshotRef> = answer.trimmed_text().lines().filter_map(parse).collect();
        refs.sort_by_key(|snapshot_ref| snapshot_ref.number);
        Ok(refs)
    }

    /// Creates a commit without moving any branch.
    pub(crate) fn commit_tree(
        &self,
        tree: &str,
        parents: &[CommitId],
        author: &GitIdentity,
        message: &str,
    ) -> Result<CommitId, RepoError> {
        let committer = GitIdentity::jangdan();
        let mut call = self.repository.git.call(["commit-tree", tree]).input(message);
        for parent in parents {
            call = call.arg("-p").arg(parent.as_str());
        }
        let answer = call
            .env("GIT_AUTHOR_NAME", &author.name)
            .env("GIT_AUTHOR_EMAIL", &author.email)
            .env("GIT_COMMITTER_NAME", committer.name)
            .env("GIT_COMMITTER_EMAIL", committer.email)
            .run()?;
        CommitId::parse(&answer.trimmed_text()).ok_or_else(|| answer.unexpected_output_error())
    }

    /// Tells whether a worktree has changes relative to HEAD. Missing files do not count.
    pub(crate) fn has_new_or_changed_files(&self, slot: &WorktreeSlot) -> Result<bool, RepoError> {
        let status = working_tree_status(&slot.git, None)?;
        Ok(!status.changed.is_empty() || !status.nested.is_empty())
    }
}
