//! Names of what a run makes as it goes: `q_7`, `s_3`. Numbered within the run, from 1, by the engine.
//!
//! A letter for each kind keeps them apart on a screen, the type keeps them apart in the code.

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
                number(text, concat!($letter, "_")).map(Self).ok_or_else(|| ParseError::new(text, $expected))
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
    /// One living agent process, or a level of the tree that Jangdan plays itself.
    SessionId = "s", "session id (write s_3)";
    /// What somebody must answer.
    QuestionId = "q", "question id (write q_7)";
    /// A dependency that somebody must provide.
    RequestId = "d", "request id (write d_3)";
    /// One agent calling another.
    InvocationId = "i", "invocation id (write i_2)";
    /// What an agent delivers to another.
    ResultId = "r", "result id (write r_4)";
    /// The direct line between two sessions.
    ChannelId = "c", "channel id (write c_1)";
    /// What one session says to another.
    DirectMessageId = "m", "direct message id (write m_9)";
    /// A worker and a tester (or a check) at one task.
    LoopId = "l", "feedback loop id (write l_1)";
    /// A problem handed upward.
    EscalationId = "e", "escalation id (write e_5)";
    /// A point that a task can go back to.
    CheckpointId = "k", "checkpoint id (write k_2)";
    /// A change of the plan file that somebody may take.
    OfferId = "p", "offer id (write p_1)";
}

/// The number of a try at a task, from 1.
pub type AttemptNumber = u32;

/// The number of what was said to a session, from 1. A session types each once, in order.
pub type InputNumber = u32;

/// One canonical spelling: no sign, no leading zero.
fn number(text: &str, prefix: &str) -> Option<u32> {
    let digits = text.strip_prefix(prefix)?;
    let canonical = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    digits.parse().ok().filter(|_| canonical)
}

#[cfg(test)]
mod tests {
    use super::{QuestionId, SessionId};

    #[test]
    fn an_id_is_read_as_it_is_written_and_in_no_other_way() {
        assert_eq!("q_7".parse(), Ok(QuestionId(7)));
        assert_eq!(SessionId(12).to_string(), "s_12");
        for wrong in ["q7", "q_", "q_07", "q_+7", "q_0", "s_7", "Q_7", "q_4294967296", ""] {
            assert!(wrong.parse::<QuestionId>().is_err(), "{wrong}");
        }
    }
}
