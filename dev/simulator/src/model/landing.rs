//! Landings and cleanups that users request.

use domain::{CleanupId, LandingId, MergeOutcome};
use engine::{ApprovedPhase, CleanupOrder, Effect, MergeOrder, WorkToLand};

use super::{Model, SessionState};
use crate::rule::Rule;

impl Model {
    pub(super) fn request_landing(&mut self, landing: LandingId) {
        if let Some(unfinished) = self.landing.replace(landing) {
            self.add_violation(Rule::Landing, format!("{landing} starts before {unfinished} has finished"));
        }
    }

    pub(super) fn finish_landing(&mut self, landing: LandingId) {
        if self.landing.take() != Some(landing) {
            self.add_violation(Rule::StaleReports, format!("{landing} is finished again"));
        }
    }

    pub(super) fn request_cleanup(&mut self, cleanup: CleanupId) {
        if let Some(unfinished) = self.cleanup.replace(cleanup) {
            self.add_violation(Rule::Cleanup, format!("{cleanup} starts before {unfinished} has finished"));
        }
    }

    pub(super) fn finish_cleanup(&mut self, cleanup: CleanupId) {
        if self.cleanup.take() != Some(cleanup) {
            self.add_violation(Rule::StaleReports, format!("{cleanup} is finished again"));
        }
    }

    pub(super) fn record_merge(&mut self, outcome: &MergeOutcome) {
        if let MergeOutcome::Merged { commit, onto: Some(_), .. } = outcome {
            self.merged_commit = Some(commit.clone());
        }
    }

    /// Checks that a landing has only work that the log names, and that a cleanup removes nothing that is needed.
    pub(crate) fn check_project_effect(&mut self, effect: &Effect) {
        match effect {
            Effect::LandRun { landing, order } => self.check_landed_work(*landing, &order.work),
            Effect::CleanRun { order, .. } => self.check_cleanup(order),
            Effect::Merge(order) => self.check_merged_commit(order),
            Effect::SpawnAgent(_)
            | Effect::SendInput { .. }
            | Effect::ParkSession { .. }
            | Effect::WakeSession { .. }
            | Effect::EndSession { .. }
            | Effect::StopSession { .. }
            | Effect::RunCheck(_)
            | Effect::CheckGate(_)
            | Effect::LandPhase { .. }
            | Effect::MakeCheckpoint { .. }
            | Effect::RestoreCheckpoint { .. }
            | Effect::SavePermissionRule { .. }
            | Effect::TickPlan { .. }
            | Effect::RecordDuration(_)
            | Effect::ReleaseWorktree { .. }
            | Effect::RemoveWorktree { .. }
            | Effect::ProvideResource(_) => {}
        }
    }

    /// Checks that a merge has the commit that passed the check, and so nothing that the check left behind.
    fn check_merged_commit(&mut self, order: &MergeOrder) {
        let Some(task) = self.tasks.get(&order.task) else { return };
        if order.commit != task.checked_commit {
            let how = format!("{} merges {:?}, checked {:?}", order.task, order.commit, task.checked_commit);
            self.add_violation(Rule::CheckedCommit, how);
        }
    }

    fn check_landed_work(&mut self, landing: LandingId, work: &WorkToLand) {
        let is_recorded = match work {
            WorkToLand::Merged { commit } => *commit == self.merged_commit,
            WorkToLand::Approved(phases) => {
                let approved = self.phases.iter().filter(|(_, phase)| phase.gate.approved);
                let expected = approved.map(|(number, phase)| ApprovedPhase {
                    number: *number,
                    commit: phase.gate.examined_commit.clone(),
                });
                phases.iter().cloned().eq(expected)
            }
        };
        if !is_recorded {
            self.add_violation(Rule::Landing, format!("{landing} lands {work:?}"));
        }
    }

    fn check_cleanup(&mut self, order: &CleanupOrder) {
        let is_kept = |task: &domain::TaskId| order.unfinished_tasks.contains(task);
        let unfinished = self.tasks.iter().filter(|(_, task)| task.attempt > 0 && !task.stage.has_ended());
        let removed_task = unfinished.map(|(id, _)| id).find(|id| !is_kept(id));
        let is_active = |session: &super::Session| {
            session.state != SessionState::Ended && session.task.is_none() && session.agent.is_some()
        };
        let active = self.sessions.iter().filter(|(_, session)| is_active(session)).map(|(id, _)| id);
        let removed_session = active.into_iter().find(|id| !order.active_sessions.contains(id));
        let removed = removed_task.map(ToString::to_string).or(removed_session.map(ToString::to_string));
        if let Some(removed) = removed {
            self.add_violation(Rule::Cleanup, format!("the worktree of {removed} may be removed"));
        }
    }
}
