//! Submodules in worktrees: each is a linked worktree of the submodule in the user's checkout.
//!
//! Nothing is cloned or fetched. What an agent commits in a submodule is immediately in the user's copy, preserved by
//! a ref, so that merged trees never refer to a missing commit. A submodule that is not initialized in the user's
//! checkout is empty in worktrees, too.

use std::{
    error::Error,
    path::{Component, Path, PathBuf},
};

use tracing::warn;

use crate::{
    CommitId, CommitOptions, RepoError, Repository, RunRepository, TaskWorktree,
    confined_folder::{ConfinedFolder, read_regular_file},
    git::{GitClient, nul_list, to_path},
    names::snapshot_ref_prefix,
    status::working_tree_status,
    worktree_slot::WorktreeSlot,
};

/// Bounds recursion into nested submodules.
const DEPTH_MAX: usize = 8;

/// A submodule of the checked-out commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submodule {
    /// Path from the top of the repository.
    pub path: PathBuf,
    /// Whether worktrees can contain it.
    pub state: SubmoduleAvailability,
}

/// Whether worktrees can contain a submodule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubmoduleAvailability {
    /// It is available.
    Ready,
    /// It is not initialized in the user's checkout: worktrees have an empty folder.
    NotCheckedOut,
    /// The user's checkout lacks the commit that is recorded.
    CommitMissing,
}

/// A submodule as recorded in a commit.
struct SubmoduleEntry {
    path: PathBuf,
    /// Git directory of the user's copy.
    source: PathBuf,
    commit: String,
}

impl SubmoduleEntry {
    fn is_checked_out(&self) -> bool {
        self.source.join("HEAD").is_file()
    }

    fn has_commit(&self, git: &GitClient) -> Result<bool, RepoError> {
        let commit = format!("{}^{{commit}}", self.commit);
        Ok(git.in_folder(&self.source).call(["cat-file", "-e", &commit]).run_accepting_codes(&[1, 128])?.code
            == 0)
    }

    /// Returns a client for the folder if it is a linked worktree of the user's copy rather than a clone made by the
    /// agent.
    ///
    /// The agent can write the link to the git directory, so that must be one of the user's copy, and point back.
    fn linked_worktree(&self, git: &GitClient) -> Option<GitClient> {
        let folder = git.folder().join(&self.path);
        let root = ConfinedFolder::open(git.folder()).ok()?.open_folder(&self.path).ok()?;
        let link = String::from_utf8(root.read(Path::new(".git")).ok()?).ok()?;
        let link = folder.join(link.trim_end_matches('\n').strip_prefix("gitdir: ")?);
        let git_dir = link.canonicalize().ok()?;
        let source = self.source.canonicalize().ok()?;
        let back = read_regular_file(&git_dir.join("gitdir")).ok()??;
        let back = git_dir.join(String::from_utf8(back).ok()?.trim_end_matches('\n'));
        let is_ours = git_dir.parent()? == source.join("worktrees")
            && back.parent()?.canonicalize().ok()? == folder.canonicalize().ok()?;
        is_ours.then(|| git.in_worktree(&folder, &git_dir, &source))
    }
}

impl Repository {
    /// Returns the top-level submodules of the commit that the user has checked out.
    pub fn submodules(&self) -> Result<Vec<Submodule>, RepoError> {
        let git = self.git.in_folder(&self.opened_from);
        let submodules = list_submodules(&git, &self.common.join("modules"))?;
        let states = submodules.into_iter().map(|module| {
            let state = if !module.is_checked_out() {
                SubmoduleAvailability::NotCheckedOut
            } else if module.has_commit(&git)? {
                SubmoduleAvailability::Ready
            } else {
                SubmoduleAvailability::CommitMissing
            };
            Ok(Submodule { path: module.path, state })
        });
        states.collect()
    }

    /// Checks out the submodules of a worktree at the recorded commits, discarding their content.
    pub(crate) fn checkout_submodules(&self, worktree: &GitClient) -> Result<(), RepoError> {
        if !self.with_submodules {
            return Ok(());
        }
        self.checkout_submodules_in(worktree, &self.common.join("modules"), DEPTH_MAX)
    }

