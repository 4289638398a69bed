//! What agents, people, the clock and the world wish of a run. Names are wishes.
//!
//! A command is not kept: what it leads to is. People's wishes have a form in JSON, because they come over HTTP; all others
//! are skipped, so that nobody can send them, and nobody is told of them.

use serde::{Deserialize, Serialize};

use crate::{
    EscalationAction, AgentName, AskUser, AttemptNumber, CheckpointId, CheckpointOutcome, EffectId, EscalationId,
    TestFeedback, GateReport, MessageOffset, InputNumber, PermissionScope, TeamMember, MergeOutcome, OfferId, TaskOverlap, PermissionRequest,
    PhaseNumber, PlannedTask, PlannedWork, Priority, ProvidedResource, QuestionId, Receipt, RequestId, RewindTarget,
    AgentMessage, SessionId, RunSettings, TaskId, TurnTools, Usage,
};

/// One wish. Who wishes stands beside it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Wish", optional_fields = nullable))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Wish, example = json!({"pauseTask": "T1.2"})))]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Command {
    /// Begin.
    #[serde(skip)]
    StartRun {
        /// The project.
        project: String,
        /// What is to be done.
        work: Box<PlannedWork>,
        /// How.
        settings: Box<RunSettings>,
        /// By whom.
        team: Vec<TeamMember>,
    },
    /// Let everything wait.
    PauseRun,
    /// Let everything go on.
    ContinueRun,
    /// Call everything off.
    CancelRun,
    /// Let a phase wait.
    PausePhase(PhaseNumber),
    /// Let a phase go on.
    ContinuePhase(PhaseNumber),
    /// Call a phase off.
    CancelPhase(PhaseNumber),
    /// Let a task wait.
    PauseTask(TaskId),
    /// Let a task go on.
    ContinueTask(TaskId),
    /// Call a task off.
    CancelTask(TaskId),
    /// Try a task again.
    RetryTask {
        /// The task.
        task: TaskId,
        /// Advice.
        hint: Option<String>,
    },
    /// Leave a task out.
    SkipTask(TaskId),
    /// Say how urgent a task is.
    PrioritizeTask {
        /// The task.
        task: TaskId,
        /// How urgent.
        priority: Priority,
    },
    /// Let another agent do a task.
    ReassignTask {
        /// The task.
        task: TaskId,
        /// Who.
        agent: AgentName,
    },
    /// Say something to whoever works at a task. It is heard when the turn that goes on is over.
    SendMessage {
        /// The task.
        task: TaskId,
        /// What.
        text: String,
    },
    /// Bring a task back to a checkpoint, and let it go on from there.
    RewindTask {
        /// The task.
        task: TaskId,
        /// Where to.
        checkpoint: RewindTarget,
    },
    /// Keep a point that a task can go back to.
    CreateCheckpoint(TaskId),
    /// Add a task to the plan.
    AddTask(Box<PlannedTask>),
    /// Let a task wait for another.
    AddDependency {
        /// The one that is waited for.
        earlier: TaskId,
        /// The one that waits.
        later: TaskId,
    },
    /// Let a task no longer wait for another.
    RemoveDependency {
        /// The one that was waited for.
        earlier: TaskId,
        /// The one that waited.
        later: TaskId,
    },
    /// Something that tasks wait for outside of the plan is there.
    MarkExternalMet {
        /// Its name.
        name: String,
    },
    /// Take what changed in the plan file.
    ApplyPlanChange {
        /// The offer that was seen; the file may have changed again since.
        offer: OfferId,
    },
    /// Leave the plan as the run has it.
    IgnorePlanChange {
        /// The offer that was seen.
        offer: OfferId,
    },

    /// Answer a question.
    Answer {
        /// Which; may be left out where a task is named that has exactly one.
        question: Option<QuestionId>,
        /// The task whose question it is.
        task: Option<TaskId>,
        /// The answer.
        answer: String,
        /// How long it holds, where it is about a permission.
        #[serde(default)]
        #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
        keep: PermissionScope,
    },
    /// Ask back before answering.
    RequestClarification {
        /// The question.
        question: QuestionId,
        /// What is not clear.
        text: String,
    },
    /// Say something about the run, or answer its only question.
    Chat {
        /// What.
        text: String,
        /// Whether it is talk whatever waits, never an answer: a question may come while somebody writes.
        #[serde(default)]
        #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
        talk_only: bool,
    },
    /// A dependency is there. Its value is in the vault, not here.
    Provide {
        /// The request.
        request: RequestId,
        /// How the agent gets at it.
        provided: ProvidedResource,
    },
    /// A dependency will not come.
    Refuse {
        /// The request.
        request: RequestId,
        /// Why not.
        reason: String,
    },
    /// A dependency is not needed after all.
    SkipRequest(RequestId),
    /// Let a phase pass.
    ApproveGate {
        /// The phase.
        phase: PhaseNumber,
        /// A word about it.
        note: Option<String>,
    },
    /// Let a phase not pass.
    RejectGate {
        /// The phase.
        phase: PhaseNumber,
        /// Why not.
        reason: String,
        /// The tasks that are to be done again.
        #[serde(default)]
        #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
        tasks: Vec<TaskId>,
    },
    /// Do something about an escalation.
    Resolve {
        /// The escalation.
        escalation: EscalationId,
        /// What.
        action: EscalationAction,
        /// A word about it.
        note: Option<String>,
    },

    /// An agent said something that was understood.
    #[serde(skip)]
    ReceiveMessage {
        /// Where in its output.
        heard: MessageOffset,
        /// Where reading starts again after a restart.
        read_from: u64,
        /// What.
        said: Box<AgentMessage>,
    },
    /// An agent said something that could not be understood.
    #[serde(skip)]
    ReceiveInvalid {
        /// Where in its output.
        heard: MessageOffset,
        /// Where reading starts again after a restart.
        read_from: u64,
        /// Which message it was meant to be.
        protocol: String,
        /// What is wrong.
        error: String,
        /// What it said.
        raw: String,
    },
    /// An agent said something that is almost a message.
    #[serde(skip)]
    ReceiveNearMiss {
        /// Where in its output.
        heard: MessageOffset,
        /// Where reading starts again after a restart.
        read_from: u64,
        /// Which message it almost is.
        near: String,
        /// What it said.
        raw: String,
    },
    /// An agent's turn ended.
    #[serde(skip)]
    EndTurn {
        /// Where reading starts again after a restart.
        read_from: u64,
        /// What it said in this turn.
        words: String,
        /// Which tools it used.
        tools: TurnTools,
    },
    /// An agent's process ended in the middle of a turn, which is not over.
    #[serde(skip)]
    InterruptTurn {
        /// Where reading starts again after a restart.
        read_from: u64,
        /// What it had said in this turn.
        words: String,
        /// Which tools it had used.
        tools: TurnTools,
    },
    /// An agent wants to do something that it must ask for.
    #[serde(skip)]
    RequestPermission(PermissionRequest),
    /// An agent asks in the middle of its turn, which goes on with the answer.
    #[serde(skip)]
    RequestAnswer {
        /// The prompt's own id, by which the agent knows the answer.
        prompt: String,
        /// What is asked.
        asked: Box<AskUser>,
    },
    /// A test of an agent's has an outcome.
    #[serde(skip)]
    ReportTestFeedback(TestFeedback),
    /// An agent used tokens.
    #[serde(skip)]
    ReportUsage(Usage),

    /// The process of a session is there.
    #[serde(skip)]
    ReportStarted {
        /// The session.
        session: SessionId,
        /// The agent's own session id.
        agent_session: Option<String>,
    },
    /// The process of a session ended.
    #[serde(skip)]
    ReportEnded {
        /// The session.
        session: SessionId,
        /// Its exit status.
        exit_status: Option<i32>,
    },
    /// The process of a session is gone.
    #[serde(skip)]
    ReportLost {
        /// The session.
        session: SessionId,
        /// What is known.
        reason: String,
    },
    /// The process of a session was ended together with the server, and is to go on in another one.
    #[serde(skip)]
    ReportStopped {
        /// The session.
        session: SessionId,
    },
    /// An input was typed.
    #[serde(skip)]
    ReportInputSent {
        /// The session.
        session: SessionId,
        /// Which input.
        input: InputNumber,
    },
    /// A check ended.
    #[serde(skip)]
    ReportCheck {
        /// The task.
        task: TaskId,
        /// Which try.
        attempt: AttemptNumber,
        /// The proof.
        receipt: Receipt,
    },
    /// A merge ended.
    #[serde(skip)]
    ReportMerge {
        /// The task.
        task: TaskId,
        /// Which try.
        attempt: AttemptNumber,
        /// How.
        outcome: MergeOutcome,
    },
    /// A gate's checks ended.
    #[serde(skip)]
    ReportGate {
        /// The phase.
        phase: PhaseNumber,
        /// Which time.
        round: u32,
        /// What was found.
        report: GateReport,
    },
    /// A checkpoint is made, or could not be.
    #[serde(skip)]
    ReportCheckpoint {
        /// The checkpoint.
        checkpoint: CheckpointId,
        /// What came of it.
        outcome: CheckpointOutcome,
    },
    /// Any other effect is done, or could not be.
    #[serde(skip)]
    ReportEffect {
        /// The effect.
        effect: EffectId,
        /// Why it could not.
        error: Option<String>,
    },
    /// A phase was not landed, because its branch is checked out: it is moved when somebody asks for it.
    #[serde(skip)]
    ReportNotLanded {
        /// The effect.
        effect: EffectId,
    },
    /// The plan file says this now; what differs from the run's plan is offered.
    #[serde(skip)]
    ReportPlan {
        /// What the file says.
        work: Box<PlannedWork>,
    },
    /// The plan file can't be read as a plan.
    #[serde(skip)]
    ReportPlanUnreadable {
        /// Why not.
        problem: String,
    },
    /// A session got no worktree, because worktrees take too much room already.
    #[serde(skip)]
    ReportDiskBudgetExceeded {
        /// The session.
        session: SessionId,
        /// How much is missing, and what to do.
        reason: String,
    },
    /// There is room for worktrees again.
    #[serde(skip)]
    ReportDiskSpaceAvailable,
    /// The worktrees of unfinished tasks were compared: these pairs, and no others, changed the same files.
    #[serde(skip)]
    ReportOverlaps {
        /// All that were found.
        overlaps: Vec<TaskOverlap>,
    },
    /// Time went by.
    #[serde(skip)]
    Tick,
}
