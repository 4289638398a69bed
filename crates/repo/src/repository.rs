//! The user's repository: where it is, and what is special about it.

use std::path::{Path, PathBuf};

use domain::RunId;

use crate::{CommitId, GitOptions, RepoError, RunRepository, git::Git};

/// `merge-tree --write-tree` came with this one.
const VERSION_MIN: (u32, u32) = (2, 38);
const VERSION_MIN_TEXT: &str = "2.38";

/// A repository of the user.
#[derive(Debug, Clone)]
pub struct Repository {
    /// Where git keeps what all its worktrees share. Calls run here, where no working tree is.
    pub(crate) common: PathBuf,
    /// The folder from which it was found.
    pub opened_from: PathBuf,
    /// What is special about it.
    pub traits: RepositoryTraits,
    /// Whether worktrees have the submodules that the user's checkout has.
    pub with_submodules: bool,
    pub(crate) git: Git,
}

/// What is special about a repository. All of it works, but people want to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryTraits {
    /// It has no working tree of its own.
    pub is_bare: bool,
    /// Its history is cut off; merges across the cut find no common base.
    pub is_shallow: bool,
    /// It is a submodule of the repository there.
    pub submodule_of: Option<PathBuf>,
    /// It has submodules.
    pub has_submodules: bool,
    /// Whether it keeps large files elsewhere.
    pub lfs: LfsState,
}

/// Whether a repository keeps large files by Git LFS, as any `.gitattributes` of what is checked out says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LfsState {
    /// No.
    Unused,
    /// Yes, and git knows the filter.
    Ready,
    /// Yes, but git knows no such filter: worktrees have pointers, and a new large file would be committed whole.
    FilterMissing,
    /// Yes, and git knows the filter, but the program behind it is not there: no worktree can be made.
    ProgramMissing,
}

/// What is checked out where a repository was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// A branch.
    Branch {
        /// Its name, without `refs/heads/`.
        name: String,
        /// Its commit.
        commit: CommitId,
    },
    /// A commit.
    Detached {
        /// The commit.
        commit: CommitId,
    },
    /// A branch without a commit.
    Unborn {
        /// Its name.
        name: String,
    },
}

impl Repository {
    /// Finds the repository of a folder.
    pub fn discover(path: &Path, options: &GitOptions) -> Result<Self, RepoError> {
        let here = path.canonicalize().map_err(|source| RepoError::Io {
            operation: "find",
            path: path.to_owned(),
            source,
        })?;
        let git = Git::new(options, &here);
        check_version(&git)?;
        let common = match git.call(["rev-parse", "--path-format=absolute", "--git-common-dir"]).run() {
            Ok(answer) => PathBuf::from(answer.line()),
            Err(RepoError::CommandFailed { stderr, .. }) if stderr.contains("not a git repository") => {
                return Err(RepoError::NotARepository { path: here });
            }
            Err(error) => return Err(error),
        };
        let common = common.canonicalize().map_err(|source| RepoError::Io {
            operation: "find",
            path: common,
            source,
        })?;
        let traits = traits(&git)?;
        let git = git.at(&common);
        Ok(Self { common, opened_from: here, traits, with_submodules: true, git })
    }

    /// Returns what is checked out where it was found.
    pub fn head(&self) -> Result<Head, RepoError> {
        let git = self.git.at(&self.opened_from);
        let branch = git.call(["symbolic-ref", "--quiet", "HEAD"]).run_or(&[1])?;
        let name = branch.line().trim_start_matches("refs/heads/").to_owned();
        let commit = commit_of(&git, "HEAD")?;
        match (branch.code, commit) {
            (0, Some(commit)) => Ok(Head::Branch { name, commit }),
            (0, None) => Ok(Head::Unborn { name }),
            (_, Some(commit)) => Ok(Head::Detached { commit }),
            (_, None) => {
                Err(RepoError::CommitNotFound { path: self.opened_from.clone(), revision: "HEAD".to_owned() })
            }
        }
    }

