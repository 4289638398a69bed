//! What only a worktree knows, so that it would be lost with it: commits that its own log names, and submodules' work.

use std::{fs, path::PathBuf};

use crate::{CommitId, RepoError, RunRepository, git::to_path, repository::commit_of, worktree_slot::Slot};

/// The newest lines of a worktree's log that are looked at. An agent that commits more often than this has lost
/// nothing but what it replaced long ago.
const LOG_LINES_MAX: usize = 500;
/// Kept commits of one removal. Each keeps all that comes before it.
const STRAYS_MAX: usize = 100;
/// Where git notes commits beside the log.
const HEADS: [&str; 5] = ["HEAD", "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"];

impl RunRepository {
    /// Keeps each commit that was checked out in a worktree once and that no ref reaches.
    pub(crate) fn keep_strays(&self, slot: &Slot) -> Result<(), RepoError> {
        let known = known_commits(slot)?;
        if known.is_empty() {
            return Ok(());
        }
        for _ in 0..STRAYS_MAX {
            // `--single-worktree`: what the worktree's own HEAD holds is what would be lost.
            let options = ["rev-list", "--topo-order", "--ignore-missing", "--single-worktree", "-n", "1"];
            let mut call = self.repository.git.call(options);
            for commit in &known {
                call = call.arg(commit.as_str());
            }
            let Some(stray) = CommitId::parse(&call.arg("--not").arg("--all").run()?.line()) else {
                return Ok(());
            };
            self.keep_commit(&slot.name, &stray, &self.keep_refs(&slot.name)?)?;
        }
        Err(RepoError::WouldLoseWork { path: slot.path.clone(), what: slot.git_dir.join("logs/HEAD") })
    }

    /// Refuses a worktree with a submodule that the agent cloned itself and that has work of its own.
    pub(crate) fn check_submodules(&self, slot: &Slot, linked: &[PathBuf]) -> Result<(), RepoError> {
        let listed = slot.git.call(["ls-files", "-z", "--stage"]).run()?;
        for entry in listed.parts().filter(|entry| entry.starts_with(b"160000 ")) {
            let Some(at) = entry.iter().position(|byte| *byte == b'\t') else { continue };
            let what = to_path(entry.get(at + 1..).unwrap_or_default());
            let is_clone = slot.path.join(&what).join(".git").exists() && !linked.contains(&what);
            if is_clone && self.has_own_work(slot, &what)? {
                return Err(RepoError::WouldLoseWork { path: slot.path.clone(), what });
            }
        }
        Ok(())
    }

    /// Tells whether a submodule has changes, or commits that it has from nowhere else.
    fn has_own_work(&self, slot: &Slot, submodule: &PathBuf) -> Result<bool, RepoError> {
        let git = self.repository.git.at(&slot.path.join(submodule));
        let changes = git.call(["status", "--porcelain=v2", "-z", "--untracked-files=all"]).run()?;
        let commits = git.call(["rev-list", "-n", "1", "--all", "HEAD", "--not", "--remotes"]).run()?;
        Ok(!changes.output.is_empty() || !commits.output.is_empty())
    }
}

/// Returns the commits that a worktree's own files name.
fn known_commits(slot: &Slot) -> Result<Vec<CommitId>, RepoError> {
    let log = fs::read(slot.git_dir.join("logs/HEAD")).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let mut known: Vec<CommitId> = log
        .lines()
        .rev()
        .take(LOG_LINES_MAX)
        .filter_map(|line| CommitId::parse(line.split(' ').nth(1)?))
        .collect();
    // The worktree's folder may be gone; git's of it is not.
    let git = slot.git.at(&slot.git_dir);
    for name in HEADS {
        if slot.git_dir.join(name).exists() {
            known.extend(commit_of(&git, name)?);
        }
    }
    let own_refs =
        ["for-each-ref", "--format=%(objectname)", "refs/worktree/", "refs/bisect/", "refs/rewritten/"];
    known.extend(git.call(own_refs).run()?.line().lines().filter_map(CommitId::parse));
    known.sort();
    known.dedup();
    Ok(known)
}
