//! What a user may do with a run, its tasks, its sessions and its inbox. The engine decides which actions are allowed.

use serde::{Deserialize, Serialize};

use crate::{EscalationAction, InboxItem, SessionId, TaskId};

/// An action on a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum RunAction {
    Pause,
    Continue,
    Cancel,
    /// Brings its work into a branch of the user.
    Land,
    /// Removes worktrees that are not needed.
    Clean,
}

impl RunAction {
    pub const ALL: [Self; 5] = [Self::Pause, Self::Continue, Self::Cancel, Self::Land, Self::Clean];
}

/// An action on a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum TaskAction {
    Pause,
    Continue,
    /// Restarts a task that is running.
    Retry,
    SendMessage,
    Prioritize,
    /// Assigns the task to any agent of the team.
    Reassign,
    CreateCheckpoint,
    /// Restores the start of the task or one of its checkpoints.
    Rewind,
    Skip,
    Cancel,
}

impl TaskAction {
    pub const ALL: [Self; 10] = [
        Self::Pause,
        Self::Continue,
        Self::Retry,
        Self::SendMessage,
        Self::Prioritize,
        Self::Reassign,
        Self::CreateCheckpoint,
        Self::Rewind,
        Self::Skip,
        Self::Cancel,
    ];
}

/// An action on a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum SessionAction {
    /// Ends its process.
    Stop,
}

/// An action on an item of the inbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum InboxAction {
    /// Answers a question; a permission only with one of its options.
    Answer,
    /// Replies to a question with a question.
    RequestClarification,
    /// Provides the requested kind of resource.
    Provide,
    Refuse,
    /// Skips a request that is not required.
    Skip,
    Approve,
    Reject,
    /// Resolves an escalation with one of its suggested actions.
    Resolve(EscalationAction),
    ApplyPlanChange,
    IgnorePlanChange,
}

/// The allowed actions after an event, of each object whose actions the event may have changed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ActionUpdate {
    /// Whether nothing continues until the user acts.
    pub needs_user: bool,
    /// `None` if the event does not change the actions on the run.
    pub run: Option<Vec<RunAction>>,
    pub tasks: Vec<(TaskId, Vec<TaskAction>)>,
    pub sessions: Vec<(SessionId, Vec<SessionAction>)>,
    pub inbox: Vec<(InboxItem, Vec<InboxAction>)>,
}