    fn checkout_submodules_in(
        &self,
        worktree: &GitClient,
        modules: &Path,
        depth: usize,
    ) -> Result<(), RepoError> {
        if depth == 0 || !worktree.folder().join(".gitmodules").is_file() {
            return Ok(());
        }
        for module in list_submodules(worktree, modules)? {
            if !module.is_checked_out() {
                continue;
            }
            if !module.has_commit(&self.git)? {
                return Err(RepoError::SubmoduleCommitMissing { path: module.path, commit: module.commit });
            }
            let folder = worktree.folder().join(&module.path);
            let commit = module.commit.as_str();
            let inside = match module.linked_worktree(worktree) {
                Some(git) => {
                    git.call(["checkout", "--quiet", "--force", "--detach", commit]).run()?;
                    git.call(["clean", "--quiet", "-d", "--force", "--force"]).run()?;
                    git
                }
                None => {
                    let parent = module.path.parent().unwrap_or(Path::new(""));
                    let occupied = || RepoError::PathOccupied { path: folder.clone() };
                    // The agent can have put a link on the way.
                    let root = ConfinedFolder::open(worktree.folder());
                    root.and_then(|root| root.create_folder(parent)).map_err(|_| occupied())?;
                    // `--force`: after a crash, git may still list a removed worktree.
                    let add = ["worktree", "add", "--quiet", "--force", "--detach"];
                    self.git.in_folder(&module.source).call(add).arg(&folder).arg(commit).run()?;
                    module.linked_worktree(worktree).ok_or_else(occupied)?
                }
            };
            self.checkout_submodules_in(&inside, &module.source.join("modules"), depth - 1)?;
        }
        Ok(())
    }

    /// Removes stale worktree entries from the user's submodules.
    pub(crate) fn prune_submodule_worktrees(&self) {
        let git = self.git.in_folder(&self.opened_from);
        // On failure git prunes them itself eventually.
        let failed = |error: &RepoError, path: &Path| {
            warn!(path = %path.display(), error = error as &dyn Error, "cannot prune the worktrees of a submodule");
        };
        let modules = list_submodules(&git, &self.common.join("modules"));
        let modules = modules.inspect_err(|error| failed(error, &self.common)).unwrap_or_default();
        for module in modules.iter().filter(|module| module.source.join("worktrees").is_dir()) {
            if let Err(error) = git.in_folder(&module.source).call(["worktree", "prune"]).run() {
                failed(&error, &module.source);
            }
        }
    }
}

impl RunRepository {
    /// Commits uncommitted work in submodules, and preserves their commits.
    pub(crate) fn commit_submodules(
        &self,
        slot: &WorktreeSlot,
        work: &CommitOptions,
    ) -> Result<(), RepoError> {
        let modules = self.repository.common.join("modules");
        for_each_submodule(&slot.git, &modules, DEPTH_MAX, &mut |git, module| {
            if !is_working_tree_clean(git)? {
                // Not `git add`, which would run git inside of further submodules.
                let files = status_paths(git)?;
                let add = ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"];
                git.call(add).input(nul_list(&files)).run()?;
                let commit =
                    ["commit", "--quiet", "--no-verify", "--allow-empty-message", "--message", &work.message];
                let (name, email) = (work.author.name.as_str(), work.author.email.as_str());
                let call = git.call(commit).env("GIT_AUTHOR_NAME", name).env("GIT_AUTHOR_EMAIL", email);
                call.env("GIT_COMMITTER_NAME", name).env("GIT_COMMITTER_EMAIL", email).run()?;
            }
            self.preserve_submodule_head(slot, git, &module.source)
        })
    }

    /// Fails if a submodule has uncommitted work; otherwise preserves its commits.
    ///
    /// Returns the submodules checked. A clone made by the agent is not among them.
    pub(crate) fn preserve_submodules(&self, slot: &WorktreeSlot) -> Result<Vec<PathBuf>, RepoError> {
        let modules = self.repository.common.join("modules");
        let mut visited = Vec::new();
        for_each_submodule(&slot.git, &modules, DEPTH_MAX, &mut |git, module| {
            if !is_working_tree_clean(git)? {
                let lost_path = module.path.clone();
                return Err(RepoError::WouldLoseWork { path: slot.path.clone(), lost_path });
            }
            visited.push(module.path.clone());
            self.preserve_submodule_head(slot, git, &module.source)
        })?;
        Ok(visited)
    }

