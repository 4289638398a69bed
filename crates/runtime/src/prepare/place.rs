//! Where a run works: the repository and the commit that it starts from, or the folder itself.

use std::path::{Path, PathBuf};

use repo::{GitOptions, Head, LfsState, Repository, Submodule, SubmoduleState};

use super::PrepareError;
use crate::Isolation;

/// Where a run works.
#[derive(Debug)]
pub struct WhereTo {
    /// The project's folder.
    pub root: PathBuf,
    /// How tasks are kept apart.
    pub isolation: Isolation,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// Finds out where a run works.
pub fn find(
    project: &Path,
    wanted: &config::WorktreeConfig,
    in_place: bool,
) -> Result<WhereTo, PrepareError> {
    if in_place || !wanted.isolation {
        let note = "all agents work in this folder, without worktrees: nothing is kept apart or merged";
        return Ok(WhereTo {
            root: project.to_owned(),
            isolation: Isolation::InPlace,
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
        notes.push("no branch is checked out: the work stays on the run's own branch".to_owned());
    }
    if repository.traits.has_submodules {
        notes.extend(submodules(&repository, wanted.submodules)?);
    }
    must_know_lfs(repository.traits.lfs)?;
    Ok(WhereTo {
        root: root(&repository, project),
        isolation: Isolation::Worktrees { base: base.to_string(), target },
        notes,
    })
}

/// Says which submodules worktrees will not have; refuses those that they should have and can't.
fn submodules(repository: &Repository, are_wanted: bool) -> Result<Vec<String>, PrepareError> {
    if !are_wanted {
        return Ok(vec!["submodules are empty in worktrees: worktree.submodules is false".to_owned()]);
    }
    let mut notes = Vec::new();
    for Submodule { path, state } in repository.submodules()? {
        match state {
            SubmoduleState::Ready => {}
            SubmoduleState::NotCheckedOut => notes.push(format!(
                "submodule {path} is empty in worktrees, as it is here: git submodule update --init {path}",
                path = path.display()
            )),
            SubmoduleState::CommitMissing => return Err(PrepareError::Submodule { path }),
        }
    }
    Ok(notes)
}

/// Refuses a repository whose large files git can't handle here.
fn must_know_lfs(lfs: LfsState) -> Result<(), PrepareError> {
    match lfs {
        LfsState::Unused | LfsState::Ready => Ok(()),
        LfsState::ProgramMissing => Err(PrepareError::LfsProgram),
        LfsState::FilterMissing => Err(PrepareError::LfsFilter),
    }
}

/// Returns the top of the working tree, or the folder where there is none.
fn root(repository: &Repository, project: &Path) -> PathBuf {
    project
        .ancestors()
        .find(|folder| folder.join(".git").exists())
        .map_or_else(|| repository.opened_from.clone(), Path::to_owned)
}
