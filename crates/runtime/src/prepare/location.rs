//! Where a run works: the repository and base commit, or the project's folder itself.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use repo::{GitOptions, Head, LfsState, Repository, Submodule, SubmoduleAvailability};

use super::PrepareError;
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
    /// Remarks for the user.
    pub notes: Vec<String>,
}

/// Finds the repository, and checks that worktrees can be made from it.
pub(super) fn find(
    project: &Path,
    worktree: &config::WorktreeConfig,
    in_place: bool,
) -> Result<RunLocation, PrepareError> {
    if in_place || !worktree.isolation {
        let note = "All agents work in this folder, without worktrees: tasks are not isolated and nothing is merged.";
        return Ok(RunLocation {
            root: project.to_owned(),
            isolation: Isolation::InPlace,
            uncommitted: BTreeSet::new(),
            user: None,
            notes: vec![note.to_owned()],
        });
    }
    let options = GitOptions::from_environment();
    let repository = Repository::discover(project, &options)?;
    let (base, target) = match repository.head()? {
        Head::Branch { name, commit } => (commit, Some(name)),
        Head::Detached { commit } => (commit, None),
        Head::Unborn { name: branch } => return Err(PrepareError::Unborn { branch }),
    };
    let mut notes = Vec::new();
    if target.is_none() {
        notes.push("No branch is checked out: the work stays on the run's own branch.".to_owned());
    }
    if repository.traits.has_submodules {
        notes.extend(submodule_notes(&repository, worktree.submodules)?);
    }
    check_lfs(repository.traits.lfs)?;
    Ok(RunLocation {
        root: working_tree_root(&repository, project),
        isolation: Isolation::Worktrees { base: base.to_string(), target },
        uncommitted: repository.uncommitted_files()?,
        user: repository.user_identity()?.map(|user| user.to_string()),
        notes,
    })
}

/// Returns remarks about submodules that are empty in worktrees. Fails if a commit of a submodule is missing.
fn submodule_notes(repository: &Repository, are_included: bool) -> Result<Vec<String>, PrepareError> {
    if !are_included {
        return Ok(vec!["Submodules are empty in worktrees: worktree.submodules is false.".to_owned()]);
    }
    let mut notes = Vec::new();
    for Submodule { path, state } in repository.submodules()? {
        match state {
            SubmoduleAvailability::Ready => {}
            SubmoduleAvailability::NotCheckedOut => notes.push(format!(
                "Submodule {path} is empty in worktrees, since it is not checked out here. To include it: git submodule update --init {path}",
                path = path.display()
            )),
            SubmoduleAvailability::CommitMissing => return Err(PrepareError::Submodule { path }),
        }
    }
    Ok(notes)
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