    /// Moves clean submodules to the commits that the worktree's index records.
    ///
    /// Git leaves them where they are, which would look like a change made by the task.
    pub(crate) fn update_submodules(&self, worktree: &TaskWorktree) -> Result<(), RepoError> {
        if !worktree.path.join(".gitmodules").is_file() {
            return Ok(());
        }
        for module in list_submodules(&worktree.slot.git, &self.repository.common.join("modules"))? {
            let Some(inside) = module.linked_worktree(&worktree.slot.git) else { continue };
            if !is_working_tree_clean(&inside)? {
                continue;
            }
            let listed =
                worktree.slot.git.call(["ls-files", "-z", "--stage", "--"]).arg(&module.path).run()?;
            let Some(commit) = listed.nul_parts().find_map(parse_index_gitlink) else { continue };
            self.preserve_submodule_head(&worktree.slot, &inside, &module.source)?;
            inside.call(["checkout", "--quiet", "--detach", &commit]).run()?;
            let modules = module.source.join("modules");
            self.repository.checkout_submodules_in(&inside, &modules, DEPTH_MAX - 1)?;
        }
        Ok(())
    }

    /// Preserves the checked-out commit of a submodule, unless a ref of the user's copy contains it.
    fn preserve_submodule_head(
        &self,
        slot: &WorktreeSlot,
        git: &GitClient,
        source: &Path,
    ) -> Result<(), RepoError> {
        let head = git.call(["rev-parse", "--verify", "HEAD"]).run()?;
        let Some(head) = CommitId::parse(&head.trimmed_text()) else {
            return Err(head.unexpected_output_error());
        };
        let reached =
            git.in_folder(source).call(["for-each-ref", "--count=1", "--contains", head.as_str()]).run()?;
        if reached.output.is_empty() {
            let reference = format!("{}{head}", snapshot_ref_prefix(&self.run_id, &slot.name));
            git.in_folder(source).call(["update-ref", &reference, head.as_str()]).run()?;
        }
        Ok(())
    }
}

/// Calls `visit` for each linked submodule of a worktree, innermost first.
fn for_each_submodule(
    worktree: &GitClient,
    modules: &Path,
    depth: usize,
    visit: &mut dyn FnMut(&GitClient, &SubmoduleEntry) -> Result<(), RepoError>,
) -> Result<(), RepoError> {
    if depth == 0 || !worktree.folder().join(".gitmodules").is_file() {
        return Ok(());
    }
    for module in list_submodules(worktree, modules)? {
        if let Some(inside) = module.linked_worktree(worktree) {
            for_each_submodule(&inside, &module.source.join("modules"), depth - 1, visit)?;
            visit(&inside, &module)?;
        }
    }
    Ok(())
}

/// Returns the files of a checkout that differ from its index or are not in it.
fn status_paths(git: &GitClient) -> Result<Vec<PathBuf>, RepoError> {
    let status = working_tree_status(git, None)?;
    Ok(status.changed.into_iter().chain(status.missing).chain(status.nested).collect())
}

fn is_working_tree_clean(git: &GitClient) -> Result<bool, RepoError> {
    let status = working_tree_status(git, None)?;
    Ok(status.staged.is_empty() && [status.changed, status.missing, status.nested].iter().all(Vec::is_empty))
}

/// Returns the submodules of the checked-out commit.
fn list_submodules(git: &GitClient, modules: &Path) -> Result<Vec<SubmoduleEntry>, RepoError> {
    let list = ["config", "--blob", "HEAD:.gitmodules", "-z", "--get-regexp", r"^submodule\..*\.path$"];
    // A commit without submodules or with an unreadable `.gitmodules` has none.
    let listed = git.call(list).run_accepting_codes(&[1, 3, 128])?;
    let mut submodules = Vec::new();
    for entry in listed.nul_parts() {
        let text = String::from_utf8_lossy(entry);
        let Some((key, path)) = text.split_once('\n') else { continue };
        let Some(name) = key.strip_prefix("submodule.").and_then(|key| key.strip_suffix(".path")) else {
            continue;
        };
        // The name becomes a path; it must not lead outside.
        let is_inner = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        let pinned = git.call(["ls-tree", "-z", "HEAD", "--", path]).run_accepting_codes(&[128])?;
        let commit = pinned.nul_parts().find_map(parse_tree_gitlink);
        if let Some(commit) = commit.filter(|_| is_inner && !name.is_empty()) {
            submodules.push(SubmoduleEntry {
                path: to_path(path.as_bytes()),
                source: modules.join(name),
                commit,
            });
        }
    }
    Ok(submodules)
}

/// Parses `160000 commit HASH\tPATH`.
fn parse_tree_gitlink(entry: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(entry).ok()?;
    let (hash, _) = text.strip_prefix("160000 commit ")?.split_once('\t')?;
    Some(hash.to_owned())
}

/// Parses `160000 HASH 0\tPATH`; conflicted entries have other stage numbers.
fn parse_index_gitlink(entry: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(entry).ok()?;
    let (hash, _) = text.strip_prefix("160000 ")?.split_once(" 0\t")?;
    Some(hash.to_owned())
}
