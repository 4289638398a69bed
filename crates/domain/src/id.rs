//! Ids of objects created during a run, e.g. `q_7` and `s_3`; numbered per run from 1 by the engine.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::ParseError;

macro_rules! numbered {
    ($($(#[$doc:meta])* $name:ident = $letter:literal, $expected:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "string"))]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(value_type = String))]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(pub u32);

        impl FromStr for $name {
            type Err = ParseError;

            fn from_str(text: &str) -> Result<Self, ParseError> {
                parse_id_number(text, concat!($letter, "_")).map(Self).ok_or_else(|| ParseError::new(text, $expected))
            }
        }

        impl TryFrom<String> for $name {
            type Error = ParseError;

            fn try_from(text: String) -> Result<Self, ParseError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.to_string()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($letter, "_{}"), self.0)
            }
        }
    )*};
}

numbered! {
    /// One agent process, or a built-in level of the session tree.
    SessionId = "s", "session id (write s_3)";
    QuestionId = "q", "question id (write q_7)";
    /// A dependency request of an agent.
    RequestId = "d", "request id (write d_3)";
    /// One agent calling another.
    InvocationId = "i", "invocation id (write i_2)";
    /// A result that one agent delivers to another.
    ResultId = "r", "result id (write r_4)";
    /// The direct channel between two sessions.
    ChannelId = "c", "channel id (write c_1)";
    DirectMessageId = "m", "direct message id (write m_9)";
    /// A feedback loop of implementing and testing one task.
    LoopId = "l", "feedback loop id (write l_1)";
    EscalationId = "e", "escalation id (write e_5)";
    CheckpointId = "k", "checkpoint id (write k_2)";
    /// A detected change of the plan file.
    OfferId = "p", "offer id (write p_1)";
    /// A request of a user to bring the work of the run into a branch.
    LandingId = "b", "landing id (write b_1)";
    /// A request of a user to remove worktrees that are not needed.
    CleanupId = "w", "cleanup id (write w_1)";
}

/// Number of an attempt at a task, from 1.
pub type AttemptNumber = u32;

/// Number of an input to a session, from 1. Each is sent once, in order.
pub type InputNumber = u32;

/// Parses the canonical form only: no sign, no leading zero.
fn parse_id_number(text: &str, prefix: &str) -> Option<u32> {
    let digits = text.strip_prefix(prefix)?;
    let canonical = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    digits.parse().ok().filter(|_| canonical)
}

#[cfg(test)]
mod tests {
    use super::{QuestionId, SessionId};

    #[test]
    fn ids_parse_only_in_their_canonical_form() {
        assert_eq!("q_7".parse(), Ok(QuestionId(7)));
        assert_eq!(SessionId(12).to_string(), "s_12");
        for wrong in ["q7", "q_", "q_07", "q_+7", "q_0", "s_7", "Q_7", "q_4294967296", ""] {
            assert!(wrong.parse::<QuestionId>().is_err(), "{wrong}");
        }
    }
}
