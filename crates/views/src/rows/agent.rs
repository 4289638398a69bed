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
    /// The name by which others call it.
    pub name: AgentName,
    /// What it is in the team for.
    pub role: Role,
    /// How many tasks it may do at once; as many as the run where nothing is said.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>, minimum = 1))]
    pub slots: Option<NonZeroU32>,
    /// How many of its sessions live.
    pub n_sessions: u32,
    /// What was used.
    pub used: UsageTotals,
    /// Where it asked more than people like, the last time.
    pub many_questions: Option<ManyQuestions>,
}

/// More questions in one phase than people like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ManyQuestions {
    /// The phase.
    pub phase: PhaseNumber,
    /// How many there were.
    pub n_questions: u32,
}

impl TableRow for AgentRow {
    type Key = AgentName;
    const KIND: RowKind = RowKind::Agent;

    fn key(&self) -> AgentName {
        self.name.clone()
    }

    fn write_key(key: &AgentName) -> String {
        key.to_string()
    }
}

impl Views {
    pub(super) fn agent_joined(&mut self, member: &TeamMember) {
        self.rows.agents.put(AgentRow {
            name: member.name.clone(),
            role: member.role,
            slots: member.slots,
            n_sessions: 0,
            used: UsageTotals::default(),
            many_questions: None,
        });
    }

    pub(crate) fn many_questions_asked(&mut self, agent: &AgentName, phase: PhaseNumber, n_questions: u32) {
        self.rows.agents.change(agent, |row| row.many_questions = Some(ManyQuestions { phase, n_questions }));
    }

    /// Returns who a session is, where it is no level of Jangdan's.
    pub(super) fn agent_of(&self, session: SessionId) -> Option<AgentName> {
        self.rows.sessions.get(&session).and_then(|row| row.agent.clone())
    }
}
