//! Read access to a run for the executor.

use domain::{EffectId, PhaseNumber, Role, RunSettings, SessionId, TaskId};

use crate::{
    run::Run,
    state::{SessionState, TaskIndex},
};

/// A session that has a process, or will have one again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveSession {
    pub session: SessionId,
    /// Offset in the agent's output at which reading resumes.
    pub read_from: u64,
    /// Whether its process was ended until it is needed again.
    pub is_cold: bool,
    /// Whether its start was requested and not reported yet.
    pub is_starting: bool,
}

/// The agent, role and task of a session's process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionAssignment {
    pub agent: domain::AgentName,
    pub role: Role,
    pub task: Option<TaskId>,
    /// The agent's own session id, used to resume it.
    pub agent_session: Option<String>,
    /// Offset in the agent's output at which reading resumes.
    pub read_from: u64,
    /// Whether it received an input and has not ended its turn.
    pub is_in_turn: bool,
    /// Whether output of this turn was already recorded.
    pub has_spoken: bool,
}

/// What the executor checks at the gate of a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateCheck {
    pub phase: PhaseNumber,
    pub check: Option<String>,
    /// Glob patterns of the files that the phase must produce.
    pub artefacts: Vec<String>,
}

impl Run {
    pub fn settings(&self) -> &RunSettings {
        &self.settings
    }

    /// Returns how long the current or last attempt at a task has worked, excluding waiting time.
    pub fn worked_ms(&self, task: &TaskId) -> Option<u64> {
        Some(self.task(self.find_task(task)?).worked_ms)
    }

    /// Returns the check command of a task.
    pub fn check_command(&self, task: &TaskId) -> Option<&str> {
        self.check_of_task(self.find_task(task)?).map(String::as_str)
    }

    /// Returns whether an effect is still to be executed: not reported, and not obsolete.
    pub fn is_effect_pending(&self, id: EffectId) -> bool {
        self.pending_effects.find(id).is_some()
    }

    /// Returns what to check at the gate of a phase.
    pub fn gate_check(&self, phase: PhaseNumber) -> GateCheck {
        let phase_state = self.phases.get(&phase);
        let own_check = phase_state.and_then(|phase| phase.verify.clone());
        GateCheck {
            phase,
            check: own_check.or_else(|| self.settings.verify.clone()),
            artefacts: phase_state.map(|phase| phase.artefacts.clone()).unwrap_or_default(),
        }
    }

    /// Returns the sessions that have or need a process, by id.
    pub fn live_sessions(&self) -> Vec<LiveSession> {
        let live_session = |session: &SessionId| {
            let state = self.session(*session);
            state.may_have_process().then(|| LiveSession {
                session: *session,
                read_from: state.read_from,
                is_cold: state.state == SessionState::Parked(domain::ParkMode::Cold),
                is_starting: state.state == SessionState::Starting,
            })
        };
        // A dismissed session is no longer in `alive`, but its process may still run.
        let dismissed = self.pending_effects.iter().filter_map(|(_, effect)| match effect {
            crate::Effect::EndSession { session } => Some(*session),
            _ => None,
        });
        let mut sessions: Vec<SessionId> = self.alive.iter().copied().chain(dismissed).collect();
        sessions.sort_unstable();
        sessions.dedup();
        sessions.iter().filter_map(live_session).collect()
    }

    /// Returns what a session's process is for; `None` if Jangdan plays the session itself.
    pub fn session_assignment(&self, session: SessionId) -> Option<SessionAssignment> {
        if !self.sessions.has(session.0) {
            return None;
        }
        let state = self.session(session);
        let id = |task: TaskIndex| self.task(task).planned.id.clone();
        Some(SessionAssignment {
            agent: state.agent.clone()?,
            role: state.role,
            task: state.task.map(id),
            agent_session: state.agent_session.clone(),
            read_from: state.read_from,
            is_in_turn: state.in_turn,
            has_spoken: state.read_from > state.turn_from,
        })
    }
}
