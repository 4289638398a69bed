//! Why a command is rejected, with what to do instead. `server` gives each rejection its HTTP status.

use std::borrow::Cow;

use domain::{AgentName, EscalationId, PhaseNumber, QuestionId, RequestId, SessionId, TaskId};

/// The reason why a command was rejected. A rejected command changes nothing.
///
/// Its text says what is wrong, [`Self::hint`] what to do next, and [`Self::code`] is the same in every version.
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
    #[error("the run has no worktrees")]
    NoWorktrees,
    #[error("{task} is {state}")]
    WrongTaskState { task: TaskId, state: &'static str, hint: &'static str },
    #[error("{object} is {state}")]
    WrongRunState {
        /// The run, a phase or another object.
        object: String,
        state: &'static str,
        hint: &'static str,
    },
    #[error("{question} is already answered")]
    AlreadyAnswered { question: QuestionId },
    #[error("{question} is {state} and does not wait for an answer")]
    QuestionNotPending { question: QuestionId, state: &'static str },
    #[error("no question is pending")]
    NoPendingQuestion,
    #[error("{} questions are pending ({})", questions.len(), comma_separated(questions))]
    SeveralPendingQuestions { questions: Vec<QuestionId> },
    /// A permission question accepts only its options.
    #[error("'{answer}' is not an option of {question}")]
    NotAnOption { question: QuestionId, answer: String, options: Vec<String> },
    /// A pattern must name the request that it is saved for, and apply longer than once.
    #[error("{}", unsuitable_pattern(*question, pattern, *is_kept))]
    UnsuitablePattern {
        question: QuestionId,
        pattern: String,
        /// Whether the answer applies longer than once.
        is_kept: bool,
    },
    #[error("the text is empty")]
    EmptyAnswer,
    #[error("{request} is already {state}")]
    RequestSettled { request: RequestId, state: &'static str },
    #[error("{request} is required")]
    RequestRequired { request: RequestId },
    #[error("{request} asks for a different kind of resource")]
    WrongResourceKind { request: RequestId },
    #[error("{escalation} is already resolved")]
    EscalationResolved { escalation: EscalationId },
    #[error("'{action}' does not resolve {escalation}")]
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
    TooMany { object: &'static str, max: usize, hint: &'static str },
}

impl Rejection {
    /// Returns the code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotStarted => "not-started",
            Self::AlreadyStarted => "already-started",
            Self::Cancelled => "run-cancelled",
            Self::InvalidPlan { .. } => "invalid-plan",
            Self::UnknownTask { .. } => "unknown-task",
            Self::UnknownPhase { .. } => "unknown-phase",
            Self::UnknownAgent { .. } => "unknown-agent",
            Self::UnknownSession { .. } => "session-not-running",
            Self::UnknownObject { .. } => "unknown-object",
            Self::NoWorktrees => "no-worktrees",
            Self::WrongTaskState { .. } => "wrong-task-state",
            Self::WrongRunState { .. } => "wrong-run-state",
            Self::AlreadyAnswered { .. } => "already-answered",
            Self::QuestionNotPending { .. } => "question-not-pending",
            Self::NoPendingQuestion => "no-pending-question",
            Self::SeveralPendingQuestions { .. } => "several-pending-questions",
            Self::NotAnOption { .. } => "not-an-option",
            Self::UnsuitablePattern { .. } => "unsuitable-pattern",
            Self::EmptyAnswer => "empty-text",
            Self::RequestSettled { .. } => "request-settled",
            Self::RequestRequired { .. } => "request-required",
            Self::WrongResourceKind { .. } => "wrong-resource-kind",
            Self::EscalationResolved { .. } => "escalation-resolved",
            Self::UnsuitableAction { .. } => "unsuitable-action",
            Self::DependencyCycle { .. } => "dependency-cycle",
            Self::StaleReport => "stale-report",
            Self::TooMany { .. } => "limit-reached",
        }
    }

    /// Returns what to do next, in words that fit the terminal, the page and the HTTP interface.
    pub fn hint(&self) -> Cow<'static, str> {
        let hint = match self {
            Self::NotStarted => "wait until the run has started, then try again",
            Self::AlreadyStarted => "start another run",
            Self::Cancelled => "start a new run: a cancelled run cannot continue",
            Self::InvalidPlan { .. } => "fix the plan, then try again",
            Self::UnknownTask { .. } => "check the id in the list of tasks",
            Self::UnknownPhase { .. } => "check the number in the list of phases",
            Self::UnknownAgent { .. } => "name an agent of the team",
            Self::UnknownSession { .. } => "check its state in the list of sessions",
            Self::UnknownObject { .. } => "check its name in the current state of the run",
            Self::NoWorktrees => "see the changes in the project's folder, where its agents work",
            Self::WrongTaskState { hint, .. }
            | Self::WrongRunState { hint, .. }
            | Self::TooMany { hint, .. } => hint,
            Self::AlreadyAnswered { .. } => "send a message to its task if the agent should know more",
            Self::QuestionNotPending { .. } => "send a message to its task instead",
            Self::NoPendingQuestion => "send the text as a message to a task instead",
            Self::SeveralPendingQuestions { questions } => {
                return joined("name one: ", questions, " or ");
            }
            Self::NotAnOption { options, .. } => return joined("choose ", options, ", "),
            Self::UnsuitablePattern { is_kept: true, .. } => {
                "write a pattern that matches the request, such as `run:npm test *`; `*` matches no `;`, `|`, `&`, `$` or newline"
            }
            Self::UnsuitablePattern { is_kept: false, .. } => {
                "choose for how long: the task, the run or the project"
            }
            Self::EmptyAnswer => "write at least one word",
            Self::RequestSettled { .. } => "send a message to its task if the agent needs something else",
            Self::RequestRequired { .. } => "provide it or refuse it",
            Self::WrongResourceKind { .. } => "provide what the request asks for",
            Self::EscalationResolved { .. } => "see in the history of the run how it was resolved",
            Self::UnsuitableAction { possible, .. } if possible.is_empty() => "choose another action",
            Self::UnsuitableAction { possible, .. } => return joined("use ", possible, ", "),
            Self::DependencyCycle { .. } => "remove one of these dependencies",
            Self::StaleReport => "ignore it: the run has continued without it",
        };
        Cow::Borrowed(hint)
    }

    /// Returns the reason and what to do, for an agent whose message caused the rejection.
    pub fn with_hint(&self) -> String {
        format!("{self}: {}", self.hint())
    }
}

fn unsuitable_pattern(question: QuestionId, pattern: &str, is_kept: bool) -> String {
    match is_kept {
        true => format!("the pattern '{pattern}' does not match the request of {question}"),
        false => format!("the pattern '{pattern}' cannot be saved for one request"),
    }
}

fn joined<T: std::fmt::Display>(before: &str, items: &[T], separator: &str) -> Cow<'static, str> {
    let items = items.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator);
    Cow::Owned(format!("{before}{items}"))
}

fn comma_separated<T: std::fmt::Display>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
