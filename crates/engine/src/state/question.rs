//! Questions to answer and requests for resources.

use domain::{
    AgentName, DependencyRequest, LargeFile, PermissionRequest, ProvidedResource, QuestionKind, SessionId,
};

use super::TaskIndex;
use crate::effect::{SessionVariable, VariableSource};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuestionState {
    Queued,
    WithOrchestrator,
    Pending,
    Answered,
    Delivered,
    Resumed,
    Withdrawn,
    Expired,
}

impl QuestionState {
    /// Returns whether an answer is still needed.
    pub(crate) fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::WithOrchestrator | Self::Pending)
    }

    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Queued => "queued behind another question",
            Self::WithOrchestrator => "with the orchestrator",
            Self::Pending => "pending",
            Self::Answered => "answered",
            Self::Delivered | Self::Resumed => "delivered",
            Self::Withdrawn => "withdrawn",
            Self::Expired => "expired",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Question {
    pub(crate) session: SessionId,
    pub(crate) task: Option<TaskIndex>,
    pub(crate) agent: Option<AgentName>,
    pub(crate) kind: QuestionKind,
    pub(crate) text: String,
    pub(crate) options: Vec<String>,
    pub(crate) default: Option<String>,
    pub(crate) context: Option<String>,
    pub(crate) required: bool,
    pub(crate) permission: Option<PermissionRequest>,
    pub(crate) prompt: Option<String>,
    /// Files above the size limit that it is about.
    pub(crate) large_files: Vec<LargeFile>,
    pub(crate) state: QuestionState,
}

impl Default for Question {
    fn default() -> Self {
        Self {
            session: SessionId(0),
            task: None,
            agent: None,
            kind: QuestionKind::Text,
            text: String::new(),
            options: Vec::new(),
            default: None,
            context: None,
            required: true,
            permission: None,
            prompt: None,
            large_files: Vec::new(),
            state: QuestionState::Withdrawn,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum RequestState {
    Open,
    /// The executor delivers it.
    Providing,
    Provided,
    #[default]
    Refused,
    Skipped,
    Delivered,
}

impl RequestState {
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Open => "asked",
            Self::Providing => "being provided",
            Self::Provided => "provided",
            Self::Refused => "refused",
            Self::Skipped => "skipped",
            Self::Delivered => "delivered",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Request {
    pub(crate) session: Option<SessionId>,
    pub(crate) task: Option<TaskIndex>,
    pub(crate) dependency: Option<DependencyRequest>,
    pub(crate) state: RequestState,
    /// What is being delivered, or was.
    pub(crate) provision: Option<Provision>,
}

/// The resource that settles a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Provision {
    pub(crate) provided: ProvidedResource,
    /// Whether it is the agent's own default.
    pub(crate) is_default: bool,
    /// Whether a user skipped the request.
    pub(crate) is_skipped: bool,
}

impl Provision {
    /// Returns the environment variables that it sets.
    pub(crate) fn variables(&self, dependency: &DependencyRequest) -> Vec<SessionVariable> {
        let ProvidedResource::Environment { names } = &self.provided else { return Vec::new() };
        let source = match dependency.default.clone().filter(|_| self.is_default) {
            Some(value) => VariableSource::Default { value },
            None => VariableSource::Vault,
        };
        names.iter().map(|name| SessionVariable { name: name.clone(), source: source.clone() }).collect()
    }
}
