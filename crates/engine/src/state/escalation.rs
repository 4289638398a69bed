//! Escalations, feedback loops and checkpoints.

use domain::{EscalationAction, EscalationLevel, EscalationSubject, EscalationType, SessionId, Severity};

use super::TaskIndex;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Escalation {
    pub(crate) kind: EscalationType,
    pub(crate) severity: Severity,
    pub(crate) subject: EscalationSubject,
    /// The session that handles it; first the one that it is about.
    pub(crate) session: Option<SessionId>,
    /// The session that it is about, which never handles it.
    pub(crate) origin: Option<SessionId>,
    /// Whether it is about invalid messages of that session.
    pub(crate) is_about_messages: bool,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) suggested: Vec<EscalationAction>,
    pub(crate) level: EscalationLevel,
    /// Whether no agent may decide it.
    pub(crate) is_for_person: bool,
    pub(crate) is_open: bool,
}

impl Default for Escalation {
    fn default() -> Self {
        Self {
            kind: EscalationType::General,
            severity: Severity::Low,
            subject: EscalationSubject::Run,
            session: None,
            origin: None,
            is_about_messages: false,
            title: String::new(),
            description: String::new(),
            suggested: Vec::new(),
            level: EscalationLevel::Worker,
            is_for_person: false,
            is_open: false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct FeedbackLoop {
    pub(crate) task: Option<TaskIndex>,
    pub(crate) rounds: u32,
    /// End of the output of the last failure that has one.
    pub(crate) last_output: String,
    pub(crate) is_open: bool,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Checkpoint {
    pub(crate) task: Option<TaskIndex>,
    pub(crate) is_made: bool,
    /// Empty without worktrees.
    pub(crate) commit: String,
    pub(crate) agent_session: Option<String>,
}
