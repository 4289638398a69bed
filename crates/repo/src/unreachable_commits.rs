//! Preserves what only a worktree refers to: commits in its own reflog, and work in submodules.

use std::path::PathBuf;

use crate::{
    CommitId, RepoError, RunRepository, confined_folder::read_regular_file,
    foreign_repository::has_unsaved_work, git::to_path, repository::find_commit, worktree_slot::WorktreeSlot,
};

/// Number of reflog lines considered. Older commits of an agent that commits more often were replaced long ago.
const LOG_LINES_MAX: usize = 500;
/// Limit of preserved commits per removal; each includes all its ancestors.
const PRESERVED_COMMITS_MAX: usize = 100;
/// Files besides the reflog in which git records commits.
const PSEUDO_REFS: [&str; 5] = ["HEAD", "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"];

impl RunRepository {
    /// Preserves each commit that was checked out in a worktree and that no ref contains.
    pub(crate) fn preserve_unreachable_commits(&self, slot: &WorktreeSlot) -> Result<(), RepoError> {
        let commits = referenced_commits(slot)?;
        if commits.is_empty() {
            return Ok(());
        }
        for _ in 0..PRESERVED_COMMITS_MAX {
            // `--single-worktree`: the worktree's own HEAD is about to be removed and does not count.
            let options = ["rev-list", "--topo-order", "--ignore-missing", "--single-worktree", "-n", "1"];
            let mut call = self.repository.git.call(options);
            for commit in &commits {
                call = call.arg(commit.as_str());
            }
            let Some(commit) = CommitId::parse(&call.arg("--not").arg("--all").run()?.trimmed_text()) else {
                return Ok(());
            };
            self.preserve_commit(&slot.name, &commit, &self.snapshot_refs(&slot.name)?)?;
        }
        Err(RepoError::WouldLoseWork { path: slot.path.clone(), lost_path: slot.git_dir.join("logs/HEAD") })
    }

    /// Fails if the agent cloned a submodule itself and it contains work of its own.
    pub(crate) fn refuse_unsaved_submodules(
        &self,
        slot: &WorktreeSlot,
        linked: &[PathBuf],
    ) -> Result<(), RepoError> {
        let listed = slot.git.call(["ls-files", "-z", "--stage"]).run()?;
        for entry in listed.nul_parts().filter(|entry| entry.starts_with(b"160000 ")) {
            let Some(at) = entry.iter().position(|byte| *byte == b'\t') else { continue };
            let submodule = to_path(entry.get(at + 1..).unwrap_or_default());
            let is_clone = slot.path.join(&submodule).join(".git").exists() && !linked.contains(&submodule);
            let is_unsaved = || {
                let folder = slot.path.join(&submodule);
                has_unsaved_work(&self.repository.git, &folder, &self.repository.common)
            };
            if is_clone && is_unsaved()? {
                return Err(RepoError::WouldLoseWork { path: slot.path.clone(), lost_path: submodule });
            }
        }
        Ok(())
    }
}

/// Returns the commits that the worktree's own files refer to.
fn referenced_commits(slot: &WorktreeSlot) -> Result<Vec<CommitId>, RepoError> {
    let path = slot.git_dir.join("logs/HEAD");
    let log = read_regular_file(&path).map_err(|source| RepoError::Io { operation: "read", path, source })?;
    let log = log.unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let mut commits: Vec<CommitId> = log
        .lines()
        .rev()
        .take(LOG_LINES_MAX)
        .filter_map(|line| CommitId::parse(line.split(' ').nth(1)?))
        .collect();
    // The worktree folder may be gone, but its git directory exists.
    let git = slot.git.in_own_git_dir();
    for name in PSEUDO_REFS {
        if slot.git_dir.join(name).exists() {
            commits.extend(find_commit(&git, name)?);
        }
    }
    let own_refs =
        ["for-each-ref", "--format=%(objectname)", "refs/worktree/", "refs/bisect/", "refs/rewritten/"];
    commits.extend(git.call(own_refs).run()?.trimmed_text().lines().filter_map(CommitId::parse));
    commits.sort();
    commits.dedup();
    Ok(commits)
}
