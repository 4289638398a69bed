//! Deletes the branches and refs of an ended run whose work is elsewhere or old.

use std::collections::BTreeSet;

use domain::{KeptRefReason, RefCleanupReport};

use crate::{
    CommitId, LandingPlan, LandingRequest, LandingStrategy, RepoError, RunRepository,
    names::{branch_ref, gate_ref_prefix, run_branch_prefix, snapshot_refs_of_run, squash_ref_prefix},
    repository::find_commit,
    worktree_lock,
};

/// Prefixes of refs that Jangdan does not write: work that one of them contains is the user's.
const USER_REFS: [&str; 3] = ["refs/heads/", "refs/remotes/", "refs/tags/"];

/// Landed commits, newest first, whose trees are compared with saved states.
const LANDED_COMMITS_MAX: &str = "10000";

/// Which refs are deleted.
#[derive(Debug, Clone, Copy)]
pub struct RefPruneOptions<'a> {
    /// The current time, in seconds since the epoch.
    pub now_s: u64,
    /// Age from which saved states are deleted; `None` keeps those whose work is not elsewhere.
    pub max_age_s: Option<u64>,
    /// Size of all saved states above which the oldest are deleted; unlimited if `None`. Objects that other refs contain
    /// do not count.
    pub max_bytes: Option<u64>,
    /// Branch of the user into which the run is landed.
    pub target: Option<&'a str>,
    /// Commit that the run started from, if it is landed as one commit for each task.
    pub linear_base: Option<&'a CommitId>,
}

/// A ref of the run.
struct RunRef {
    name: String,
    object: String,
    tree: String,
    written_s: u64,
}

impl RunRepository {
    /// Deletes refs of the run: branches and gate refs whose work a ref of the user contains, also as other commits, and
    /// saved states that are contained there, older than the limit, or the oldest above the size. The run must have ended.
    pub fn prune_refs(&self, options: RefPruneOptions<'_>) -> Result<RefCleanupReport, RepoError> {
        let checked_out = self.checked_out_branches()?;
        let run_branches = branch_ref(&run_branch_prefix(&self.run_id));
        let snapshots = snapshot_refs_of_run(&self.run_id);
        let mut report = RefCleanupReport::default();
        let (mut deleted, mut saved) = (Vec::new(), Vec::new());
        let refs = self.refs_of_run()?;
        let mut landed = self.user_refs()?;
        landed.extend(self.commits_landed_as_others(&refs, &landed, options)?);
        let landed_trees = self.trees_of(&landed)?;
        // Squash refs are needed for as long as there is work of the run that could be landed.
        let (squash_refs, refs): (Vec<RunRef>, Vec<RunRef>) =
            refs.into_iter().partition(|run_ref| run_ref.name.starts_with(&squash_ref_prefix(&self.run_id)));
        for run_ref in refs {
            let age_s = options.now_s.saturating_sub(run_ref.written_s);
            let is_old = options.max_age_s.is_some_and(|max| age_s >= max);
            let is_snapshot = run_ref.name.starts_with(&snapshots);
            // Its files are in a landed commit, although its own commit is not.
            let is_obsolete = is_snapshot && (is_old || landed_trees.contains(&run_ref.tree));
            let reason = if run_ref.name.starts_with(&run_branches) && checked_out.contains(&run_ref.name) {
                Some(KeptRefReason::CheckedOut)
            } else if is_obsolete || self.is_contained(&run_ref.object, &landed)? {
                None
            } else if is_snapshot {
                Some(KeptRefReason::Recent { age_s })
            } else {
                Some(KeptRefReason::UnmergedWork)
            };
            match reason {
                Some(KeptRefReason::Recent { .. }) => saved.push(run_ref),
                Some(reason) => report.kept.push((run_ref.name, reason)),
                None => deleted.push(run_ref),
            }
        }
        report.freed_bytes = self.delete_refs(&deleted)?;
        // Measured now, when refs that contain the same objects are deleted.
        let mut deleted_later = self.take_oldest_above(options.max_bytes, &mut saved)?;
        if report.kept.is_empty() && saved.is_empty() {
            deleted_later.extend(squash_refs);
        } else {
            let kept = squash_refs.into_iter().map(|run_ref| (run_ref.name, KeptRefReason::NeededToLand));
            report.kept.extend(kept);
        }
        report.freed_bytes += self.delete_refs(&deleted_later)?;
        report.deleted = deleted.into_iter().chain(deleted_later).map(|run_ref| run_ref.name).collect();
        let kept = saved.into_iter().map(|run_ref| {
            let age_s = options.now_s.saturating_sub(run_ref.written_s);
            (run_ref.name, KeptRefReason::Recent { age_s })
        });
        report.kept.extend(kept);
        Ok(report)
    }

