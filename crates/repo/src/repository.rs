//! The user's repository and its properties.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use domain::RunId;

use crate::{
    CommitId, GitIdentity, GitOptions, RepoError, RunRepository, UntrackedFileRules, git::GitClient,
    status::working_tree_status,
};

/// First version with `merge-tree --write-tree`.
const VERSION_MIN: (u32, u32) = (2, 38);
const VERSION_MIN_TEXT: &str = "2.38";

/// A repository of the user.
#[derive(Debug, Clone)]
pub struct Repository {
    /// Git directory shared by all worktrees. Calls run here, outside any working tree.
    pub(crate) common: PathBuf,
    /// Folder it was discovered from.
    pub opened_from: PathBuf,
    /// Properties that affect how it can be used.
    pub traits: RepositoryTraits,
    /// Whether worktrees get the submodules of the user's checkout.
    pub with_submodules: bool,
    /// Which untracked files of worktrees are not committed.
    pub untracked_files: UntrackedFileRules,
    pub(crate) git: GitClient,
}

/// Properties of a repository that the user should know about; all are supported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryTraits {
    /// It has no working tree.
    pub is_bare: bool,
    /// Its history is truncated; merges may find no common base.
    pub is_shallow: bool,
    /// Working tree of the repository it is a submodule of.
    pub submodule_of: Option<PathBuf>,
    /// Whether HEAD has a `.gitmodules` file.
    pub has_submodules: bool,
    /// State of Git LFS.
    pub lfs: LfsState,
}

/// State of Git LFS, which is in use if any `.gitattributes` file of HEAD refers to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LfsState {
    /// LFS is not used.
    Unused,
    /// LFS is used and its filter is configured.
    Ready,
    /// LFS is used but no filter is configured: worktrees contain pointer files, and new large files would be
    /// committed whole.
    FilterMissing,
    /// LFS is used and its filter configured, but the program is missing: worktrees cannot be created.
    ProgramMissing,
}

/// What is checked out in the folder a repository was discovered from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// A branch with commits.
    Branch {
        /// Name without `refs/heads/`.
        name: String,
        /// Tip of the branch.
        commit: CommitId,
    },
    /// A commit without a branch.
    Detached {
        /// Id of the commit.
        commit: CommitId,
    },
    /// A branch without commits.
    Unborn {
        /// Name without `refs/heads/`.
        name: String,
    },
}

