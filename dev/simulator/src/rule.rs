//! What must hold, by name, and what is said when it does not.

use std::fmt;

/// A rule that every run keeps, after each step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// The same log gives the same state and the same effects when it is replayed.
    SameLogSameState,
    /// Events are numbered 1, 2, 3 and so on.
    Sequence,
    /// Every effect comes from a recorded event, and each id comes once.
    EffectOnce,
    /// What was refused changed nothing.
    RefusalChangesNothing,
    /// Time that went by moves the next deadline.
    DeadlineMoves,
    /// What the world did, and said so, is not asked for again.
    EffectEnds,
    /// A task starts only when all that it waits for is done or skipped.
    DependenciesFirst,
    /// A later phase starts only when the gates before it are approved.
    GateFirst,
    /// Never two live tries or sessions of one task.
    OneAttempt,
    /// No more tasks run than there are slots.
    Slots,
    /// No more tasks of an agent run than it has slots.
    AgentSlots,
    /// No two running tasks touch the same thing.
    Touches,
    /// Running tasks need no more memory than there is.
    Memory,
    /// Nothing starts while it is paused, ended or cancelled.
    NotWhilePaused,
    /// A task goes through its states in their order.
    TaskOrder,
    /// A question gets one answer.
    OneAnswer,
    /// An answer goes to the session that asked, or to the one in its place, once.
    AnswerToAsker,
    /// A default is taken only where the answer is not required.
    DefaultOnlyOptional,
    /// Chat answers a question only while exactly one is pending.
    ChatNeedsOne,
    /// A required request is not skipped, and no default is taken for it.
    RequiredRequest,
    /// A message is taken once.
    MessageOnce,
    /// A prompt of a turn is taken once.
    PromptOnce,
    /// An agent says only what is its to say.
    OwnWords,
    /// What is reported of something that is over changes nothing.
    StaleReports,
    /// A task with a check is done only with a receipt of the present try, or waived.
    Receipt,
    /// One merge after the other.
    OneMerge,
    /// Calls and dependencies do not wait for each other in a circle.
    NoCircle,
    /// The last try is not repeated but escalated.
    TriesBounded,
    /// Every queue has a bound.
    QueuesBounded,
    /// No ready task waits while it could run.
    NobodyIdle,
    /// A run ends only when nothing can move and nobody is asked.
    EndsIdle,
    /// What does not move waits for somebody, and says for whom.
    WaitsForSomebody,
    /// A change of the plan is taken by a person alone, and leaves what is done or being done as it is.
    PlanChange,
    /// Where everybody does their part, a run comes to its end.
    ComesToAnEnd,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SameLogSameState => "the same log gives the same state",
            Self::Sequence => "events are numbered 1, 2, 3",
            Self::EffectOnce => "every effect comes from a recorded event, once",
            Self::RefusalChangesNothing => "what was refused changed nothing",
            Self::DeadlineMoves => "time that went by moves the next deadline",
            Self::EffectEnds => "an effect that was reported is not asked for again",
            Self::DependenciesFirst => "a task starts only when all that it waits for is met",
            Self::GateFirst => "a later phase starts only when the gates before it are approved",
            Self::OneAttempt => "never two live tries of one task",
            Self::Slots => "no more tasks run than there are slots",
            Self::AgentSlots => "no more tasks of an agent run than it has slots",
            Self::Touches => "no two running tasks touch the same thing",
            Self::Memory => "running tasks need no more memory than there is",
            Self::NotWhilePaused => "nothing starts while it is paused or over",
            Self::TaskOrder => "a task goes through its states in their order",
            Self::OneAnswer => "a question gets one answer",
            Self::AnswerToAsker => "an answer goes to whoever asked, once",
            Self::DefaultOnlyOptional => "a default is taken only where the answer is not required",
            Self::ChatNeedsOne => "chat answers a question only while exactly one is pending",
            Self::RequiredRequest => "a required request is not skipped",
            Self::MessageOnce => "a message is taken once",
            Self::PromptOnce => "a prompt is taken once",
            Self::OwnWords => "an agent says only what is its to say",
            Self::StaleReports => "what is reported of something that is over changes nothing",
            Self::Receipt => "a task with a check is done only with a receipt",
            Self::OneMerge => "one merge after the other",
            Self::NoCircle => "nothing waits for itself in a circle",
            Self::TriesBounded => "the last try is not repeated but escalated",
            Self::QueuesBounded => "every queue has a bound",
            Self::NobodyIdle => "no ready task waits while it could run",
            Self::EndsIdle => "a run ends only when nothing can move and nobody is asked",
            Self::WaitsForSomebody => "what does not move waits for somebody, and says for whom",
            Self::PlanChange => "a change of the plan leaves what is done or being done as it is",
            Self::ComesToAnEnd => "where everybody does their part, a run comes to its end",
        })
    }
}

/// A rule that was broken, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// The rule.
    pub rule: Rule,
    /// How it was broken.
    pub how: String,
}

impl Breach {
    /// Says how a rule was broken.
    pub fn new(rule: Rule, how: impl Into<String>) -> Self {
        Self { rule, how: how.into() }
    }
}
