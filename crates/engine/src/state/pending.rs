//! What a session has in hand, what the clock will bring, what the world was told.

use domain::{
    CheckpointId, EscalationId, InputNumber, InvocationId, PhaseNumber, QuestionId, SessionId, TaskId,
};

use super::TaskRef;

/// Something that a session is to do with a turn of its own, one at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum WorkItem {
    /// Answer a question, or hand it on.
    Question(QuestionId),
    /// Solve a problem, or hand it on.
    Escalation(EscalationId),
    /// Do what a caller wants.
    Call(InvocationId),
    /// Test a task.
    Test(TaskRef),
    /// Judge a phase.
    Verify(PhaseNumber),
    /// Reply to the person.
    Chat,
}

/// Something that happens at a certain time, unless something else happens before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Deadline {
    /// A task has run for too long.
    TaskTimeout(TaskRef),
    /// A limit that a task waits for is over.
    TaskRateLimit(TaskRef),
    /// A limit that a session without a task waits for is over.
    SessionRateLimit(SessionId),
    /// A question has waited for too long.
    QuestionExpiry(QuestionId),
    /// The orchestrator has had a question for too long.
    OrchestratorAnswer(QuestionId),
    /// An operator or the orchestrator has had a problem for too long.
    EscalationResponse(EscalationId),
    /// A session has waited long enough to be parked deeper.
    Park(SessionId),
    /// The main agent has waited long enough for something to do.
    ResolveAnswer(SessionId),
    /// The main agent has said nothing for too long while tasks wait for it.
    OrchestratorSilence,
    /// The run has taken too long.
    RunTimeout,
}

/// What an order to the world is about; there is one of each at a time.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum EffectKey {
    Spawn(SessionId),
    Park(SessionId),
    Wake(SessionId),
    End(SessionId),
    Input(SessionId, InputNumber),
    Check(TaskRef),
    Merge(TaskRef),
    Gate(PhaseNumber),
    Land(PhaseNumber),
    Checkpoint(CheckpointId),
    Restore(TaskId),
    PermissionRule(String),
}
