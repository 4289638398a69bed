//! Read access to a run for the run loop and the executor.

use domain::{EffectId, Role, SessionId, TaskId};

use crate::{
    effect::{Effect, SessionAssignment},
    run::Run,
    state::{ProcessState, Session, SessionState, TaskIndex, TaskStage},
};

/// A session that should have a process, or will have one again. Sessions whose start is still pending are not listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedSession {
    pub assignment: SessionAssignment,
    /// Whether its process was ended until it is needed again.
    pub is_cold: bool,
}

impl Run {
    /// Returns whether an effect is still to be executed: not reported, and not obsolete.
    pub fn is_effect_pending(&self, id: EffectId) -> bool {
        self.pending_effects.find(id).is_some()
    }

    /// Returns the sessions whose processes the executor must find after a restart, by id.
    pub fn expected_sessions(&self) -> Vec<ExpectedSession> {
        // A dismissed session is no longer in `alive`, but its process may still run.
        let dismissed = self.pending_effects.iter().filter_map(|(_, effect)| {
            if let Effect::EndSession { session } = effect { Some(*session) } else { None }
        });
        // A session that is being woken has no process yet.
        let is_waking = |id: SessionId| {
            self.pending_effects.iter().any(|(_, effect)| {
                matches!(effect, Effect::WakeSession { session, from: domain::ParkMode::Cold, .. }
                    if *session == id)
            })
        };
        let mut sessions: Vec<SessionId> = self.alive.iter().copied().chain(dismissed).collect();
        sessions.sort_unstable();
        sessions.dedup();
        let expected = |session: SessionId| {
            let state = self.session(session);
            let has_started = state.may_have_process() && state.process() != Some(ProcessState::Starting);
            let is_cold = state.park_mode() == Some(domain::ParkMode::Cold) || is_waking(session);
            let assignment = self.session_assignment(session).filter(|_| has_started)?;
            Some(ExpectedSession { assignment, is_cold })
        };
        sessions.into_iter().filter_map(expected).collect()
    }

    /// Returns the tasks that were started and have not ended.
    pub fn unfinished_tasks(&self) -> Vec<TaskId> {
        let unfinished = self.tasks.iter().filter(|task| task.attempt() > 0 && !task.stage.is_final());
        unfinished.map(|task| task.planned.id.clone()).collect()
    }

    /// Returns the ended tasks that may have a worktree, each with whether it is done.
    pub fn ended_tasks(&self) -> Vec<(TaskId, bool)> {
        let ended = self.tasks.iter().filter(|task| task.attempt() > 0 && task.stage.is_final());
        ended.map(|task| (task.planned.id.clone(), task.stage == TaskStage::Done)).collect()
    }

    /// Returns the ended sessions that had a worktree of their own.
    pub fn ended_sessions(&self) -> Vec<SessionId> {
        let has_ended = |session: &Session| session.state == SessionState::Ended && session.task.is_none();
        let ended = self.sessions.iter().filter(|(_, session)| has_ended(session) && session.agent.is_some());
        ended.map(|(number, _)| SessionId(number)).collect()
    }

    /// Returns whether files that two unfinished tasks both changed are known.
    pub fn has_file_overlaps(&self) -> bool {
        !self.overlaps.is_empty()
    }

    /// Returns the task or duty of a session's process; `None` if Jangdan plays the session itself.
    pub(crate) fn session_assignment(&self, session: SessionId) -> Option<SessionAssignment> {
        if !self.sessions.has(session.0) {
            return None;
        }
        let state = self.session(session);
        let id = |task: TaskIndex| self.task(task).planned.id.clone();
        Some(SessionAssignment {
            session,
            agent: state.agent.clone()?,
            role: state.role,
            task: state.task.map(id),
            agent_session: state.agent_session.clone(),
            read_from: state.read_from,
            is_in_turn: state.in_turn,
            has_spoken: state.read_from > state.turn_from,
            cost_micros: state.cost_micros,
            task_ids: self.plan_task_ids.clone(),
            locale: self.settings.locale,
            project: self.project.clone(),
            phase: state.phase.map(|phase| (phase, self.phase_title(phase))),
            team: self
                .team
                .members
                .iter()
                .filter(|member| state.agent.as_ref() != Some(&member.name))
                .cloned()
                .collect(),
            // Questions wait for orchestrators and operators, so these do not wait for commands.
            runs_setup: match state.role {
                Role::Orchestrator | Role::Operator => state.task.is_some(),
                Role::Verifier | Role::Specialist | Role::Tester | Role::Worker => true,
            },
            variables: self.provided_variables(session),
        })
    }
}
