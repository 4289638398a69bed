//! On whom something waits.

use domain::{Actor, AgentName, EscalationLevel, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Views;

/// Whoever must do something before something else goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ResponsibleParty {
    /// Whose run it is.
    Person,
    /// Who leads the run.
    Orchestrator,
    /// Who leads the phase.
    Operator,
    /// An agent of the team.
    Agent {
        /// Who; none where its session is not known.
        agent: Option<AgentName>,
    },
    /// Time that must go by.
    Clock {
        /// Until when.
        until: Timestamp,
    },
    /// Jangdan itself, which has something in hand.
    Jangdan,
}

impl From<EscalationLevel> for ResponsibleParty {
    fn from(level: EscalationLevel) -> Self {
        match level {
            EscalationLevel::Worker => Self::Jangdan,
            EscalationLevel::Operator => Self::Operator,
            EscalationLevel::Orchestrator => Self::Orchestrator,
            EscalationLevel::Person => Self::Person,
        }
    }
}

impl Views {
    /// Returns who stands behind an actor.
    pub(super) fn party_of(&self, actor: &Actor) -> ResponsibleParty {
        match actor {
            Actor::Agent(session) => ResponsibleParty::Agent { agent: self.agent_of(*session) },
            Actor::Person(_) => ResponsibleParty::Person,
            Actor::Clock | Actor::System => ResponsibleParty::Jangdan,
        }
    }
}
