//! A worktree in which a merged tree is checked before the run's branch moves. Nobody's work is in it.

use std::path::PathBuf;

use crate::{
    CommitId, RepoError, Repository, RunRepository,
    names::{DESK, SCRATCH},
    worktree_slot::{Checkout, Found, Slot},
};

/// A checkout of a commit, to run checks in.
#[derive(Debug, Clone)]
pub struct DetachedWorktree {
    /// Where it is.
    pub path: PathBuf,
    /// What is checked out.
    pub commit: CommitId,
    /// Whether it was made just now, so that nothing of an earlier one is in it.
    pub is_new: bool,
}

impl RunRepository {
    /// Checks a commit out into the run's scratch worktree, which is made if it is not there.
    ///
    /// What git ignores stays from one check to the next, so that builds are warm; everything else is the commit's.
    pub fn create_check_worktree(&self, commit: &CommitId) -> Result<DetachedWorktree, RepoError> {
        let slot = self.scratch_slot();
        let scratch = DetachedWorktree { path: slot.path.clone(), commit: commit.clone(), is_new: true };
        match slot.look() {
            Found::Foreign => return Err(RepoError::PathOccupied { path: slot.path }),
            Found::Ready if reuse(&self.repository, &slot, commit).is_ok() => {
                return Ok(DetachedWorktree { is_new: false, ..scratch });
            }
            // Where a check broke it, or a crash came between, a new one does.
            Found::Ready | Found::Half | Found::Deleted => slot.undo()?,
            Found::Nothing => {}
        }
        slot.make(&self.repository, &Checkout::Detached(commit))?;
        Ok(scratch)
    }

    /// Returns a worktree for somebody who works at no task, made at a commit if it is not there.
    ///
    /// One that is there stays as it is: whoever sits there may have written something down.
    pub fn create_session_worktree(
        &self,
        name: &str,
        commit: &CommitId,
    ) -> Result<DetachedWorktree, RepoError> {
        let slot = self.desk_slot(name);
        let desk = DetachedWorktree { path: slot.path.clone(), commit: commit.clone(), is_new: true };
        match slot.look() {
            Found::Foreign => return Err(RepoError::PathOccupied { path: slot.path }),
            Found::Ready => return Ok(DetachedWorktree { is_new: false, ..desk }),
            Found::Half | Found::Deleted => self.undo(&slot)?,
            Found::Nothing => {}
        }
        slot.make(&self.repository, &Checkout::Detached(commit))?;
        Ok(desk)
    }

    /// Returns where somebody's worktree is who works at no task, or would be.
    pub fn session_worktree_path(&self, name: &str) -> PathBuf {
        self.desk_slot(name).path
    }

    /// Returns where the scratch worktree is, or would be.
    pub fn check_worktree_path(&self) -> PathBuf {
        self.scratch_slot().path
    }

    /// Removes the scratch worktree, if there is one.
    pub fn remove_check_worktree(&self) -> Result<(), RepoError> {
        let slot = self.scratch_slot();
        match slot.look() {
            Found::Foreign => Err(RepoError::PathOccupied { path: slot.path }),
            Found::Nothing | Found::Ready | Found::Half | Found::Deleted => slot.undo(),
        }?;
        self.repository.forget_submodules();
        Ok(())
    }

    pub(crate) fn desk_slot(&self, name: &str) -> Slot {
        Slot::new(self, format!("{DESK}{name}"))
    }

    fn scratch_slot(&self) -> Slot {
        Slot::new(self, SCRATCH.to_owned())
    }
}

fn reuse(repository: &Repository, slot: &Slot, commit: &CommitId) -> Result<(), RepoError> {
    slot.git.call(["update-ref", "--no-deref", "HEAD", commit.as_str()]).run()?;
    slot.git.call(["reset", "--quiet", "--hard"]).run()?;
    slot.git.call(["clean", "--quiet", "-d", "--force", "--force"]).run()?;
    repository.set_up_submodules(&slot.path)
}
