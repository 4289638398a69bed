//! Inputs of the engine: commands of users, messages of agents, reports of the executor.
//!
//! Commands are not stored, their events are. Only commands of users have a JSON form, which HTTP clients send; the
//! others are skipped by serde.

use serde::{Deserialize, Serialize};

use crate::{
    AgentMessage, AgentName, AskUser, AttemptNumber, CheckpointId, CheckpointOutcome, EffectId,
    EscalationAction, EscalationId, GateReport, InputNumber, MergeOutcome, MessageOffset, OfferId,
    PermissionRequest, PermissionScope, PhaseNumber, PlannedTask, PlannedWork, Priority, ProvidedResource,
    QuestionId, Receipt, RequestId, RewindTarget, RunSettings, SessionId, TaskId, TaskOverlap, TeamMember,
    TestFeedback, TurnTools, Usage,
};

/// A command to a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!({"pauseTask": "T1.2"})))]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Command {
    #[serde(skip)]
    StartRun { project: String, work: Box<PlannedWork>, settings: Box<RunSettings>, team: Vec<TeamMember> },
    /// Pauses the run: no task starts, running sessions are suspended.
    PauseRun,
    /// Continues a paused run.
    ContinueRun,
    /// Cancels the run and all unfinished tasks.
    CancelRun,
    /// Pauses a phase.
    PausePhase(PhaseNumber),
    /// Continues a paused phase.
    ContinuePhase(PhaseNumber),
    /// Cancels the unfinished tasks of a phase.
    CancelPhase(PhaseNumber),
    /// Pauses a task.
    PauseTask(TaskId),
    /// Continues a paused task.
    ContinueTask(TaskId),
    /// Cancels a task.
    CancelTask(TaskId),
    /// Retries a task, or restarts it while it runs.
    RetryTask { task: TaskId, hint: Option<String> },
    /// Skips a task; its dependants treat it as done.
    SkipTask(TaskId),
    /// Changes the priority of a task.
    PrioritizeTask { task: TaskId, priority: Priority },
    /// Assigns a task to another agent.
    ReassignTask { task: TaskId, agent: AgentName },
    /// Sends a message to the agent that works on a task; delivered when its current turn has ended.
    SendMessage { task: TaskId, text: String },
    /// Resets a task to a checkpoint and continues from there.
    RewindTask { task: TaskId, checkpoint: RewindTarget },
    /// Creates a checkpoint of a task.
    CreateCheckpoint(TaskId),
    /// Adds a task to the plan.
    AddTask(Box<PlannedTask>),
    /// Adds a dependency between two tasks.
    AddDependency {
        /// The task that must be done first.
        earlier: TaskId,
        later: TaskId,
    },
    /// Removes a dependency between two tasks.
    RemoveDependency { earlier: TaskId, later: TaskId },
    /// Marks a dependency outside the plan as met.
    MarkExternalMet { name: String },
    /// Applies the changes of the plan file.
    ApplyPlanChange {
        /// The offer as shown to the user; a newer one is rejected.
        offer: OfferId,
    },
    /// Keeps the plan of the run as it is.
    IgnorePlanChange { offer: OfferId },

    /// Answers a question.
    Answer {
        /// May be omitted if `task` has exactly one pending question.
        question: Option<QuestionId>,
        task: Option<TaskId>,
        answer: String,
        /// For permissions: how long the answer applies.
        #[serde(default)]
        #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
        scope: PermissionScope,
    },
    /// Replies to a question with a question.
    RequestClarification { question: QuestionId, text: String },
    /// Sends a chat message, or answers the only pending question of the run.
    Chat {
        text: String,
        /// Never treat the text as an answer; a question may arrive while the user types.
        #[serde(default)]
        #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
        talk_only: bool,
    },
    /// Provides a requested dependency. Contains no value of a secret.
    Provide { request: RequestId, provided: ProvidedResource },
    /// Refuses a requested dependency.
    Refuse { request: RequestId, reason: String },
    /// Skips a request that is not needed.
    SkipRequest(RequestId),
    /// Approves a phase.
    ApproveGate { phase: PhaseNumber, note: Option<String> },
    /// Rejects a phase.
    RejectGate {
        phase: PhaseNumber,
        reason: String,
        /// Tasks to be reworked.
        #[serde(default)]
        #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
        tasks: Vec<TaskId>,
    },
    /// Resolves an escalation.
    Resolve { escalation: EscalationId, action: EscalationAction, note: Option<String> },

    /// A valid protocol message.
    #[serde(skip)]
    ReceiveMessage {
        offset: MessageOffset,
        /// Spool offset from which a new reader starts after a restart.
        read_from: u64,
        message: Box<AgentMessage>,
    },
    /// Output that is an invalid protocol message.
    #[serde(skip)]
    ReceiveInvalid {
        offset: MessageOffset,
        read_from: u64,
        /// Message type that the agent attempted.
        protocol: String,
        error: String,
        raw: String,
    },
    /// Output that nearly is a protocol message.
    #[serde(skip)]
    ReceiveNearMiss {
        offset: MessageOffset,
        read_from: u64,
        /// Message type that it resembles.
        near: String,
        raw: String,
    },
    #[serde(skip)]
    EndTurn { read_from: u64, text: String, tools: TurnTools },
    /// The agent's process ended in the middle of a turn.
    #[serde(skip)]
    InterruptTurn { read_from: u64, text: String, tools: TurnTools },
    #[serde(skip)]
    RequestPermission(PermissionRequest),
    /// The agent asks inside its turn and waits for the answer.
    #[serde(skip)]
    RequestAnswer {
        /// The agent's own id of the prompt.
        prompt: String,
        question: Box<AskUser>,
    },
    #[serde(skip)]
    ReportTestFeedback(TestFeedback),
    #[serde(skip)]
    ReportUsage(Usage),

    #[serde(skip)]
    ReportStarted { session: SessionId, agent_session: Option<String> },
    #[serde(skip)]
    ReportEnded { session: SessionId, exit_status: Option<i32> },
    #[serde(skip)]
    ReportLost { session: SessionId, reason: String },
    /// The process was stopped together with the server; the session continues in another process.
    #[serde(skip)]
    ReportStopped { session: SessionId },
    #[serde(skip)]
    ReportInputSent { session: SessionId, input: InputNumber },
    #[serde(skip)]
    ReportCheck { task: TaskId, attempt: AttemptNumber, receipt: Receipt },
    #[serde(skip)]
    ReportMerge { task: TaskId, attempt: AttemptNumber, outcome: MergeOutcome },
    #[serde(skip)]
    ReportGate { phase: PhaseNumber, round: u32, report: GateReport },
    #[serde(skip)]
    ReportCheckpoint { checkpoint: CheckpointId, outcome: CheckpointOutcome },
    /// An effect without a report of its own ended.
    #[serde(skip)]
    ReportEffect { effect: EffectId, error: Option<String> },
    /// A phase was not landed because its target branch is checked out.
    #[serde(skip)]
    ReportNotLanded { effect: EffectId },
    /// The plan file changed.
    #[serde(skip)]
    ReportPlan { work: Box<PlannedWork> },
    #[serde(skip)]
    ReportPlanUnreadable { problem: String },
    /// A session got no worktree because the disk budget is used up.
    #[serde(skip)]
    ReportDiskBudgetExceeded {
        session: SessionId,
        /// Missing space and what to do.
        reason: String,
    },
    #[serde(skip)]
    ReportDiskSpaceAvailable,
    /// All pairs of unfinished tasks that changed the same files.
    #[serde(skip)]
    ReportOverlaps { overlaps: Vec<TaskOverlap> },
    /// Time passed: due timers fire.
    #[serde(skip)]
    Tick,
}
