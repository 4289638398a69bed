//! Calls, results and direct messages between agents.

use domain::{AgentName, ChannelId, DirectType, ResultType, SessionId};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum InvocationState {
    Pending,
    InProgress(SessionId),
    #[default]
    Ended,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Invocation {
    pub(crate) caller: Option<SessionId>,
    pub(crate) callee: Option<AgentName>,
    pub(crate) instruction: String,
    pub(crate) context: Option<String>,
    pub(crate) state: InvocationState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ResultState {
    Pending,
    /// Queued for a session that has not received it yet.
    InTransit,
    #[default]
    Delivered,
}

/// A result that an agent submitted for another agent.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SubmittedResult {
    pub(crate) from: Option<AgentName>,
    pub(crate) to: Option<AgentName>,
    pub(crate) result_type: ResultType,
    pub(crate) content: String,
    pub(crate) state: ResultState,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct DirectMessageChannel {
    pub(crate) ends: Option<(SessionId, SessionId)>,
    pub(crate) is_open: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DirectMessage {
    pub(crate) channel: ChannelId,
    pub(crate) from: Option<AgentName>,
    pub(crate) to: SessionId,
    pub(crate) direct_type: DirectType,
    pub(crate) content: String,
}

impl Default for DirectMessage {
    fn default() -> Self {
        Self {
            channel: ChannelId(0),
            from: None,
            to: SessionId(0),
            direct_type: DirectType::Result,
            content: String::new(),
        }
    }
}
