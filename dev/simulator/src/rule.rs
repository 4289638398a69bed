//! The rules that every run must keep, and their violations.

use std::fmt;

/// A rule that every run keeps after each step.
///
/// On the command line and in `mutations.toml` a rule has the name of its variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, clap::ValueEnum)]
#[value(rename_all = "verbatim")]
pub enum Rule {
    /// The same log gives the same state and the same effects when it is replayed.
    SameLogSameState,
    /// Events are numbered 1, 2, 3 and so on.
    Sequence,
    /// Every effect comes from a recorded event, and each id comes once.
    EffectOnce,
    /// A refused command changes nothing.
    RefusalChangesNothing,
    /// A user may do exactly what the run lists as allowed.
    AllowedActions,
    /// The actions of an object change only with an update.
    ActionUpdates,
    /// A tick after a deadline moves the next deadline.
    DeadlineMoves,
    /// A reported effect is no longer outstanding.
    EffectEnds,
    /// A task starts only after all its dependencies are done or skipped.
    DependenciesFirst,
    /// A later phase starts only after the gates before it are approved.
    GateFirst,
    /// A task has at most one live attempt and session.
    OneAttempt,
    /// No more tasks run than there are slots.
    Slots,
    /// No more tasks of an agent run than it has slots.
    AgentSlots,
    /// No two running tasks touch the same files.
    Touches,
    /// Running tasks stay below the memory limit.
    Memory,
    /// No task starts while it or the run is paused, ended or cancelled.
    NotWhilePaused,
    /// The states of a task follow their order.
    TaskOrder,
    /// A question gets one answer.
    OneAnswer,
    /// An answer goes once to the session that asked, or to its successor.
    AnswerToAsker,
    /// A default is used only if the answer is not required.
    DefaultOnlyOptional,
    /// Chat answers a question only while exactly one is pending.
    ChatNeedsOne,
    /// A required request is not skipped, and its default is not used.
    RequiredRequest,
    /// A resource is called provided only after it was delivered.
    ProvidedAfterDelivery,
    /// A message is processed once.
    MessageOnce,
    /// A prompt of a turn is processed once.
    PromptOnce,
    /// A message is processed only if the role of its agent permits it.
    PermittedMessages,
    /// A report about something that has ended changes nothing.
    StaleReports,
    /// A task is checked and merged only after the turn of its worker has ended, or after a wait for it.
    TurnEndFirst,
    /// A task with a check is done only with a receipt of its current attempt, or if the check is waived.
    Receipt,
    /// A task is checked and merged only if its claim has evidence, and its agent is told once in a round what is missing.
    Evidence,
    /// A phase whose verifier was asked passes only if the verifier accepted it.
    Verdict,
    /// An agent that keeps sending invalid messages is corrected at most twice.
    CorrectionsBounded,
    /// A file above the size limit is committed only if a user says so, and work is accepted only after an answer.
    LargeFiles,
    /// A check that could not run is decided by a user, and is neither a failed round nor a reason for rework.
    UnrunCheck,
    /// What is merged is the commit that passed the check, without what the check left behind.
    CheckedCommit,
    /// A moved ref is a problem that the user is asked about.
    MovedRef,
    /// At most one merge runs at a time.
    OneMerge,
    /// Calls and dependencies have no cycle.
    NoCycle,
    /// The last attempt is escalated, not repeated.
    AttemptsBounded,
    /// Every queue has a bound.
    QueuesBounded,
    /// No ready task waits while it could run.
    NoIdleTask,
    /// A run ends only when no task can continue and no question is open.
    EndsIdle,
    /// A task, gate or question that does not continue has an open reason.
    WaitHasReason,
    /// A plan change is applied by a person only, and does not affect tasks that are done or running.
    PlanChange,
    /// A landing has only work that the log names as approved or merged, and waits for the one before.
    Landing,
    /// A cleanup keeps the worktrees of unfinished tasks and running sessions, and waits for the one before.
    Cleanup,
    /// A run ends once there are no more faults.
    RunCompletes,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SameLogSameState => "the same log gives the same state",
            Self::Sequence => "events are numbered 1, 2, 3",
            Self::EffectOnce => "every effect comes from a recorded event, once",
            Self::RefusalChangesNothing => "a refused command changes nothing",
            Self::AllowedActions => "a user may do exactly what the run lists as allowed",
            Self::ActionUpdates => "the actions of an object change only with an update",
            Self::DeadlineMoves => "a tick after a deadline moves the next deadline",
            Self::EffectEnds => "a reported effect is not outstanding any more",
            Self::DependenciesFirst => "a task starts only after its dependencies",
            Self::GateFirst => "a later phase starts only after the gates before it are approved",
            Self::OneAttempt => "a task has at most one live attempt",
            Self::Slots => "no more tasks run than there are slots",
            Self::AgentSlots => "no more tasks of an agent run than it has slots",
            Self::Touches => "no two running tasks touch the same files",
            Self::Memory => "running tasks stay below the memory limit",
            Self::NotWhilePaused => "no task starts while paused or after the end",
            Self::TaskOrder => "the states of a task follow their order",
            Self::OneAnswer => "a question gets one answer",
            Self::AnswerToAsker => "an answer goes once to the session that asked",
            Self::DefaultOnlyOptional => "a default is used only if the answer is not required",
            Self::ChatNeedsOne => "chat answers a question only while exactly one is pending",
            Self::RequiredRequest => "a required request is not skipped",
            Self::ProvidedAfterDelivery => "a resource is called provided only after it was delivered",
            Self::MessageOnce => "a message is processed once",
            Self::PromptOnce => "a prompt is processed once",
            Self::PermittedMessages => "a message is processed only if the role of its agent permits it",
            Self::StaleReports => "a report about something that has ended changes nothing",
            Self::TurnEndFirst => "a task is checked and merged after the turn of its worker",
            Self::Receipt => "a task with a check is done only with a receipt",
            Self::Evidence => "a task is done only with evidence",
            Self::Verdict => "a phase passes only if its verifier accepted it",
            Self::CorrectionsBounded => "an agent is corrected at most twice",
            Self::LargeFiles => "a large file is committed only if a user says so",
            Self::UnrunCheck => "a check that could not run goes to a user",
            Self::CheckedCommit => "what is merged is the commit that passed the check",
            Self::MovedRef => "a moved ref is escalated to the user",
            Self::OneMerge => "at most one merge runs at a time",
            Self::NoCycle => "calls and dependencies have no cycle",
            Self::AttemptsBounded => "the last attempt is escalated, not repeated",
            Self::QueuesBounded => "every queue has a bound",
            Self::NoIdleTask => "no ready task waits while it could run",
            Self::EndsIdle => "a run ends only when no task can continue and no question is open",
            Self::WaitHasReason => "a task, gate or question that does not continue has an open reason",
            Self::PlanChange => "a plan change does not affect tasks that are done or running",
            Self::Landing => "a landing has only work that the log names",
            Self::Cleanup => "a cleanup keeps the worktrees that are needed",
            Self::RunCompletes => "a run ends once there are no more faults",
        })
    }
}

/// A rule that was broken, with the details.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleViolation {
    /// The rule that was broken.
    pub rule: Rule,
    /// The state that breaks it.
    pub how: String,
}

impl RuleViolation {
    /// Creates a violation from a rule and the state that breaks it.
    pub fn new(rule: Rule, how: impl Into<String>) -> Self {
        Self { rule, how: how.into() }
    }
}
