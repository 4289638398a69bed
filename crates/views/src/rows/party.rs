//! On whom something waits.

use domain::{Actor, AgentName, Level, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Views;

/// Whoever must do something before something else goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Party {
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

impl From<Level> for Party {
    fn from(level: Level) -> Self {
        match level {
            Level::Worker => Self::Jangdan,
            Level::Operator => Self::Operator,
            Level::Orchestrator => Self::Orchestrator,
            Level::Person => Self::Person,
        }
    }
}

impl Views {
    /// Returns who stands behind an actor.
    pub(super) fn party_of(&self, actor: &Actor) -> Party {
        match actor {
            Actor::Agent(session) => Party::Agent { agent: self.agent_of(*session) },
            Actor::Person(_) => Party::Person,
            Actor::Clock | Actor::System => Party::Jangdan,
        }
    }
}
