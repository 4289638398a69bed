//! The party that must act next.

use domain::{Actor, AgentName, EscalationLevel, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Views;

/// Party that must act before something can continue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ResponsibleParty {
    Person,
    Orchestrator,
    Operator,
    Agent {
        /// `None` if the session is unknown.
        agent: Option<AgentName>,
    },
    /// Only time must pass.
    Clock {
        until: Timestamp,
    },
    /// Jangdan itself is working on it.
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
    pub(super) fn party_of_actor(&self, actor: &Actor) -> ResponsibleParty {
        match actor {
            Actor::Agent(session) => ResponsibleParty::Agent { agent: self.agent_of_session(*session) },
            Actor::Person(_) => ResponsibleParty::Person,
            Actor::Clock | Actor::System => ResponsibleParty::Jangdan,
        }
    }
}
