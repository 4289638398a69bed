//! A member of the team.

use std::num::NonZeroU32;

use domain::{AgentName, PhaseNumber, Role, SessionId, TeamMember};
use serde::{Deserialize, Serialize};

use super::UsageTotals;
use crate::{RowKind, TableRow, Views};

/// A member of the team.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentRow {
    pub name: AgentName,
    pub role: Role,
    /// Maximum number of parallel tasks; `None` means the limit of the run.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>, minimum = 1))]
    pub slots: Option<NonZeroU32>,
    /// Number of running sessions.
    pub n_sessions: u32,
    pub used: UsageTotals,
    /// The last phase in which it asked too many questions.
    pub many_questions: Option<ManyQuestions>,
}

/// Number of questions in a phase, if it exceeded the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ManyQuestions {
    pub phase: PhaseNumber,
    pub n_questions: u32,
}

impl TableRow for AgentRow {
    type Key = AgentName;
    const KIND: RowKind = RowKind::Agent;

    fn key(&self) -> AgentName {
        self.name.clone()
    }

    fn key_to_text(key: &AgentName) -> String {
        key.to_string()
    }
}

impl Views {
    pub(super) fn add_agent(&mut self, member: &TeamMember) {
        self.rows.agents.put(AgentRow {
            name: member.name.clone(),
            role: member.role,
            slots: member.slots,
            n_sessions: 0,
            used: UsageTotals::default(),
            many_questions: None,
        });
    }

    pub(crate) fn apply_many_questions_asked(
        &mut self,
        agent: &AgentName,
        phase: PhaseNumber,
        n_questions: u32,
    ) {
        self.rows.agents.change(agent, |row| row.many_questions = Some(ManyQuestions { phase, n_questions }));
    }

    /// Returns the agent of a session; `None` if Jangdan runs the session itself.
    pub(super) fn agent_of_session(&self, session: SessionId) -> Option<AgentName> {
        self.rows.sessions.get(&session).and_then(|row| row.agent.clone())
    }
}
