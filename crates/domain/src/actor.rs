//! Who issued a command or caused an event.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{ParseError, SessionId};

/// Originator of a command or an event.
///
/// ```
/// # use domain::{Actor, SessionId};
/// assert_eq!("agent:s_3".parse(), Ok(Actor::Agent(SessionId(3))));
/// assert_eq!(Actor::Person("ana".to_owned()).to_string(), "person:ana");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "string"))]
#[serde(try_from = "String", into = "String")]
pub enum Actor {
    Agent(SessionId),
    /// The name identifies the user on this machine.
    Person(String),
    /// A timer that has expired.
    Clock,
    /// Jangdan itself: reports of the executor and consequences of the rules.
    System,
}

impl Actor {
    pub fn session(&self) -> Option<SessionId> {
        match self {
            Self::Agent(session) => Some(*session),
            Self::Person(_) | Self::Clock | Self::System => None,
        }
    }

    pub fn is_person(&self) -> bool {
        matches!(self, Self::Person(_))
    }
}

impl FromStr for Actor {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        match (text, text.split_once(':')) {
            ("clock", _) => Ok(Self::Clock),
            ("system", _) => Ok(Self::System),
            (_, Some(("agent", session))) => session.parse().map(Self::Agent),
            (_, Some(("person", name))) => Ok(Self::Person(name.to_owned())),
            _ => Err(ParseError::new(text, "actor (agent:s_3, person:name, clock or system)")),
        }
    }
}

impl TryFrom<String> for Actor {
    type Error = ParseError;

    fn try_from(text: String) -> Result<Self, ParseError> {
        text.parse()
    }
}

impl From<Actor> for String {
    fn from(actor: Actor) -> Self {
        actor.to_string()
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent(session) => write!(f, "agent:{session}"),
            Self::Person(name) => write!(f, "person:{name}"),
            Self::Clock => f.write_str("clock"),
            Self::System => f.write_str("system"),
        }
    }
}
