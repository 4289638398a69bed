//! Pending work of sessions, deadlines, and the keys of pending effects.

use domain::{
    CheckpointId, EscalationId, InputNumber, InvocationId, PhaseNumber, QuestionId, RequestId, SessionId,
    TaskId,
};

use super::TaskIndex;

/// Work that a session does in a turn of its own, one item at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum WorkItem {
    /// Answer the question or forward it.
    Question(QuestionId),
    /// Resolve the escalation or forward it.
    Escalation(EscalationId),
    /// Do the work of a call.
    Call(InvocationId),
    Test(TaskIndex),
    Verify(PhaseNumber),
    Chat,
}

/// Events at a point in time, unless something else happens before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Deadline {
    /// The task has worked longer than its timeout.
    TaskTimeout(TaskIndex),
    /// The turn of an agent whose task is reported as done has not ended in time.
    TurnEnd(TaskIndex),
    /// The rate limit that blocks a task resets.
    TaskRateLimit(TaskIndex),
    /// The rate limit of a session without a task resets.
    SessionRateLimit(SessionId),
    /// The question expires.
    QuestionExpiry(QuestionId),
    /// The orchestrator has not answered or forwarded a question in time.
    OrchestratorAnswer(QuestionId),
    /// An operator or the orchestrator has not resolved an escalation in time.
    EscalationResponse(EscalationId),
    /// The orchestrator has not replied to the chat in time.
    ChatReply(SessionId),
    /// A waiting session moves to the next parking mode.
    Park(SessionId),
    /// A main agent's RESOLVE_NEXT must be answered now.
    ResolveAnswer(SessionId),
    /// The main agent has sent nothing for too long while tasks wait for it.
    OrchestratorSilence,
    /// The next postponed effect is executed again.
    EffectRetry,
    /// The run has used its time limit.
    RunTimeout,
}

/// Identifies what an effect is about; at most one effect per key is pending.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum EffectKey {
    Spawn(SessionId),
    Park(SessionId),
    Wake(SessionId),
    End(SessionId),
    Input(SessionId, InputNumber),
    Check(TaskIndex),
    Merge(TaskIndex),
    Gate(PhaseNumber),
    Land(PhaseNumber),
    LandRun,
    CleanRun,
    Stop(SessionId),
    Checkpoint(CheckpointId),
    Restore(TaskId),
    PermissionRule(String),
    TickPlan(TaskIndex),
    RecordDuration(TaskIndex),
    ReleaseWorktree(TaskIndex),
    RemoveWorktree(SessionId),
    Provision(RequestId),
}
