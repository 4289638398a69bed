//! Items that a party must act on.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{EscalationId, InvocationId, OfferId, PhaseNumber, QuestionId, RequestId};

/// An item that a party must act on. Calls never appear in the inbox, because agents handle them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", content = "id", rename_all = "camelCase")]
pub enum InboxItem {
    Question(QuestionId),
    Request(RequestId),
    Gate(PhaseNumber),
    Escalation(EscalationId),
    Invocation(InvocationId),
    Plan(OfferId),
}

impl fmt::Display for InboxItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Question(id) => id.fmt(f),
            Self::Request(id) => id.fmt(f),
            Self::Gate(phase) => write!(f, "gate/{phase}"),
            Self::Escalation(id) => id.fmt(f),
            Self::Invocation(id) => id.fmt(f),
            Self::Plan(id) => id.fmt(f),
        }
    }
}
