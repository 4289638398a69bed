//! What whoever carries the orders out must know of a run.

use domain::{EffectId, PhaseNumber, Role, RunSettings, SessionId, TaskId};

use crate::{
    run::Run,
    state::{SessionState, TaskRef},
};

/// A session that should have a process, or will have one again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveSession {
    /// The session.
    pub session: SessionId,
    /// Where reading its output goes on.
    pub read_from: u64,
    /// Whether its process was ended until it is needed again.
    pub is_cold: bool,
    /// Whether its start was ordered and not reported yet.
    pub is_starting: bool,
}

/// What an agent's process is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// Who.
    pub agent: domain::AgentName,
    /// As what.
    pub role: Role,
    /// The task at which it works, if it is there for one.
    pub task: Option<TaskId>,
    /// The agent's own session id, by which it can be resumed.
    pub agent_session: Option<String>,
    /// Where reading its output goes on.
    pub read_from: u64,
    /// Whether it was told something and has not ended its turn.
    pub is_in_turn: bool,
    /// Whether something was heard of it in this turn.
    pub has_spoken: bool,
}

/// What a gate has to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateCheck {
    /// The phase.
    pub phase: PhaseNumber,
    /// The command that judges the phase, where there is one.
    pub check: Option<String>,
    /// Patterns of what it is to leave behind.
    pub artefacts: Vec<String>,
}

impl Run {
    /// Returns how the run behaves.
    pub fn settings(&self) -> &RunSettings {
        &self.settings
    }

    /// Returns how long the last try at a task has worked so far, without waiting.
    pub fn worked_ms(&self, task: &TaskId) -> Option<u64> {
        Some(self.task(self.find(task)?).worked_ms)
    }

    /// Returns the command that judges a task, where there is one.
    pub fn check_command(&self, task: &TaskId) -> Option<&str> {
        self.check_of(self.find(task)?).map(String::as_str)
    }

    /// Tells whether an order is still to be carried out: nobody has reported it, and nothing made it needless.
    pub fn is_effect_pending(&self, id: EffectId) -> bool {
        self.pending_effects.find(id).is_some()
    }

    /// Returns what the gate of a phase has to look at.
    pub fn gate_check(&self, phase: PhaseNumber) -> GateCheck {
        let known = self.phases.get(&phase);
        let own = known.and_then(|phase| phase.verify.clone());
        GateCheck {
            phase,
            check: own.or_else(|| self.settings.verify.clone()),
            artefacts: known.map(|phase| phase.artefacts.clone()).unwrap_or_default(),
        }
    }

    /// Returns the sessions of agents that are not over, in their order.
    pub fn live_sessions(&self) -> Vec<LiveSession> {
        let living = |session: &SessionId| {
            let known = self.session(*session);
            known.has_process().then(|| LiveSession {
                session: *session,
                read_from: known.read_from,
                is_cold: known.state == SessionState::Parked(domain::ParkMode::Cold),
                is_starting: known.state == SessionState::Starting,
            })
        };
        // One that was told to end is no longer counted as alive, and may still have its process.
        let dismissed = self.pending_effects.iter().filter_map(|(_, effect)| match effect {
            crate::Effect::EndSession { session } => Some(*session),
            _ => None,
        });
        let mut sessions: Vec<SessionId> = self.alive.iter().copied().chain(dismissed).collect();
        sessions.sort_unstable();
        sessions.dedup();
        sessions.iter().filter_map(living).collect()
    }

    /// Returns what the process of a session is for; nothing where Jangdan plays it itself.
    pub fn assignment(&self, session: SessionId) -> Option<Assignment> {
        if !self.sessions.has(session.0) {
            return None;
        }
        let known = self.session(session);
        let id = |task: TaskRef| self.task(task).planned.id.clone();
        Some(Assignment {
            agent: known.agent.clone()?,
            role: known.role,
            task: known.task.map(id),
            agent_session: known.agent_session.clone(),
            read_from: known.read_from,
            is_in_turn: known.in_turn,
            has_spoken: known.read_from > known.turn_from,
        })
    }
}
