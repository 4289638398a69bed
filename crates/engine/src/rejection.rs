//! Why a wish is refused, with what to do instead.

use domain::{AgentName, EscalationId, PhaseNumber, QuestionId, RequestId, SessionId, TaskId};

/// A wish that changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// There is no run yet.
    #[error("the run has not started")]
    NotStarted,
    /// There is one already.
    #[error("the run has started already")]
    AlreadyStarted,
    /// It was called off.
    #[error("the run is cancelled")]
    Cancelled,
    /// The plan has no task, or contradicts itself.
    #[error("the plan can't be run: {reason}")]
    InvalidPlan {
        /// What is wrong.
        reason: String,
    },
    /// No task has this id.
    #[error("there is no task {task}")]
    UnknownTask {
        /// The id.
        task: TaskId,
    },
    /// No phase has this number.
    #[error("there is no phase {phase}")]
    UnknownPhase {
        /// The number.
        phase: PhaseNumber,
    },
    /// No agent has this name.
    #[error("there is no agent '{name}' in the team; there are {}", list(known))]
    UnknownAgent {
        /// The name.
        name: AgentName,
        /// The names there are.
        known: Vec<AgentName>,
    },
    /// No session has this id, or it is over.
    #[error("session {session} does not live")]
    UnknownSession {
        /// The id.
        session: SessionId,
    },
    /// Nothing of the kind has this name.
    #[error("there is no {what}")]
    UnknownObject {
        /// What was named.
        what: String,
    },
    /// The task is not in a state in which this can be done.
    #[error("{task} is {state}: {hint}")]
    WrongTaskState {
        /// The task.
        task: TaskId,
        /// Its state.
        state: &'static str,
        /// What can be done instead.
        hint: &'static str,
    },
    /// The run or phase is not in a state in which this can be done.
    #[error("{what} is {state}")]
    WrongRunState {
        /// The run or phase.
        what: String,
        /// Its state.
        state: &'static str,
    },
    /// The question has its answer.
    #[error("{question} is answered already")]
    AlreadyAnswered {
        /// The question.
        question: QuestionId,
    },
    /// The question does not wait for a person.
    #[error("{question} is {state}, and waits for nobody's answer")]
    QuestionNotPending {
        /// The question.
        question: QuestionId,
        /// Its state.
        state: &'static str,
    },
    /// Nothing is asked.
    #[error("no question waits for an answer")]
    NoPendingQuestion,
    /// More than one thing is asked.
    #[error("{} questions wait for an answer ({}): say which one you mean", questions.len(), list(questions))]
    SeveralPendingQuestions {
        /// The questions.
        questions: Vec<QuestionId>,
    },
    /// The answer is none of the options.
    #[error("'{answer}' is none of the answers that {question} offers: {}", options.join(", "))]
    NotAnOption {
        /// The question.
        question: QuestionId,
        /// The answer.
        answer: String,
        /// The options.
        options: Vec<String>,
    },
    /// The answer is empty.
    #[error("an answer needs a word")]
    EmptyAnswer,
    /// The request is settled.
    #[error("{request} is {state} already")]
    RequestSettled {
        /// The request.
        request: RequestId,
        /// How.
        state: &'static str,
    },
    /// The request can't be skipped.
    #[error("{request} is required: provide it or refuse it")]
    RequestRequired {
        /// The request.
        request: RequestId,
    },
    /// What was provided is of another kind than what was asked for.
    #[error("{request} asks for something of another kind")]
    WrongResourceKind {
        /// The request.
        request: RequestId,
    },
    /// The escalation is settled.
    #[error("{escalation} is resolved already")]
    EscalationResolved {
        /// The escalation.
        escalation: EscalationId,
    },
    /// The action does not help with this escalation.
    #[error("'{action}' does nothing for {escalation}; try {}", possible.join(", "))]
    UnsuitableAction {
        /// The escalation.
        escalation: EscalationId,
        /// The action.
        action: String,
        /// What would help.
        possible: Vec<String>,
    },
    /// Tasks would wait for each other.
    #[error("these would wait for each other: {}", path.join("->"))]
    DependencyCycle {
        /// The circle.
        path: Vec<String>,
    },
    /// Only people may wish this.
    #[error("only a person can do this")]
    ReservedForOtherActor,
    /// What was reported is over; nothing is to be done.
    #[error("this is over already")]
    StaleReport,
    /// There are too many.
    #[error("there are {max} {what} already, and no more can be taken")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many can be.
        max: usize,
    },
}

fn list<T: std::fmt::Display>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
