//! The words everybody shares: ids, values, and what an agent can say.
//!
//! Parses values and compares them; never decides anything.

mod agent;
mod log;
mod message;
mod session;
mod task;
mod value;

pub use agent::{AgentName, Role};
pub use log::{RunId, Sequence, Timestamp};
pub use message::{
    AgentError, AskUser, AskUserType, Custom, DeliverResult, DependencyRequest, DependencyType, Direct,
    DirectType, Done, ErrorType, Fail, Invoke, NeedHuman, PhaseComplete, PhaseDone, Progress,
    QuestionCategory, Ready, Recovery, ResolveCode, ResolveError, ResolveNext, ResultType, Said,
    StepComplete, TaskRequest, UserQuestion,
};
pub use session::{Locale, SessionKey};
pub use task::{PhaseNumber, TaskId, TaskReference};
pub use value::{Budget, Complexity, Priority};

/// A text that is not the value it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is no {expected}")]
pub struct ParseError {
    /// The text as it was given.
    pub text: String,
    /// What it should have been, in words for a person.
    pub expected: &'static str,
}

impl ParseError {
    pub(crate) fn new(text: &str, expected: &'static str) -> Self {
        Self { text: text.to_owned(), expected }
    }
}
