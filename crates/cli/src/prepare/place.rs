//! Where a run works: the repository and the commit that it starts from, or the folder itself.

use std::{
    io::{self, BufRead, IsTerminal, Write},
    path::{Path, PathBuf},
    process::Command,
};

use repo::{GitOptions, Head, Lfs, RepoError, Repository, Submodule, SubmoduleState};
use runtime::Isolation;

use crate::{failure::Failure, printable::printable};

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

/// Finds out where a run works; offers to make a repository where there is none.
pub fn find(project: &Path, wanted: &config::Worktree, in_place: bool) -> Result<WhereTo, Failure> {
    if in_place || !wanted.isolation {
        let note = "all agents work in this folder, without worktrees: nothing is kept apart or merged";
        return Ok(WhereTo {
            root: project.to_owned(),
            isolation: Isolation::InPlace,
            notes: vec![note.to_owned()],
        });
    }
    let options = GitOptions::from_environment();
    let repository = match Repository::find(project, &options) {
        Err(RepoError::NoRepository { .. }) if offers_init(project) => {
            init(project)?;
            Repository::find(project, &options)
        }
        found => found,
    };
    let repository = repository.map_err(|error| failure(&error))?;
    let (base, target) = match repository.head().map_err(|error| failure(&error))? {
        Head::Branch { name, commit } => (commit, Some(name)),
        Head::Detached { commit } => (commit, None),
        Head::Unborn { name } => {
            return Err(Failure {
                what: format!("the branch {name} has no commit yet, so agents have nothing to start from"),
                hint: Some("commit something first: git add . && git commit -m begin".to_owned()),
                exit: 1,
            });
        }
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
fn submodules(repository: &Repository, are_wanted: bool) -> Result<Vec<String>, Failure> {
    if !are_wanted {
        return Ok(vec!["submodules are empty in worktrees: worktree.submodules is false".to_owned()]);
    }
    let mut notes = Vec::new();
    for Submodule { path, state } in repository.submodules().map_err(|error| failure(&error))? {
        let path = path.display();
        match state {
            SubmoduleState::Ready => {}
            SubmoduleState::NotCheckedOut => notes.push(format!(
                "submodule {path} is empty in worktrees, as it is here: git submodule update --init {path}"
            )),
            SubmoduleState::CommitMissing => {
                return Err(Failure {
                    what: format!("submodule {path} has not got the commit that this project wants"),
                    hint: Some(format!(
                        "fetch it, because worktrees take it from here: git submodule update --init {path}; \
                         or go without: worktree.submodules = false"
                    )),
                    exit: 1,
                });
            }
        }
    }
    Ok(notes)
}

/// Refuses a repository whose large files git can't handle here.
fn must_know_lfs(lfs: Lfs) -> Result<(), Failure> {
    let (what, hint) = match lfs {
        Lfs::Unused | Lfs::Ready => return Ok(()),
        Lfs::ProgramMissing => (
            "this repository keeps files by Git LFS, and git-lfs is not installed",
            "install git-lfs: without it no worktree can be checked out",
        ),
        Lfs::FilterMissing => (
            "this repository keeps files by Git LFS, and git does not know its filter here",
            "install git-lfs and run `git lfs install`: else large files would be lost in commits",
        ),
    };
    Err(Failure { what: what.to_owned(), hint: Some(hint.to_owned()), exit: 1 })
}

/// Returns the top of the working tree, or the folder where there is none.
fn root(repository: &Repository, project: &Path) -> PathBuf {
    project
        .ancestors()
        .find(|folder| folder.join(".git").exists())
        .map_or_else(|| repository.here.clone(), Path::to_owned)
}

fn offers_init(project: &Path) -> bool {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return false;
    }
    let folder = printable(&project.display().to_string());
    let mut stderr = io::stderr().lock();
    let asked =
        write!(stderr, "{folder} is no git repository. Make one, with all its files committed? [y/N] ");
    let mut answer = String::new();
    asked.is_ok()
        && stderr.flush().is_ok()
        && io::stdin().lock().read_line(&mut answer).is_ok()
        && matches!(answer.trim(), "y" | "Y" | "yes" | "예" | "네")
}

/// Makes a repository as the person would, with their own name and hooks.
fn init(project: &Path) -> Result<(), Failure> {
    for arguments in [&["init", "--quiet"][..], &["add", "--all"], &["commit", "--quiet", "-m", "begin"]] {
        let status = Command::new("git").arg("-C").arg(project).args(arguments).status();
        if !status.as_ref().is_ok_and(std::process::ExitStatus::success) {
            return Err(Failure {
                what: format!("git {} failed in {}", arguments.join(" "), project.display()),
                hint: Some("make the repository yourself, or go on with --no-worktrees".to_owned()),
                exit: 1,
            });
        }
    }
    Ok(())
}

fn failure(error: &RepoError) -> Failure {
    let hint = match error {
        RepoError::NoRepository { .. } => {
            "make one (git init, then commit), or let all agents work in this folder with --no-worktrees"
        }
        error => error.hint(),
    };
    Failure { what: error.to_string(), hint: Some(hint.to_owned()), exit: 1 }
}
