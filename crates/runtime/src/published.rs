//! What screens are told: what was recorded, and what can be seen this moment.

use domain::{RunId, Sequence, SessionId, ToolStatus};
use serde::Serialize;
use store::Position;
use views::Change;

/// One piece of news.
#[derive(Debug, Clone)]
pub enum Published {
    /// An event was recorded.
    Recorded {
        /// The run.
        run: RunId,
        /// Its place among all runs.
        position: Position,
        /// Its place in the run.
        sequence: Sequence,
        /// The rows that look different now.
        changes: Vec<Change>,
    },
    /// Something was seen of an agent. Nobody keeps it: it is in the session's spool.
    Seen {
        /// The run.
        run: RunId,
        /// The session.
        session: SessionId,
        /// What.
        what: Glimpse,
    },
}

/// What is seen of an agent this moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Glimpse {
    /// It says something.
    Words {
        /// What.
        text: String,
    },
    /// It uses a tool.
    Tool {
        /// The agent's own id of the call.
        id: String,
        /// What is done.
        title: String,
        /// How far it is.
        status: ToolStatus,
    },
    /// It says what it is going to do.
    Plan {
        /// The steps, each with how far it is: waiting, running or done.
        steps: Vec<(String, &'static str)>,
    },
    /// Something is wrong and may pass.
    Trouble {
        /// What.
        text: String,
    },
}
