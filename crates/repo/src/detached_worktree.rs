//! Worktrees with a detached HEAD: the one in which merged trees are checked, and those of sessions without a task.

use std::path::PathBuf;

use crate::{
    CommitId, RepoError, Repository, RunRepository,
    names::{CHECK_WORKTREE, SESSION_WORKTREE_PREFIX},
    worktree_slot::{CheckoutTarget, SlotState, WorktreeSlot},
};

/// A checkout of a commit without a branch.
#[derive(Debug, Clone)]
pub struct DetachedWorktree {
    /// Folder of the checkout.
    pub path: PathBuf,
    /// Commit it was created or reset to.
    pub commit: CommitId,
    /// True if it was created by this call and contains nothing from an earlier one.
    pub is_new: bool,
}

impl RunRepository {
    /// Checks out a commit into the run's check worktree, creating it if needed.
    ///
    /// Ignored files stay from one check to the next to keep build caches warm; everything else matches the commit.
    pub fn create_check_worktree(&self, commit: &CommitId) -> Result<DetachedWorktree, RepoError> {
        let slot = self.check_worktree_slot();
        let worktree = DetachedWorktree { path: slot.path.clone(), commit: commit.clone(), is_new: true };
        match slot.state() {
            SlotState::Foreign => return Err(slot.occupied_error()),
            SlotState::Replaced => return Err(slot.replaced_error()),
            SlotState::Ready if reset_to_commit(&self.repository, &slot, commit).is_ok() => {
                return Ok(DetachedWorktree { is_new: false, ..worktree });
            }
            // Replace it if a check or a crash left it in a state that cannot be reset.
            SlotState::Ready | SlotState::Incomplete | SlotState::Deleted => slot.remove_from_disk()?,
            SlotState::Empty => {}
        }
        slot.create(&self.repository, &CheckoutTarget::Detached(commit))?;
        Ok(worktree)
    }

    /// Returns the worktree of a session without a task, created at a commit if it does not exist.
    ///
    /// An existing one is returned unchanged, since the session may have written files in it.
    pub fn create_session_worktree(
        &self,
        name: &str,
        commit: &CommitId,
    ) -> Result<DetachedWorktree, RepoError> {
        let slot = self.session_worktree_slot(name);
        let worktree = DetachedWorktree { path: slot.path.clone(), commit: commit.clone(), is_new: true };
        match slot.state() {
            SlotState::Foreign => return Err(slot.occupied_error()),
            SlotState::Replaced => return Err(slot.replaced_error()),
            SlotState::Ready => return Ok(DetachedWorktree { is_new: false, ..worktree }),
            SlotState::Incomplete | SlotState::Deleted => self.discard_incomplete_worktree(&slot)?,
            SlotState::Empty => {}
        }
        slot.create(&self.repository, &CheckoutTarget::Detached(commit))?;
        Ok(worktree)
    }

    /// Returns the path of a session's worktree, which need not exist.
    pub fn session_worktree_path(&self, name: &str) -> PathBuf {
        self.session_worktree_slot(name).path
    }

    /// Returns the path of the check worktree, which need not exist.
    pub fn check_worktree_path(&self) -> PathBuf {
        self.check_worktree_slot().path
    }

    /// Removes the check worktree, if it exists.
    pub fn remove_check_worktree(&self) -> Result<(), RepoError> {
        let slot = self.check_worktree_slot();
        match slot.state() {
            SlotState::Foreign => Err(slot.occupied_error()),
            SlotState::Replaced => Err(slot.replaced_error()),
            SlotState::Empty | SlotState::Ready | SlotState::Incomplete | SlotState::Deleted => {
                slot.remove_from_disk()
            }
        }?;
        self.repository.prune_submodule_worktrees();
        Ok(())
    }

    pub(crate) fn session_worktree_slot(&self, name: &str) -> WorktreeSlot {
        WorktreeSlot::new(self, format!("{SESSION_WORKTREE_PREFIX}{name}"))
    }

    fn check_worktree_slot(&self) -> WorktreeSlot {
        WorktreeSlot::new(self, CHECK_WORKTREE.to_owned())
    }
}

fn reset_to_commit(repository: &Repository, slot: &WorktreeSlot, commit: &CommitId) -> Result<(), RepoError> {
    slot.git.call(["update-ref", "--no-deref", "HEAD", commit.as_str()]).run()?;
    slot.git.call(["reset", "--quiet", "--hard"]).run()?;
    slot.git.call(["clean", "--quiet", "-d", "--force", "--force"]).run()?;
    repository.checkout_submodules(&slot.git)
}