    /// Removes the oldest saved states from the list until the others need at most this size, and returns them.
    fn take_oldest_above(
        &self,
        max_bytes: Option<u64>,
        saved: &mut Vec<RunRef>,
    ) -> Result<Vec<RunRef>, RepoError> {
        let Some(max_bytes) = max_bytes else { return Ok(Vec::new()) };
        saved.sort_by(|a, b| (a.written_s, &a.name).cmp(&(b.written_s, &b.name)));
        // The size of the newest states grows with their number: `low` oldest are too few, `high` are enough.
        let (mut low, mut high) = (0, saved.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.size_of_saved(saved.get(middle..).unwrap_or_default())? <= max_bytes {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Ok(saved.drain(..low).collect())
    }

    /// Returns the size of the objects of saved states that no other ref contains.
    fn size_of_saved(&self, saved: &[RunRef]) -> Result<u64, RepoError> {
        let objects: BTreeSet<String> = saved.iter().map(|run_ref| run_ref.object.clone()).collect();
        let own = format!("--exclude={}*", snapshot_refs_of_run(&self.run_id));
        let call = self.repository.git.call(["rev-list", "--objects", "--disk-usage"]);
        let call = call.args(objects).args(["--not".to_owned(), own, "--all".to_owned()]);
        Ok(call.run()?.trimmed_text().parse().unwrap_or(0))
    }

    fn refs_of_run(&self) -> Result<Vec<RunRef>, RepoError> {
        let call = self.repository.git.call([
            "for-each-ref",
            "--format=%(objectname) %(tree) %(committerdate:unix) %(refname)",
            &branch_ref(&run_branch_prefix(&self.run_id)),
            &snapshot_refs_of_run(&self.run_id),
            &gate_ref_prefix(&self.run_id),
            &squash_ref_prefix(&self.run_id),
        ]);
        let listed = call.run()?.trimmed_text();
        let refs = listed.lines().filter_map(|line| {
            let mut parts = line.splitn(4, ' ').map(str::to_owned);
            let (object, tree, written) = (parts.next()?, parts.next()?, parts.next()?);
            Some(RunRef { name: parts.next()?, object, tree, written_s: written.parse().unwrap_or(0) })
        });
        Ok(refs.collect())
    }

    /// Returns the refs that are not Jangdan's.
    fn user_refs(&self) -> Result<Vec<String>, RepoError> {
        let call = self.repository.git.call(["for-each-ref", "--format=%(refname)"]).args(USER_REFS);
        let listed = call.run()?.trimmed_text();
        let own = branch_ref("jangdan/");
        Ok(listed.lines().filter(|name| !name.starts_with(&own)).map(str::to_owned).collect())
    }

    /// Returns commits of the run whose work the refs of the user contain as other commits: squashed, rebased, or as one
    /// commit for each task.
    fn commits_landed_as_others(
        &self,
        refs: &[RunRef],
        user_refs: &[String],
        options: RefPruneOptions<'_>,
    ) -> Result<Vec<String>, RepoError> {
        let squash_prefix = squash_ref_prefix(&self.run_id);
        let mut landed = Vec::new();
        for run_ref in refs {
            let Some(squash) = run_ref.name.strip_prefix(&squash_prefix) else { continue };
            // A squash commit that no branch was moved to may have been removed.
            if find_commit(&self.repository.git, squash)?.is_some() && self.is_contained(squash, user_refs)? {
                landed.push(run_ref.object.clone());
            }
        }
        let Some(tip) = self.branch_tip(&self.run_branch())? else { return Ok(landed) };
        let linear_tip = options.linear_base.map(|base| self.linearize(base, &tip)).transpose()?;
        if let (Some(base), Some(linear_tip)) = (options.linear_base, &linear_tip) {
            let contained: Vec<String> = user_refs.iter().chain(&landed).cloned().collect();
            landed.extend(self.last_landed_step(base, &tip, linear_tip, &contained)?);
        }
        if let Some(branch) = options.target {
            let (commit, strategy) = (linear_tip.as_ref().unwrap_or(&tip), LandingStrategy::Merge);
            let request = LandingRequest { branch, commit, strategy, author: None };
            if self.plan_landing(&request)? == LandingPlan::AlreadyLanded {
                landed.push(tip.to_string());
            }
        }
        Ok(landed)
    }

    /// Returns the last step of the run's branch whose copy, an ancestor of `linear_tip`, is contained.
    fn last_landed_step(
        &self,
        base: &CommitId,
        tip: &CommitId,
        linear_tip: &CommitId,
        contained: &[String],
    ) -> Result<Option<String>, RepoError> {
        let excluded = contained.iter().map(|name| format!("^{name}"));
        let call = self.repository.git.call(["rev-list", "--count", linear_tip.as_str()]).args(excluded);
        // There is one copy for each step.
        let skip = format!("--skip={}", call.run()?.trimmed_text());
        let range = format!("{base}..{tip}");
        let call = self.repository.git.call(["rev-list", "--first-parent", "-n", "1", &skip, &range]);
        let step = call.run()?.trimmed_text();
        Ok((!step.is_empty()).then_some(step))
    }

    /// Returns the trees of the last commits of these refs.
    fn trees_of(&self, refs: &[String]) -> Result<BTreeSet<String>, RepoError> {
        if refs.is_empty() {
            return Ok(BTreeSet::new());
        }
        let call =
            self.repository.git.call(["log", "--no-show-signature", "--format=%T", "-n", LANDED_COMMITS_MAX]);
        let listed = call.args(refs.iter().cloned()).run()?.trimmed_text();
        Ok(listed.lines().map(str::to_owned).collect())
    }

    /// Tells whether one of the refs contains a commit.
    fn is_contained(&self, object: &str, user_refs: &[String]) -> Result<bool, RepoError> {
        if user_refs.is_empty() {
            return Ok(false);
        }
        let excluded: Vec<String> = user_refs.iter().map(|name| format!("^{name}")).collect();
        let call = self.repository.git.call(["rev-list", "-n", "1", object]).args(excluded);
        Ok(call.run()?.output.is_empty())
    }

    fn checked_out_branches(&self) -> Result<Vec<String>, RepoError> {
        let listed = worktree_lock::run_shared(&self.repository.common, || {
            self.repository.git.call(["worktree", "list", "--porcelain", "-z"])
        })?;
        let branches = listed.nul_parts().filter_map(|line| line.strip_prefix(b"branch "));
        Ok(branches.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
    }

    /// Deletes refs unless they were moved meanwhile. Returns the size of the objects that only they contained.
    fn delete_refs(&self, refs: &[RunRef]) -> Result<u64, RepoError> {
        if refs.is_empty() {
            return Ok(0);
        }
        let commands: String =
            refs.iter().map(|run_ref| format!("delete {} {}\n", run_ref.name, run_ref.object)).collect();
        let objects: BTreeSet<&str> = refs.iter().map(|run_ref| run_ref.object.as_str()).collect();
        self.repository.git.call(["update-ref", "--stdin"]).input(commands).run()?;
        let call = self.repository.git.call(["rev-list", "--objects", "--disk-usage"]);
        let call = call.args(objects.into_iter().map(str::to_owned)).arg("--not").arg("--all");
        Ok(call.run()?.trimmed_text().parse().unwrap_or(0))
    }
}
