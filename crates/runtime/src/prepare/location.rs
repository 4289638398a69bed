//! Where a run works: the repository and base commit, or the project's folder itself.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use repo::{GitOptions, Head, LfsState, Repository, Submodule, SubmoduleAvailability};

use super::{PrepareError, StartRemark};
use crate::Isolation;

/// Where a run works.
#[derive(Debug)]
pub(super) struct RunLocation {
    /// Root of the project.
    pub root: PathBuf,
    /// How tasks are isolated from each other.
    pub isolation: Isolation,
    /// Files of the user's checkout with changes that the base commit does not have, relative to its root.
    pub uncommitted: BTreeSet<PathBuf>,
    /// Identity of the user in git's configuration, as `NAME <EMAIL>`.
    pub user: Option<String>,
    pub remarks: Vec<StartRemark>,
    /// `None` if agents work in the project's folder.
    pub repository: Option<Repository>,
}

impl RunLocation {
    /// Starts the run from a commit of the user's changes, except those of the excluded files.
    ///
    /// Fails if an untracked file is larger than `max_file_bytes`.
    pub(super) fn include_changes(
        &mut self,
        person: &str,
        excluded: &[PathBuf],
        max_file_bytes: u64,
    ) -> Result<(), PrepareError> {
        if let (Some(repository), Isolation::Worktrees { base, .. }) = (&self.repository, &mut self.isolation)
        {
            *base = repository.commit_checkout_changes(person, excluded, Some(max_file_bytes))?.to_string();
        }
        Ok(())
    }
}

/// Finds the repository, and checks that worktrees can be made from it.
pub(super) fn find(
    project: &Path,
    worktree: &config::WorktreeConfig,
    in_place: bool,
) -> Result<RunLocation, PrepareError> {
    if in_place || !worktree.isolation {
        return Ok(RunLocation {
            root: project.to_owned(),
            isolation: Isolation::InPlace,
            uncommitted: BTreeSet::new(),
            user: None,
            remarks: vec![StartRemark::InPlace],
            repository: None,
        });
    }
    let options = GitOptions::from_environment();
    let repository = Repository::discover(project, &options)?;
    let (base, target) = match repository.head()? {
        Head::Branch { name, commit } => (commit, Some(name)),
        Head::Detached { commit } => (commit, None),
        Head::Unborn { name: branch } => return Err(PrepareError::Unborn { branch }),
    };
    let mut remarks = Vec::new();
    if target.is_none() {
        remarks.push(StartRemark::NoBranch);
    }
    if repository.traits.has_submodules {
        remarks.extend(submodule_remarks(&repository, worktree.submodules)?);
    }
    check_lfs(repository.traits.lfs)?;
    Ok(RunLocation {
        root: working_tree_root(&repository, project),
        isolation: Isolation::Worktrees { base: base.to_string(), target },
        uncommitted: repository.uncommitted_files()?,
        user: repository.user_identity()?.map(|user| user.to_string()),
        remarks,
        repository: Some(repository),
    })
}

/// Returns remarks about submodules that are empty in worktrees. Fails if a commit of a submodule is missing.
fn submodule_remarks(repository: &Repository, are_included: bool) -> Result<Vec<StartRemark>, PrepareError> {
    if !are_included {
        return Ok(vec![StartRemark::SubmodulesOff]);
    }
    let mut remarks = Vec::new();
    for Submodule { path, state } in repository.submodules()? {
        match state {
            SubmoduleAvailability::Ready => {}
            SubmoduleAvailability::NotCheckedOut => remarks.push(StartRemark::SubmoduleEmpty { path }),
            SubmoduleAvailability::CommitMissing => return Err(PrepareError::Submodule { path }),
        }
    }
    Ok(remarks)
}

/// Fails if the repository uses Git LFS and it does not work here.
fn check_lfs(lfs: LfsState) -> Result<(), PrepareError> {
    match lfs {
        LfsState::Unused | LfsState::Ready => Ok(()),
        LfsState::ProgramMissing => Err(PrepareError::LfsProgram),
        LfsState::FilterMissing => Err(PrepareError::LfsFilter),
    }
}

/// Returns the root of the working tree, or the folder itself if there is none.
fn working_tree_root(repository: &Repository, project: &Path) -> PathBuf {
    project
        .ancestors()
        .find(|folder| folder.join(".git").exists())
        .map_or_else(|| repository.opened_from.clone(), Path::to_owned)
}
