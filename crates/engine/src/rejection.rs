//! Why a command is rejected, with what to do instead.

use domain::{AgentName, EscalationId, PhaseNumber, QuestionId, RequestId, SessionId, TaskId};

/// The reason why a command was rejected. A rejected command changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    #[error("the run has not started")]
    NotStarted,
    #[error("the run has started already")]
    AlreadyStarted,
    #[error("the run is cancelled")]
    Cancelled,
    #[error("the plan can't be run: {reason}")]
    InvalidPlan { reason: String },
    #[error("there is no task {task}")]
    UnknownTask { task: TaskId },
    #[error("there is no phase {phase}")]
    UnknownPhase { phase: PhaseNumber },
    #[error("there is no agent '{name}' in the team; there are {}", list(known))]
    UnknownAgent { name: AgentName, known: Vec<AgentName> },
    /// The session is unknown or has ended.
    #[error("session {session} does not live")]
    UnknownSession { session: SessionId },
    /// No object has this name.
    #[error("there is no {what}")]
    UnknownObject {
        /// The kind of object and its name.
        what: String,
    },
    #[error("{task} is {state}: {hint}")]
    WrongTaskState {
        task: TaskId,
        state: &'static str,
        /// What the user can do instead.
        hint: &'static str,
    },
    #[error("{what} is {state}")]
    WrongRunState {
        /// The run, a phase or another object.
        what: String,
        state: &'static str,
    },
    #[error("{question} is answered already")]
    AlreadyAnswered { question: QuestionId },
    #[error("{question} is {state}, and waits for nobody's answer")]
    QuestionNotPending { question: QuestionId, state: &'static str },
    #[error("no question waits for an answer")]
    NoPendingQuestion,
    #[error("{} questions wait for an answer ({}): say which one you mean", questions.len(), list(questions))]
    SeveralPendingQuestions { questions: Vec<QuestionId> },
    /// A permission question accepts only its options.
    #[error("'{answer}' is none of the answers that {question} offers: {}", options.join(", "))]
    NotAnOption { question: QuestionId, answer: String, options: Vec<String> },
    #[error("an answer needs a word")]
    EmptyAnswer,
    #[error("{request} is {state} already")]
    RequestSettled { request: RequestId, state: &'static str },
    #[error("{request} is required: provide it or refuse it")]
    RequestRequired { request: RequestId },
    #[error("{request} asks for something of another kind")]
    WrongResourceKind { request: RequestId },
    #[error("{escalation} is resolved already")]
    EscalationResolved { escalation: EscalationId },
    #[error("'{action}' does nothing for {escalation}; try {}", possible.join(", "))]
    UnsuitableAction {
        escalation: EscalationId,
        action: String,
        /// The actions that would resolve it.
        possible: Vec<String>,
    },
    #[error("these would wait for each other: {}", path.join("->"))]
    DependencyCycle {
        /// The nodes of the cycle, the first repeated at the end.
        path: Vec<String>,
    },
    /// The command is reserved for another kind of actor: users, agents or the executor.
    #[error("only a person can do this")]
    ReservedForOtherActor,
    /// The report is about something that has ended already; callers ignore it.
    #[error("this is over already")]
    StaleReport,
    #[error("there are {max} {what} already, and no more can be taken")]
    TooMany { what: &'static str, max: usize },
}

fn list<T: std::fmt::Display>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