impl Repository {
    /// Finds the repository that contains a folder.
    pub fn discover(path: &Path, options: &GitOptions) -> Result<Self, RepoError> {
        let here = path.canonicalize().map_err(|source| RepoError::Io {
            operation: "find",
            path: path.to_owned(),
            source,
        })?;
        let git = GitClient::new(options, &here);
        check_git_version(&git)?;
        let common = match git.call(["rev-parse", "--path-format=absolute", "--git-common-dir"]).run() {
            Ok(answer) => PathBuf::from(answer.trimmed_text()),
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
        let traits = read_traits(&git)?;
        let git = git.in_folder(&common);
        Ok(Self {
            common,
            opened_from: here,
            traits,
            with_submodules: true,
            untracked_files: UntrackedFileRules::default(),
            git,
        })
    }

    /// Returns the identity with which the user commits in the folder it was discovered from, if it is configured.
    pub fn user_identity(&self) -> Result<Option<GitIdentity>, RepoError> {
        let git = self.git.in_folder(&self.opened_from);
        let setting = |name: &str| -> Result<Option<String>, RepoError> {
            let answer = git.call(["config", "--get", name]).run_accepting_codes(&[1])?;
            Ok(Some(answer.trimmed_text()).filter(|text| !text.is_empty()))
        };
        let (name, email) = (setting("user.name")?, setting("user.email")?);
        Ok(name.zip(email).map(|(name, email)| GitIdentity { name, email }))
    }

    /// Returns what is checked out in the folder it was discovered from.
    pub fn head(&self) -> Result<Head, RepoError> {
        let git = self.git.in_folder(&self.opened_from);
        let branch = git.call(["symbolic-ref", "--quiet", "HEAD"]).run_accepting_codes(&[1])?;
        let name = branch.trimmed_text().trim_start_matches("refs/heads/").to_owned();
        let commit = find_commit(&git, "HEAD")?;
        match (branch.code, commit) {
            (0, Some(commit)) => Ok(Head::Branch { name, commit }),
            (0, None) => Ok(Head::Unborn { name }),
            (_, Some(commit)) => Ok(Head::Detached { commit }),
            (_, None) => {
                Err(RepoError::CommitNotFound { path: self.opened_from.clone(), revision: "HEAD".to_owned() })
            }
        }
    }

    /// Returns the files whose content in the working tree differs from HEAD, relative to its root.
    pub fn uncommitted_files(&self) -> Result<BTreeSet<PathBuf>, RepoError> {
        if self.traits.is_bare {
            return Ok(BTreeSet::new());
        }
        let status = working_tree_status(&self.git.in_folder(&self.opened_from), None)?;
        Ok(status.changed.into_iter().chain(status.missing).chain(status.staged).collect())
    }

    /// Resolves a revision as seen from the folder it was discovered from.
    pub fn resolve_commit(&self, name: &str) -> Result<CommitId, RepoError> {
        find_commit(&self.git.in_folder(&self.opened_from), name)?.ok_or_else(|| RepoError::CommitNotFound {
            path: self.opened_from.clone(),
            revision: name.to_owned(),
        })
    }

    /// Returns the handle of a run, and creates the folder for its worktrees.
    pub fn open_run(&self, run: &RunId, worktrees: &Path) -> Result<RunRepository, RepoError> {
        let io = |operation, source| RepoError::Io { operation, path: worktrees.to_owned(), source };
        std::fs::create_dir_all(worktrees).map_err(|source| io("make", source))?;
        // Git records canonical paths, and ours are compared with them.
        let folder = worktrees.canonicalize().map_err(|source| io("find", source))?;
        Ok(RunRepository {
            repository: self.clone(),
            run_id: run.clone(),
            worktrees_folder: folder,
            tip_record: None,
        })
    }
}

/// Resolves a revision to a commit, or `None` if there is none.
pub(crate) fn find_commit(git: &GitClient, name: &str) -> Result<Option<CommitId>, RepoError> {
    let name = format!("{name}^{{commit}}");
    let answer = git
        .call(["rev-parse", "--quiet", "--verify", "--end-of-options", &name])
        .run_accepting_codes(&[1, 128])?;
    Ok(CommitId::parse(&answer.trimmed_text()))
}

/// Returns the version of the installed git, such as `2.43.0`. Fails if it is too old.
pub fn installed_git_version(options: &GitOptions) -> Result<String, RepoError> {
    check_git_version(&GitClient::new(options, Path::new("/")))
}

fn read_git_version(git: &GitClient) -> Result<String, RepoError> {
    let version_line = git.call(["version"]).run()?.trimmed_text();
    Ok(version_line.trim_start_matches("git version ").to_owned())
}

fn check_git_version(git: &GitClient) -> Result<String, RepoError> {
    let found = read_git_version(git)?;
    let mut numbers = found.split('.').map(|number| number.parse::<u32>().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if version < VERSION_MIN {
        Err(RepoError::GitTooOld { found, needed: VERSION_MIN_TEXT })
    } else {
        Ok(found)
    }
}

fn read_traits(git: &GitClient) -> Result<RepositoryTraits, RepoError> {
    let kinds =
        git.call(["rev-parse", "--is-bare-repository", "--is-shallow-repository"]).run()?.trimmed_text();
    let mut kinds = kinds.lines().map(|line| line == "true");
    let above = git.call(["rev-parse", "--show-superproject-working-tree"]).run()?.trimmed_text();
    Ok(RepositoryTraits {
        is_bare: kinds.next().unwrap_or(false),
        is_shallow: kinds.next().unwrap_or(false),
        submodule_of: (!above.is_empty()).then(|| PathBuf::from(above)),
        has_submodules: git.call(["cat-file", "-e", "HEAD:.gitmodules"]).run_accepting_codes(&[1, 128])?.code
            == 0,
        lfs: lfs_state(git)?,
    })
}

/// Tells whether any `.gitattributes` file of HEAD uses the LFS filter.
fn uses_lfs(git: &GitClient) -> Result<bool, RepoError> {
    let line = "^[^#]*[[:space:]]filter=lfs([[:space:]]|$)";
    let search =
        ["grep", "--quiet", "--text", "-E", "-e", line, "HEAD", "--", ":(top,glob)**/.gitattributes"];
    // Needs pathspec patterns. Status 1 means no match, 128 no commit.
    let found = git.call(search).env("GIT_LITERAL_PATHSPECS", "0").run_accepting_codes(&[1, 128])?;
    Ok(found.code == 0)
}

fn lfs_state(git: &GitClient) -> Result<LfsState, RepoError> {
    if !uses_lfs(git)? {
        return Ok(LfsState::Unused);
    }
    let filters =
        git.call(["config", "--get-regexp", r"^filter\.lfs\.(clean|process)$"]).run_accepting_codes(&[1])?;
    if filters.code != 0 {
        return Ok(LfsState::FilterMissing);
    }
    let filters = filters.trimmed_text();
    let is_usual = filters.contains("git-lfs") || filters.contains("git lfs");
    let is_missing = is_usual && git.call(["lfs", "version"]).run_accepting_codes(&[1, 127])?.code != 0;
    Ok(if is_missing { LfsState::ProgramMissing } else { LfsState::Ready })
}
