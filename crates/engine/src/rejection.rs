//! Why a command is rejected, with what to do instead.

use domain::{AgentName, EscalationId, PhaseNumber, QuestionId, RequestId, SessionId, TaskId};

/// The reason why a command was rejected. A rejected command changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    #[error("the run has not started")]
    NotStarted,
    #[error("the run has already started")]
    AlreadyStarted,
    #[error("the run was cancelled")]
    Cancelled,
    #[error("the plan cannot be run: {reason}")]
    InvalidPlan { reason: String },
    #[error("there is no task {task}")]
    UnknownTask { task: TaskId },
    #[error("there is no phase {phase}")]
    UnknownPhase { phase: PhaseNumber },
    #[error("there is no agent '{name}' in the team; there are {}", comma_separated(known))]
    UnknownAgent { name: AgentName, known: Vec<AgentName> },
    /// The session is unknown or has ended.
    #[error("session {session} is not running")]
    UnknownSession { session: SessionId },
    /// No object has this name.
    #[error("there is no {object}")]
    UnknownObject {
        /// The kind of object and its name.
        object: String,
    },
    #[error("{task} is {state}: {hint}")]
    WrongTaskState {
        task: TaskId,
        state: &'static str,
        /// What the user can do instead.
        hint: &'static str,
    },
    #[error("{object} is {state}")]
    WrongRunState {
        /// The run, a phase or another object.
        object: String,
        state: &'static str,
    },
    #[error("{question} is already answered")]
    AlreadyAnswered { question: QuestionId },
    #[error("{question} is {state} and does not wait for an answer")]
    QuestionNotPending { question: QuestionId, state: &'static str },
    #[error("no question is pending")]
    NoPendingQuestion,
    #[error("{} questions are pending ({}): name one of them", questions.len(), comma_separated(questions))]
    SeveralPendingQuestions { questions: Vec<QuestionId> },
    /// A permission question accepts only its options.
    #[error("'{answer}' is not an option of {question}; choose {}", options.join(", "))]
    NotAnOption { question: QuestionId, answer: String, options: Vec<String> },
    #[error("the text is empty")]
    EmptyAnswer,
    #[error("{request} is already {state}")]
    RequestSettled { request: RequestId, state: &'static str },
    #[error("{request} is required: provide it or refuse it")]
    RequestRequired { request: RequestId },
    #[error("{request} asks for a different kind of resource")]
    WrongResourceKind { request: RequestId },
    #[error("{escalation} is already resolved")]
    EscalationResolved { escalation: EscalationId },
    #[error("'{action}' does not resolve {escalation}; use {}", possible.join(", "))]
    UnsuitableAction {
        escalation: EscalationId,
        action: String,
        /// The actions that would resolve it.
        possible: Vec<String>,
    },
    #[error("dependency cycle: {}", path.join("->"))]
    DependencyCycle {
        /// The nodes of the cycle, the first repeated at the end.
        path: Vec<String>,
    },
    /// The report is about something that has ended already; callers ignore it.
    #[error("this has already ended")]
    StaleReport,
    #[error("the limit of {max} {object} is reached")]
    TooMany { object: &'static str, max: usize },
}

fn comma_separated<T: std::fmt::Display>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
