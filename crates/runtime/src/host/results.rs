//! The work of a run: its changes, its landing, and the removal of its worktrees.

use std::sync::Arc;

use domain::{CleanupReport, LandReport, PhaseNumber, RunId, TaskId, UserCommand};
use views::{GateRow, MergedRange, Rows};

use super::{CommandSender, Host, HostError};
use crate::{
    executor::{self, RunContext},
    git::PhaseDiffScope,
    land::LandOptions,
};

impl Host {
    /// Returns the changes of a task as a git diff.
    pub fn task_diff(&self, run: &RunId, task: &TaskId) -> Result<String, HostError> {
        self.run_git(run)?.task_diff(task).map_err(HostError::from)
    }

    /// Returns the changes of the merged tasks of a phase as a git diff. Those since a rejection are all of
    /// them if no round of its gate failed or was rejected.
    pub fn phase_diff(
        &self,
        run: &RunId,
        phase: PhaseNumber,
        scope: PhaseDiffScope,
    ) -> Result<String, HostError> {
        let snapshot = self.run_snapshot(run)?;
        let merges = snapshot.views.phase_merges(phase).iter().map(|MergedRange { onto, commit }| {
            engine::MergedCommits { onto: onto.clone(), commit: commit.clone() }
        });
        let merges: Vec<_> = merges.collect();
        let rejected = match scope {
            PhaseDiffScope::All => None,
            PhaseDiffScope::SinceRejection => {
                snapshot.views.rows().gates.get(&phase).and_then(GateRow::rejected_commit)
            }
        };
        self.run_git(run)?.diff_merges(&merges, rejected).map_err(HostError::from)
    }

    /// Merges the approved phases of a run, or all merged tasks, into a branch. Returns when that has ended, with the check
    /// of the merged result if one is necessary.
    pub fn land<'a>(
        &self,
        run: &RunId,
        sender: impl Into<CommandSender<'a>>,
        options: &LandOptions,
    ) -> Result<LandReport, HostError> {
        let LandOptions { is_all, into, is_squash, is_dry_run } = options.clone();
        let report = if is_dry_run {
            self.preview_landing(run, is_all, into, is_squash)?
        } else {
            let command = UserCommand::LandRun { all: is_all, into, squash: is_squash };
            let sequence = self.execute_command(run, sender, command)?;
            let of_command = move |rows: &Rows| {
                rows.landings.iter().filter(|row| row.sequence <= sequence).last()?.report.clone()
            };
            self.wait_for_rows(run, of_command)?
        };
        if let LandReport::Failed { reason } = report {
            return Err(HostError::NotLanded { run: run.clone(), reason });
        }
        Ok(report)
    }

    fn preview_landing(
        &self,
        run: &RunId,
        is_all: bool,
        into: Option<String>,
        is_squash: bool,
    ) -> Result<LandReport, HostError> {
        if self.active_runs().is_shutting_down {
            return Err(HostError::ShuttingDown);
        }
        let order = self.run_snapshot(run)?.landing_order(is_all, into, is_squash);
        let (git, environment) = (self.run_git(run)?, self.run_environment(run)?);
        let context =
            RunContext::without_run_loop(Arc::clone(&self.state), run.clone(), environment, git.clone());
        Ok(executor::preview_landing(&context, &git, &order, &self.state.stop_token))
    }

    /// Removes the finished worktrees of a run, and returns when that has ended. Their content is committed to git first.
    ///
    /// With `is_with_refs`, also deletes branches and refs of a run that has ended, if their work is elsewhere or old.
    pub fn remove_finished_worktrees<'a>(
        &self,
        run: &RunId,
        sender: impl Into<CommandSender<'a>>,
        is_with_refs: bool,
    ) -> Result<CleanupReport, HostError> {
        let sequence = self.execute_command(run, sender, UserCommand::CleanRun { refs: is_with_refs })?;
        let of_command = move |rows: &Rows| {
            let row = rows.cleanups.iter().filter(|row| row.sequence <= sequence).last()?;
            Some((row.report.clone()?, row.error.clone()))
        };
        match self.wait_for_rows(run, of_command)? {
            (report, None) => Ok(report),
            (_, Some(reason)) => Err(HostError::NotCleaned { run: run.clone(), reason }),
        }
    }
}
