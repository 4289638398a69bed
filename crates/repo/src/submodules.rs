//! Submodules in worktrees: each is a linked worktree of the submodule that the user's checkout has.
//!
//! Nothing is cloned or fetched. What an agent commits in one is in the user's own copy of it at once, where a ref keeps
//! it, so that the commit that a merged tree names is there. A submodule that the checkout has not, worktrees have not.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use crate::{
    CommitId, CommitOptions, RepoError, Repository, RunRepository, TaskWorktree,
    git::{Git, to_path},
    names::keep_folder,
    worktree_slot::Slot,
};

/// Submodules of submodules, and so on. Nobody has more; a circle would have no end.
const DEPTH_MAX: usize = 8;

/// A submodule of what is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submodule {
    /// Where it is, from the repository's top on.
    pub path: PathBuf,
    /// Whether worktrees can have it.
    pub state: SubmoduleState,
}

/// Whether worktrees can have a submodule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubmoduleState {
    /// They have it.
    Ready,
    /// The user's checkout has it not, so they have an empty folder too.
    NotCheckedOut,
    /// The user's checkout has it, but not the commit that is wanted.
    CommitMissing,
}

/// A submodule as a commit names it.
struct Named {
    path: PathBuf,
    /// Git's folder of the user's own copy.
    source: PathBuf,
    commit: String,
}

impl Named {
    fn is_checked_out(&self) -> bool {
        self.source.join("HEAD").is_file()
    }

    fn has_commit(&self, git: &Git) -> Result<bool, RepoError> {
        let commit = format!("{}^{{commit}}", self.commit);
        Ok(git.at(&self.source).call(["cat-file", "-e", &commit]).run_or(&[1, 128])?.code == 0)
    }

    /// Tells whether the folder in a worktree is a worktree of the user's copy, and not a clone of the agent's.
    fn is_linked(&self, worktree: &Path) -> bool {
        let link = fs::read_to_string(worktree.join(&self.path).join(".git")).unwrap_or_default();
        let target = link.trim_end_matches('\n').strip_prefix("gitdir: ").map(Path::new);
        target.is_some_and(|target| target.starts_with(self.source.join("worktrees")))
    }
}

impl Repository {
    /// Returns the submodules of what the user has checked out, at the top.
    pub fn submodules(&self) -> Result<Vec<Submodule>, RepoError> {
        let git = self.git.at(&self.opened_from);
        let named = named(&git, &self.common.join("modules"))?;
        let states = named.into_iter().map(|module| {
            let state = if !module.is_checked_out() {
                SubmoduleState::NotCheckedOut
            } else if module.has_commit(&git)? {
                SubmoduleState::Ready
            } else {
                SubmoduleState::CommitMissing
            };
            Ok(Submodule { path: module.path, state })
        });
        states.collect()
    }

    /// Gives a working tree its submodules, as the commit says that is checked out there. What is in them is lost.
    pub(crate) fn set_up_submodules(&self, worktree: &Path) -> Result<(), RepoError> {
        if !self.with_submodules {
            return Ok(());
        }
        self.set_up_below(worktree, &self.common.join("modules"), DEPTH_MAX)
    }

    fn set_up_below(&self, worktree: &Path, modules: &Path, depth: usize) -> Result<(), RepoError> {
        if depth == 0 || !worktree.join(".gitmodules").is_file() {
            return Ok(());
        }
        for module in named(&self.git.at(worktree), modules)? {
            if !module.is_checked_out() {
                continue;
            }
            if !module.has_commit(&self.git)? {
                return Err(RepoError::SubmoduleCommitMissing { path: module.path, commit: module.commit });
            }
            let inside = worktree.join(&module.path);
            let commit = module.commit.as_str();
            if module.is_linked(worktree) {
                let git = self.git.at(&inside);
                git.call(["checkout", "--quiet", "--force", "--detach", commit]).run()?;
                git.call(["clean", "--quiet", "-d", "--force", "--force"]).run()?;
            } else {
                // By force: a worktree that was there before a crash is still on git's list.
                let add = ["worktree", "add", "--quiet", "--force", "--detach"];
                self.git.at(&module.source).call(add).arg(&inside).arg(commit).run()?;
            }
            self.set_up_below(&inside, &module.source.join("modules"), depth - 1)?;
        }
        Ok(())
    }

    /// Takes the submodules of worktrees that are gone off git's lists.
    pub(crate) fn forget_submodules(&self) {
        let git = self.git.at(&self.opened_from);
        for module in named(&git, &self.common.join("modules")).unwrap_or_default() {
            if module.source.join("worktrees").is_dir() {
                // Git does it by itself after a while.
                let _ = git.at(&module.source).call(["worktree", "prune"]).run();
            }
        }
    }
}

impl RunRepository {
    /// Commits what an agent left uncommitted in submodules, and keeps what it committed there.
    pub(crate) fn commit_submodules(
        &self,
        worktree: &TaskWorktree,
        work: &CommitOptions,
    ) -> Result<(), RepoError> {
        let repository = &self.repository;
        let modules = repository.common.join("modules");
        self.in_submodules(&worktree.path, &modules, DEPTH_MAX, &mut |git, module| {
            if !is_clean(git)? {
                git.call(["add", "--all"]).run()?;
                let commit =
                    ["commit", "--quiet", "--no-verify", "--allow-empty-message", "--message", &work.message];
                let (name, email) = (work.author.name.as_str(), work.author.email.as_str());
                let call = git.call(commit).with("GIT_AUTHOR_NAME", name).with("GIT_AUTHOR_EMAIL", email);
                call.with("GIT_COMMITTER_NAME", name).with("GIT_COMMITTER_EMAIL", email).run()?;
            }
            self.keep_head(&worktree.slot, git, &module.source)
        })
    }

