//! Names and roles of agents in a team.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::ParseError;

/// Bounds what a hostile plan or message can make us store.
const AGENT_NAME_BYTES_MAX: usize = 128;

/// Name of an agent in the team: letters of any script, digits, `_`, `-` and `.`.
///
/// ```
/// # use domain::AgentName;
/// assert!("backend-specialist".parse::<AgentName>().is_ok());
/// assert!("기획자".parse::<AgentName>().is_ok());
/// assert!("Product Owner".parse::<AgentName>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "string"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(value_type = String))]
#[serde(try_from = "String", into = "String")]
pub struct AgentName(String);

impl AgentName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for AgentName {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let is_allowed = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        if !text.is_empty() && text.len() <= AGENT_NAME_BYTES_MAX && text.chars().all(is_allowed) {
            Ok(Self(text.to_owned()))
        } else {
            Err(ParseError::new(text, "agent name (letters, digits, '_', '-' and '.')"))
        }
    }
}

impl TryFrom<String> for AgentName {
    type Error = ParseError;

    fn try_from(text: String) -> Result<Self, ParseError> {
        text.parse()
    }
}

impl From<AgentName> for String {
    fn from(name: AgentName) -> Self {
        name.0
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The part an agent plays in the team.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The only role that talks to the user.
    Orchestrator,
    /// Leads the workers of a phase.
    Operator,
    Worker,
    /// Tests the work of a worker.
    Tester,
    /// Judges a phase at its gate.
    Verifier,
    /// Called by other agents for its knowledge.
    Specialist,
}
