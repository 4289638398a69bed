//! How much room worktrees take, and which of them can go first.

use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use crate::{RepoError, Run, Worktree, contents::contents};

/// What one worktree takes.
#[derive(Debug, Clone)]
pub struct DiskUse {
    /// The worktree.
    pub worktree: Worktree,
    /// Its blocks on the disk.
    pub bytes: u64,
    /// Whether it can go.
    pub holds: Holds,
}

/// What a worktree holds, in the order in which worktrees are given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holds {
    /// Only what the run's branch has.
    Merged,
    /// Only what a keep-ref or its branch has.
    Kept,
    /// Work that no ref has: it must not go.
    Unkept,
}

impl Run {
    /// Measures all whole worktrees of the run; those that can go come first, the largest of each kind first.
    ///
    /// Whether one is in use is for the caller to know.
    pub fn disk_use(&self, leave_out: &[PathBuf]) -> Result<Vec<DiskUse>, RepoError> {
        let mut uses = Vec::new();
        for task in self.tasks() {
            let Some(worktree) = self.open(&task) else { continue };
            let holds = self.holds(&worktree, leave_out)?;
            uses.push(DiskUse { bytes: bytes_below(&worktree.path), holds, worktree });
        }
        uses.sort_by(|a, b| a.holds.cmp(&b.holds).then(b.bytes.cmp(&a.bytes)));
        Ok(uses)
    }

    /// Returns how much room the scratch worktree takes. It can always go.
    pub fn scratch_bytes(&self) -> u64 {
        bytes_below(&self.scratch_slot().path)
    }

    pub(crate) fn holds(&self, worktree: &Worktree, leave_out: &[PathBuf]) -> Result<Holds, RepoError> {
        let taken = contents(worktree, leave_out)?;
        let Some(head) = &taken.head else { return Ok(Holds::Unkept) };
        if !taken.nested.is_empty() {
            return Ok(Holds::Unkept);
        }
        let tree_of_head = format!("{head}^{{tree}}");
        let committed = worktree.slot.git.call(["rev-parse", "--verify", &tree_of_head]).run()?.line();
        if committed == taken.tree {
            return Ok(if self.is_ancestor(head, &self.tip()?)? {
                Holds::Merged
            } else {
                self.on_branch(worktree, head)?
            });
        }
        let is_kept = |keep: &crate::keep::KeepRef| keep.tree == taken.tree && keep.parents == head.as_str();
        Ok(if self.keep_refs(&worktree.task)?.iter().any(is_kept) { Holds::Kept } else { Holds::Unkept })
    }

    fn on_branch(&self, worktree: &Worktree, head: &crate::Commit) -> Result<Holds, RepoError> {
        let containing =
            ["for-each-ref", "--count=1", "--contains", head.as_str(), "refs/heads/", "refs/jangdan/"];
        let refs = worktree.slot.git.call(containing).run()?;
        Ok(if refs.output.is_empty() { Holds::Unkept } else { Holds::Kept })
    }
}

/// Adds up the blocks below a folder. What vanishes meanwhile, or can't be read, counts nothing.
pub fn bytes_below(path: &Path) -> u64 {
    const BLOCK_BYTES: u64 = 512;
    let mut folders = vec![path.to_owned()];
    let mut blocks = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            blocks += metadata.blocks();
            if metadata.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    blocks * BLOCK_BYTES
}
