//! Derives from the state of a run which work is landed and which worktrees may be removed.

use domain::SessionId;

use crate::{
    effect::{ApprovedPhase, CleanupOrder, LandingCheck, LandingOrder, WorkToLand},
    run::{Run, RunStatus},
    state::{GateState, Session, SessionState},
};

impl Run {
    /// Returns how the approved or all merged work of the run is brought into a branch.
    pub fn landing_order(&self, all: bool, into: Option<String>, is_squash: bool) -> LandingOrder {
        let work = match all {
            true => WorkToLand::Merged { commit: self.merged_commit.clone() },
            false => WorkToLand::Approved(self.approved_phases()),
        };
        LandingOrder { work, into, is_squash, check: self.landing_check() }
    }

    /// Returns the check of work that is merged with commits of the user: the run's, else that of the last approved
    /// phase that has one.
    pub(crate) fn landing_check(&self) -> LandingCheck {
        let approved = self.phases.values().rev().filter(|phase| phase.gate == GateState::Approved);
        let phase_check = || approved.filter_map(|phase| phase.verify.clone()).next();
        let command = self.settings.verify.clone().or_else(phase_check);
        LandingCheck { command, timeout_ms: self.settings.timeout_ms, retries: self.settings.check_retries }
    }

    /// Returns the approved phases, each with the commit that its gate examined.
    fn approved_phases(&self) -> Vec<ApprovedPhase> {
        let approved = self.phases.iter().filter(|(_, phase)| phase.gate == GateState::Approved);
        approved
            .map(|(number, phase)| ApprovedPhase { number: *number, commit: phase.examined_commit.clone() })
            .collect()
    }

    /// Returns which worktrees of the run are needed, and which are not.
    pub(crate) fn cleanup_order(&self, is_with_refs: bool) -> CleanupOrder {
        let is_active = |session: &Session| session.state != SessionState::Ended && session.task.is_none();
        let active = self.sessions.iter().filter(|(_, session)| is_active(session));
        CleanupOrder {
            is_with_refs,
            has_run_ended: matches!(self.status, RunStatus::Ended(_)),
            ended_tasks: self.ended_tasks().into_iter().map(|(task, _)| task).collect(),
            unfinished_tasks: self.unfinished_tasks(),
            active_sessions: active.map(|(number, _)| SessionId(number)).collect(),
        }
    }
}