    /// Returns the commit that a person names, as seen from where the repository was found.
    pub fn resolve_commit(&self, name: &str) -> Result<CommitId, RepoError> {
        commit_of(&self.git.at(&self.opened_from), name)?.ok_or_else(|| RepoError::CommitNotFound {
            path: self.opened_from.clone(),
            revision: name.to_owned(),
        })
    }

    /// Returns the handle of a run whose worktrees lie below a folder, which is made.
    pub fn open_run(&self, run: &RunId, worktrees: &Path) -> Result<RunRepository, RepoError> {
        let io = |operation, source| RepoError::Io { operation, path: worktrees.to_owned(), source };
        std::fs::create_dir_all(worktrees).map_err(|source| io("make", source))?;
        // Git writes down the real path, and ours is compared with it.
        let folder = worktrees.canonicalize().map_err(|source| io("find", source))?;
        Ok(RunRepository { repository: self.clone(), run_id: run.clone(), worktrees_folder: folder })
    }
}

/// Returns the commit of a name, if there is one.
pub(crate) fn commit_of(git: &Git, name: &str) -> Result<Option<CommitId>, RepoError> {
    let name = format!("{name}^{{commit}}");
    let answer =
        git.call(["rev-parse", "--quiet", "--verify", "--end-of-options", &name]).run_or(&[1, 128])?;
    Ok(CommitId::parse(&answer.line()))
}

fn check_version(git: &Git) -> Result<(), RepoError> {
    let version_line = git.call(["version"]).run()?.line();
    let found = version_line.trim_start_matches("git version ").to_owned();
    let mut numbers = found.split('.').map(|number| number.parse::<u32>().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if version < VERSION_MIN { Err(RepoError::GitTooOld { found, needed: VERSION_MIN_TEXT }) } else { Ok(()) }
}

fn traits(git: &Git) -> Result<RepositoryTraits, RepoError> {
    let kinds = git.call(["rev-parse", "--is-bare-repository", "--is-shallow-repository"]).run()?.line();
    let mut kinds = kinds.lines().map(|line| line == "true");
    let above = git.call(["rev-parse", "--show-superproject-working-tree"]).run()?.line();
    Ok(RepositoryTraits {
        is_bare: kinds.next().unwrap_or(false),
        is_shallow: kinds.next().unwrap_or(false),
        submodule_of: (!above.is_empty()).then(|| PathBuf::from(above)),
        has_submodules: git.call(["cat-file", "-e", "HEAD:.gitmodules"]).run_or(&[1, 128])?.code == 0,
        lfs: lfs(git)?,
    })
}

/// Tells whether any folder of what is checked out has files for the filter.
fn wants_lfs(git: &Git) -> Result<bool, RepoError> {
    let line = "^[^#]*[[:space:]]filter=lfs([[:space:]]|$)";
    let search =
        ["grep", "--quiet", "--text", "-E", "-e", line, "HEAD", "--", ":(top,glob)**/.gitattributes"];
    // The one name that is a pattern. 1 says that there is none, 128 that there is no commit.
    let found = git.call(search).with("GIT_LITERAL_PATHSPECS", "0").run_or(&[1, 128])?;
    Ok(found.code == 0)
}

fn lfs(git: &Git) -> Result<LfsState, RepoError> {
    if !wants_lfs(git)? {
        return Ok(LfsState::Unused);
    }
    let filters = git.call(["config", "--get-regexp", r"^filter\.lfs\.(clean|process)$"]).run_or(&[1])?;
    if filters.code != 0 {
        return Ok(LfsState::FilterMissing);
    }
    let filters = filters.line();
    let is_usual = filters.contains("git-lfs") || filters.contains("git lfs");
    let is_missing = is_usual && git.call(["lfs", "version"]).run_or(&[1, 127])?.code != 0;
    Ok(if is_missing { LfsState::ProgramMissing } else { LfsState::Ready })
}