    /// Refuses a worktree whose submodules have uncommitted work, and keeps what is committed in them.
    ///
    /// Returns those that are looked at; a clone of the agent's own is not among them.
    pub(crate) fn keep_submodules(&self, slot: &Slot) -> Result<Vec<PathBuf>, RepoError> {
        let modules = self.repository.common.join("modules");
        let mut seen = Vec::new();
        self.in_submodules(&slot.path, &modules, DEPTH_MAX, &mut |git, module| {
            if !is_clean(git)? {
                let what = module.path.clone();
                return Err(RepoError::WouldLoseWork { path: slot.path.clone(), what });
            }
            seen.push(module.path.clone());
            self.keep_head(slot, git, &module.source)
        })?;
        Ok(seen)
    }

    /// Brings submodules to the commits that a worktree's index names, where nothing in them is uncommitted.
    ///
    /// Git itself leaves them where they are, and what is left behind would be taken for the task's own change.
    pub(crate) fn follow_submodules(&self, worktree: &TaskWorktree) -> Result<(), RepoError> {
        let Repository { git, common, .. } = &self.repository;
        if !worktree.path.join(".gitmodules").is_file() {
            return Ok(());
        }
        for module in named(&git.at(&worktree.path), &common.join("modules"))? {
            let inside = git.at(&worktree.path.join(&module.path));
            if !module.is_linked(&worktree.path) || !is_clean(&inside)? {
                continue;
            }
            let listed =
                worktree.slot.git.call(["ls-files", "-z", "--stage", "--"]).arg(&module.path).run()?;
            let Some(commit) = listed.parts().find_map(staged_gitlink) else { continue };
            self.keep_head(&worktree.slot, &inside, &module.source)?;
            inside.call(["checkout", "--quiet", "--detach", &commit]).run()?;
            let modules = module.source.join("modules");
            self.repository.set_up_below(inside.folder(), &modules, DEPTH_MAX - 1)?;
        }
        Ok(())
    }

    /// Does something in each linked submodule, the innermost first.
    fn in_submodules(
        &self,
        worktree: &Path,
        modules: &Path,
        depth: usize,
        visit: &mut dyn FnMut(&Git, &Named) -> Result<(), RepoError>,
    ) -> Result<(), RepoError> {
        if depth == 0 || !worktree.join(".gitmodules").is_file() {
            return Ok(());
        }
        for module in named(&self.repository.git.at(worktree), modules)? {
            if module.is_linked(worktree) {
                let inside = worktree.join(&module.path);
                self.in_submodules(&inside, &module.source.join("modules"), depth - 1, visit)?;
                visit(&self.repository.git.at(&inside), &module)?;
            }
        }
        Ok(())
    }

    /// Keeps what is checked out in a submodule, where no ref of the user's copy reaches it.
    fn keep_head(&self, slot: &Slot, git: &Git, source: &Path) -> Result<(), RepoError> {
        let head = git.call(["rev-parse", "--verify", "HEAD"]).run()?;
        let Some(head) = CommitId::parse(&head.line()) else { return Err(head.unreadable()) };
        let reached =
            git.at(source).call(["for-each-ref", "--count=1", "--contains", head.as_str()]).run()?;
        if reached.output.is_empty() {
            let reference = format!("{}{head}", keep_folder(&self.run_id, &slot.name));
            git.at(source).call(["update-ref", &reference, head.as_str()]).run()?;
        }
        Ok(())
    }
}

fn is_clean(git: &Git) -> Result<bool, RepoError> {
    let changes = git.call(["status", "--porcelain=v2", "-z", "--untracked-files=all"]).run()?;
    Ok(changes.output.is_empty())
}

/// Returns the submodules that the commit has which is checked out somewhere.
fn named(git: &Git, modules: &Path) -> Result<Vec<Named>, RepoError> {
    let list = ["config", "--blob", "HEAD:.gitmodules", "-z", "--get-regexp", r"^submodule\..*\.path$"];
    // A commit without submodules, or with a file that git can't read, has none.
    let listed = git.call(list).run_or(&[1, 3, 128])?;
    let mut found = Vec::new();
    for entry in listed.parts() {
        let text = String::from_utf8_lossy(entry);
        let Some((key, path)) = text.split_once('\n') else { continue };
        let Some(name) = key.strip_prefix("submodule.").and_then(|key| key.strip_suffix(".path")) else {
            continue;
        };
        // A name becomes a path; one that leads elsewhere is none of ours.
        let is_inner = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        let pinned = git.call(["ls-tree", "-z", "HEAD", "--", path]).run_or(&[128])?;
        let commit = pinned.parts().find_map(gitlink);
        if let Some(commit) = commit.filter(|_| is_inner && !name.is_empty()) {
            found.push(Named { path: to_path(path.as_bytes()), source: modules.join(name), commit });
        }
    }
    Ok(found)
}

/// Reads `160000 commit HASH\tPATH`.
fn gitlink(entry: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(entry).ok()?;
    let (hash, _) = text.strip_prefix("160000 commit ")?.split_once('\t')?;
    Some(hash.to_owned())
}

/// Reads `160000 HASH 0\tPATH`; one that is in conflict has other numbers.
fn staged_gitlink(entry: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(entry).ok()?;
    let (hash, _) = text.strip_prefix("160000 ")?.split_once(" 0\t")?;
    Some(hash.to_owned())
}
