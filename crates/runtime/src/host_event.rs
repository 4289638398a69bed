//! Events that a [`crate::Host`] publishes to its subscribers: recorded events of runs and transient activity of agents.

use domain::{RunId, SessionId, ToolStatus};
use serde::Serialize;

use crate::durable_run::AppliedEvent;

/// An event of a host, sent to all subscribers.
#[derive(Debug, Clone)]
pub enum HostEvent {
    /// The events of an input of a run were recorded, together.
    Recorded {
        /// Id of the run.
        run: RunId,
        /// The events, at consecutive positions of the log.
        events: Vec<AppliedEvent>,
    },
    /// An agent did something. Not recorded in the log; the session's spool contains it.
    Activity {
        /// Id of the run.
        run: RunId,
        /// Id of the session.
        session: SessionId,
        /// What the agent did.
        activity: AgentActivity,
    },
}

/// What an agent does at the moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum AgentActivity {
    /// The agent prints a part of a message.
    Text {
        /// Text that follows the earlier parts.
        text: String,
    },
    /// The agent uses a tool.
    Tool {
        /// The agent's own id of the call.
        id: String,
        /// Short description of the call.
        title: String,
        /// Progress of the call.
        status: ToolStatus,
    },
    /// The agent published a plan of its next steps.
    Plan {
        /// Text and status (`waiting`, `running` or `done`) of each step.
        steps: Vec<(String, &'static str)>,
    },
    /// The agent has a temporary problem, such as a rate limit.
    Warning {
        /// Description of the problem.
        text: String,
    },
}
