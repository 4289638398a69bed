//! Inputs of the engine: commands of users, output of agents, reports of the executor and the clock.
//!
//! Three parties, three types: each is trusted with different things.

use crate::{
    Actor, AgentMessage, AskUser, AttemptNumber, CheckpointId, CheckpointOutcome, CleanupId, CleanupReport,
    CommandOrigin, EffectId, GateReport, InputNumber, LandReport, LandingId, MergeOutcome, MessageOffset,
    MovedRef, PermissionRequest, PhaseNumber, PlannedWork, ProvidedResource, Receipt, RequestId, RunSettings,
    SessionId, TaskId, TaskOverlap, TeamMember, TestFeedback, Timestamp, TurnTools, Usage, UserCommand,
};

/// An input of a run, with its sender.
#[derive(Debug, Clone, PartialEq)]
pub enum RunInput {
    /// The first input of a run.
    Start {
        person: String,
        /// `None` in tests and simulations.
        origin: Option<CommandOrigin>,
        start: Box<RunStart>,
    },
    User {
        person: String,
        /// `None` in tests and simulations.
        origin: Option<CommandOrigin>,
        command: UserCommand,
    },
    Agent {
        session: SessionId,
        output: AgentOutput,
    },
    Report(Report),
}

/// What a run is started with.
#[derive(Debug, Clone, PartialEq)]
pub struct RunStart {
    /// Display name of the project.
    pub project: String,
    pub work: PlannedWork,
    pub settings: RunSettings,
    pub team: Vec<TeamMember>,
}

/// What the driver of a session read from its agent.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentOutput {
    /// A valid protocol message.
    Message {
        offset: MessageOffset,
        /// Spool offset from which a new reader starts after a restart.
        read_from: u64,
        message: Box<AgentMessage>,
    },
    /// Output that is an invalid protocol message.
    InvalidMessage {
        offset: MessageOffset,
        read_from: u64,
        /// Message type that the agent attempted.
        protocol: String,
        error: String,
        raw: String,
    },
    /// Output that nearly is a protocol message.
    NearMiss {
        offset: MessageOffset,
        read_from: u64,
        /// Message type that it resembles.
        near: String,
        raw: String,
    },
    TurnEnded {
        read_from: u64,
        text: String,
        tools: TurnTools,
        /// `None` if the turn succeeded or was cancelled.
        failure: Option<TurnFailure>,
    },
    /// The agent's process ended in the middle of a turn.
    TurnInterrupted {
        read_from: u64,
        text: String,
        tools: TurnTools,
    },
    PermissionRequested(PermissionRequest),
    /// The agent asks inside its turn and waits for the answer.
    QuestionAsked {
        /// The agent's own id of the prompt.
        prompt: String,
        question: Box<AskUser>,
    },
    /// The result of a tester.
    TestFeedback(TestFeedback),
    Usage(Usage),
}

/// Why a turn of an agent failed.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnFailure {
    RateLimited {
        message: String,
        /// `None` if the agent does not report it.
        resets_at: Option<Timestamp>,
    },
    /// The agent is not signed in, or may not use its model.
    Unauthorized {
        message: String,
    },
    Other {
        message: String,
    },
}

/// What came of the delivery of a requested resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProvisionOutcome {
    /// The agent can use it; that was verified.
    Provided {
        provided: ProvidedResource,
        /// What was changed and verified. Never a value.
        detail: Option<String>,
    },
    Failed {
        error: String,
    },
}

/// What the executor did or observed.
#[derive(Debug, Clone, PartialEq)]
pub enum Report {
    SessionStarted {
        session: SessionId,
        agent_session: Option<String>,
    },
    SessionEnded {
        session: SessionId,
        exit_status: Option<i32>,
    },
    SessionLost {
        session: SessionId,
        reason: String,
    },
    /// The process was stopped together with the server; the session continues in another process.
    SessionStopped {
        session: SessionId,
    },
    InputSent {
        session: SessionId,
        input: InputNumber,
        /// The text as the agent received it, without the session's key.
        text: Option<String>,
        /// Tree of the task's worktree just before, if the effect asked for it.
        tree: Option<String>,
    },
    CheckFinished {
        task: TaskId,
        attempt: AttemptNumber,
        receipt: Receipt,
    },
    MergeFinished {
        task: TaskId,
        attempt: AttemptNumber,
        outcome: MergeOutcome,
    },
    GateChecked {
        phase: PhaseNumber,
        round: u32,
        report: GateReport,
    },
    CheckpointFinished {
        checkpoint: CheckpointId,
        outcome: CheckpointOutcome,
    },
    /// A requested resource was delivered, or could not be.
    ProvisionFinished {
        effect: EffectId,
        request: RequestId,
        outcome: ProvisionOutcome,
    },
    LandingFinished {
        landing: LandingId,
        report: Box<LandReport>,
    },
    CleanupFinished {
        cleanup: CleanupId,
        report: Box<CleanupReport>,
        /// Why not everything was done.
        error: Option<String>,
    },
    /// An effect without a report of its own ended.
    EffectFinished {
        effect: EffectId,
        error: Option<String>,
    },
    /// An effect could not be executed because the disk is full. Nothing of it has taken effect.
    DiskFull {
        effect: EffectId,
        error: String,
    },
    /// The executor could not execute an effect, for a reason that does not concern the work: no thread could be started, or
    /// the thread panicked.
    ExecutionFailed {
        effect: EffectId,
        error: String,
    },
    /// A user typed into the terminal of a session.
    KeysTyped {
        person: String,
        session: SessionId,
        /// Bytes since the last report. The text is not reported: it may be a password.
        bytes: u64,
    },
    /// Another program moved a ref of the run, so that nothing could be built on it.
    RefMoved {
        /// The effect that could not be executed, and of which nothing has taken effect.
        effect: Option<EffectId>,
        moved: MovedRef,
    },
    /// A phase was not landed because its target branch is checked out.
    PhaseNotLanded {
        effect: EffectId,
    },
    /// The plan file changed.
    PlanChanged {
        work: Box<PlannedWork>,
        /// Whether the file has no ids, so that those of the tasks follow from their positions.
        has_assigned_ids: bool,
    },
    PlanUnreadable {
        problem: String,
    },
    /// A process of a session called the server as if it were the user. The call was refused.
    UserActRefused {
        /// `None` for a check or set-up command.
        session: Option<SessionId>,
        /// Name of the process in the list of sessions.
        process: String,
        /// Method and path of the call.
        request: String,
    },
    /// A session got no worktree because the disk budget is used up.
    DiskBudgetExceeded {
        session: SessionId,
        /// Missing space and what to do.
        reason: String,
    },
    DiskSpaceAvailable,
    /// All pairs of unfinished tasks that changed the same files.
    OverlapsFound {
        overlaps: Vec<TaskOverlap>,
    },
    /// The system clock was set, or the machine was suspended, by so many milliseconds.
    ClockJumped {
        by_ms: i64,
    },
    /// Time passed: due timers fire.
    TimerFired,
}

impl RunInput {
    /// Returns the actor of the events that the input causes directly.
    pub fn actor(&self) -> Actor {
        match self {
            Self::Start { person, .. } | Self::User { person, .. } => Actor::Person(person.clone()),
            Self::Report(Report::KeysTyped { person, .. }) => Actor::Person(person.clone()),
            Self::Agent { session, .. } => Actor::Agent(*session),
            Self::Report(Report::TimerFired) => Actor::Clock,
            Self::Report(_) => Actor::System,
        }
    }
}

impl From<Report> for RunInput {
    fn from(report: Report) -> Self {
        Self::Report(report)
    }
}
