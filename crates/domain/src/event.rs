//! The facts of a run. The log keeps them for ever.
//!
//! Add a variant, or a field that old data can live without; change none. Names are in the past tense.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    EscalationAction, Actor, AgentError, AgentName, AttemptNumber, BlockReason, Budget, InvocationOutcome, EscalationCause, ChannelId,
    CheckpointId, CheckpointOutcome, CheckpointReason, ClaimSource, DependencyRequest, DirectMessageId,
    DirectType, EffectId, EscalationId, EscalationType, AttemptFailure, TestFeedback, GateReport, MessageOffset, BlockedWork, SessionInput,
    InputNumber, InvocationId, PermissionScope, EscalationLevel, LoopId, LoopOutcome, TeamMember, MergeOutcome, OfferId, TaskOverlap,
    ParkMode, PermissionRequest, PhaseNumber, PlanChanges, PlanField, PlannedPhase, PlannedTask, PlannedWork,
    Priority, CompletionProof, ProvidedResource, QuestionId, QuestionKind, Receipt, RequestId, ResultId, ResultType,
    ReturnReason, RewindTarget, Role, QuestionRoute, RunOutcome, AgentMessage, Sequence, SessionId, RunSettings, Severity,
    EscalationSubject, TaskId, Timestamp, TurnTools, Usage,
};

/// An event with its place in the log of its run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedEvent {
    /// Its place: 1, 2, 3 and so on.
    pub sequence: Sequence,
    /// When it happened.
    pub at: Timestamp,
    /// Who made it happen.
    pub actor: Actor,
    /// What happened.
    pub event: Event,
}

macro_rules! events {
    ($(
        $(#[$doc:meta])*
        $name:ident $((formerly $former:literal))? { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }
    )*) => {
        /// One fact.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "type", rename_all_fields = "camelCase")]
        pub enum Event {$(
            $(#[$doc])*
            $(#[serde(alias = $former)])?
            $name { $($(#[$field_doc])* $field: $type,)* },
        )*}

        impl Event {
            /// Version of the event format that is written.
            pub const VERSION: u32 = 1;

            /// Names of all event types.
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];

            /// Name of the event's type, as the log stores it.
            pub fn name(&self) -> &'static str {
                match self {$(
                    Self::$name { .. } => stringify!($name),
                )*}
            }

            /// Current name of an event type; older logs may store a former name.
            pub fn current_name(stored: &str) -> Option<&'static str> {
                $(
                    $(if stored == $former {
                        return Some(stringify!($name));
                    })?
                )*
                Self::NAMES.iter().find(|name| **name == stored).copied()
            }
        }
    };
}

events! {
    /// A run began, with all that it needs to know.
    RunStarted {
        /// The project.
        project: String,
        /// What is to be done.
        work: Box<PlannedWork>,
        /// How.
        settings: Box<RunSettings>,
        /// By whom.
        team: Vec<TeamMember>,
    }
    /// Nothing new starts, and what runs waits.
    RunPaused {}
    /// It goes on.
    RunContinued {}
    /// It was called off.
    RunCancelled {}
    /// Nothing can move, and nobody is asked.
    RunEnded {
        /// How.
        outcome: RunOutcome,
        /// What failed or was cancelled.
        failed: Vec<TaskId>,
        /// What never started, because of that.
        waiting: Vec<TaskId>,
    }
    /// Something can move again after the end.
    RunReopened {}

    /// The first task of a phase started.
    PhaseStarted {
        /// The phase.
        phase: PhaseNumber,
        /// The session that leads it.
        session: SessionId,
    }
    /// A phase waits.
    PhasePaused {
        /// The phase.
        phase: PhaseNumber,
    }
    /// A phase goes on.
    PhaseContinued {
        /// The phase.
        phase: PhaseNumber,
    }
    /// A phase was called off.
    PhaseCancelled {
        /// The phase.
        phase: PhaseNumber,
    }
    /// What the phase's gate passed is in the branch that people work on, or ready to be.
    PhaseLanded {
        /// The phase.
        phase: PhaseNumber,
    }

    /// All that these tasks waited for is there.
    TasksBecameReady (formerly "TasksReadied") {
        /// The tasks.
        tasks: Vec<TaskId>,
    }
    /// A try at a task began.
    TaskStarted {
        /// The task.
        task: TaskId,
        /// Which try.
        attempt: AttemptNumber,
        /// Who.
        agent: AgentName,
        /// In which session.
        session: SessionId,
    }
    /// A task that was blocked has a slot again.
    TaskResumed {
        /// The task.
        task: TaskId,
        /// The session that goes on.
        session: SessionId,
    }
    /// A task has a reason to wait, and gave its slot back.
    TaskBlocked {
        /// The task.
        task: TaskId,
        /// The reason.
        reason: BlockReason,
    }
    /// A reason to wait is gone.
    TaskUnblocked {
        /// The task.
        task: TaskId,
        /// The reason.
        reason: BlockReason,
    }
    /// An agent's word that a task is done. It moves nothing but the check.
    TaskClaimed {
        /// The task.
        task: TaskId,
        /// How it was said.
        source: ClaimSource,
        /// What the agent reports beside it.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        fields: BTreeMap<String, String>,
    }
    /// The check of a task began.
    CheckStarted {
        /// The task.
        task: TaskId,
        /// Which try.
        attempt: AttemptNumber,
        /// The command.
        command: String,
    }
    /// The check of a task ended.
    CheckFinished {
        /// The task.
        task: TaskId,
        /// Which try.
        attempt: AttemptNumber,
        /// The proof.
        receipt: Receipt,
    }
    /// A tester began to look at a task.
    TestStarted {
        /// The task.
        task: TaskId,
        /// The tester's session.
        session: SessionId,
    }
    /// A task went back to its agent, which still lives.
    TaskReturned {
        /// The task.
        task: TaskId,
        /// Why.
        reason: ReturnReason,
    }
    /// The merge of a task began.
    MergeStarted {
        /// The task.
        task: TaskId,
        /// Which try.
        attempt: AttemptNumber,
    }
    /// The merge of a task ended.
    MergeFinished {
        /// The task.
        task: TaskId,
        /// Which try.
        attempt: AttemptNumber,
        /// How.
        outcome: MergeOutcome,
    }
    /// A task is done, checked or not, and merged.
    TaskDone {
        /// The task.
        task: TaskId,
        /// What stands behind it.
        proof: CompletionProof,
    }
    /// A try came to nothing.
    AttemptFailed {
        /// The task.
        task: TaskId,
        /// Which try.
        attempt: AttemptNumber,
        /// Why.
        failure: AttemptFailure,
        /// Whether it counts towards the tries a task has.
        counted: bool,
    }
    /// A task is to be tried again.
    TaskRetried {
        /// The task.
        task: TaskId,
        /// Advice for the next try.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
        /// Whether the tries are counted anew.
        afresh: bool,
    }
    /// A task failed for good, unless somebody retries it.
    TaskFailed {
        /// The task.
        task: TaskId,
        /// Why.
        failure: AttemptFailure,
    }
    /// A task is left out; whoever waits for it goes on.
    TaskSkipped {
        /// The task.
        task: TaskId,
    }
    /// A task was called off; whoever waits for it goes on waiting.
    TaskCancelled {
        /// The task.
        task: TaskId,
    }
    /// A task is to be done again, because its phase did not pass.
    TaskReopened {
        /// The task.
        task: TaskId,
        /// Why the phase did not pass.
        reason: String,
    }
    /// A task is more or less urgent than before.
    TaskPrioritized {
        /// The task.
        task: TaskId,
        /// How urgent.
        priority: Priority,
    }
    /// Somebody says something to whoever works at a task.
    TaskMessageSent (formerly "TaskTold") {
        /// The task.
        task: TaskId,
        /// What.
        text: String,
    }
    /// Another agent is to do a task.
    TaskReassigned {
        /// The task.
        task: TaskId,
        /// Who.
        agent: AgentName,
    }
    /// A task goes back to a point it was at before.
    TaskRewound {
        /// The task.
        task: TaskId,
        /// Where to; the beginning where nothing is said.
        checkpoint: RewindTarget,
    }
    /// The main agent of a thin run wants a task to start.
    TaskRequested {
        /// The task.
        task: TaskId,
        /// A worktree to use instead of the task's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worktree: Option<String>,
        /// What is handed along, as JSON.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        meta: Option<serde_json::Map<String, serde_json::Value>>,
    }
    /// A task joined the plan.
    TaskAdded {
        /// The task.
        task: Box<PlannedTask>,
        /// Whether the plan file has it; else somebody added it by hand.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        in_file: bool,
    }
    /// A task waits for another one too.
    DependencyAdded {
        /// The one that is waited for.
        earlier: TaskId,
        /// The one that waits.
        later: TaskId,
    }
    /// A task no longer waits for another one.
    DependencyRemoved {
        /// The one that was waited for.
        earlier: TaskId,
        /// The one that waited.
        later: TaskId,
    }
    /// Something outside of the plan that tasks wait for is there.
    ExternalDependencyMet (formerly "ExternalMet") {
        /// Its name.
        name: String,
    }
    /// The plan file says something else than the run's plan, and somebody may take that. It replaces an earlier offer.
    PlanChangeDetected (formerly "PlanOffered") {
        /// The offer.
        offer: OfferId,
        /// What is different.
        changes: Box<PlanChanges>,
        /// Why it can't be taken as it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        problem: Option<String>,
    }
    /// There is nothing to take any more.
    PlanChangeWithdrawn (formerly "PlanOfferWithdrawn") {
        /// The offer.
        offer: OfferId,
        /// Why not.
        reason: String,
    }
    /// The plan file can't be read as a plan, and nothing of it was taken.
    PlanUnreadable {
        /// What is wrong.
        problem: String,
    }
    /// What changed in the plan file holds for the run from here on; what comes of it follows.
    PlanChangeApplied (formerly "PlanTaken") {
        /// The offer.
        offer: OfferId,
        /// The tasks that the plan no longer has.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        removed: Vec<TaskId>,
        /// The tasks that it has again.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        restored: Vec<TaskId>,
    }
    /// Somebody wants the run's plan to stay as it is.
    PlanChangeIgnored (formerly "PlanLeft") {
        /// The offer.
        offer: OfferId,
    }
    /// A phase joined the plan.
    PhaseAdded {
        /// The phase.
        phase: Box<PlannedPhase>,
    }
    /// The plan says something else about a phase.
    PhaseChanged {
        /// The phase.
        phase: PhaseNumber,
        /// Its name.
        name: String,
        /// The phases whose gates it waits for.
        after: Vec<PhaseNumber>,
    }
    /// The plan says something else about a task. What it waits for has events of its own.
    TaskChanged {
        /// The task as the plan has it.
        task: Box<PlannedTask>,
        /// What is different.
        fields: Vec<PlanField>,
    }

    /// A session began: a process is to be started, unless Jangdan plays this level itself.
    SessionOpened {
        /// The session.
        session: SessionId,
        /// The one above it in the tree.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<SessionId>,
        /// How deep it is in the tree: 0 build, 1 operator, 2 worker.
        depth: u32,
        /// What it is there for.
        role: Role,
        /// Who it is; none where Jangdan plays it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<AgentName>,
        /// The task it works at.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        /// The phase it leads or judges.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        phase: Option<PhaseNumber>,
        /// The session whose agent's own memory it takes over.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resumes: Option<SessionId>,
    }
    /// The process of a session is there.
    SessionActivated {
        /// The session.
        session: SessionId,
        /// The agent's own session id, where it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent_session: Option<String>,
    }
    /// A session waits at less cost.
    SessionParked {
        /// The session.
        session: SessionId,
        /// How.
        mode: ParkMode,
    }
    /// A parked session is to go on.
    SessionWoken {
        /// The session.
        session: SessionId,
    }
    /// A session is no longer needed: its process is to end.
    SessionDismissed {
        /// The session.
        session: SessionId,
    }
    /// The process of a session ended.
    SessionEnded {
        /// The session.
        session: SessionId,
        /// Its exit status; none where a signal ended it.
        exit_status: Option<i32>,
    }
    /// The process of a session is gone, nobody knows how.
    SessionLost {
        /// The session.
        session: SessionId,
        /// What is known.
        reason: String,
    }
    /// Something is to be said to a session.
    InputQueued {
        /// The session.
        session: SessionId,
        /// Which of its inputs it is.
        input: InputNumber,
        /// What.
        content: Box<SessionInput>,
    }
    /// It was said.
    InputSent (formerly "InputTyped") {
        /// The session.
        session: SessionId,
        /// Which of its inputs.
        input: InputNumber,
    }
    /// An agent said something that was understood.
    MessageReceived (formerly "MessageHeard") {
        /// Where.
        heard: MessageOffset,
        /// The session.
        session: SessionId,
        /// Where reading starts again after a restart.
        read_from: u64,
        /// What.
        said: Box<AgentMessage>,
    }
    /// An agent said something that could not be taken.
    MessageRejected (formerly "MessageRefused") {
        /// The session.
        session: SessionId,
        /// Where.
        heard: MessageOffset,
        /// Where reading starts again after a restart.
        read_from: u64,
        /// Which message it was meant to be.
        protocol: String,
        /// What is wrong, and what to do.
        error: String,
        /// What it said.
        raw: String,
    }
    /// An agent said something that is almost a message.
    NearMissReceived (formerly "NearMissHeard") {
        /// The session.
        session: SessionId,
        /// Where.
        heard: MessageOffset,
        /// Where reading starts again after a restart.
        read_from: u64,
        /// Which message it almost is.
        near: String,
        /// What it said.
        raw: String,
    }
    /// An agent's turn ended.
    TurnEnded {
        /// The session.
        session: SessionId,
        /// Where reading starts again after a restart.
        read_from: u64,
        /// What it said in this turn, for people.
        words: String,
        /// Which tools it used.
        #[serde(default, skip_serializing_if = "TurnTools::is_empty")]
        tools: TurnTools,
    }
    /// An agent's turn was cut off: its process ended in the middle of it. It is not over.
    TurnInterrupted (formerly "TurnCut") {
        /// The session.
        session: SessionId,
        /// Where reading starts again after a restart.
        read_from: u64,
        /// What it had said in this turn, for people.
        words: String,
        /// Which tools it had used.
        #[serde(default, skip_serializing_if = "TurnTools::is_empty")]
        tools: TurnTools,
    }

    /// Somebody must answer this.
    QuestionAsked {
        /// The question.
        question: QuestionId,
        /// The session that waits for the answer.
        session: SessionId,
        /// The task; none where it is about the run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        /// What kind of answer is wanted.
        kind: QuestionKind,
        /// What is asked.
        text: String,
        /// The offered answers.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        options: Vec<String>,
        /// The answer the agent would take.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        default: Option<String>,
        /// What one should know.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<String>,
        /// Whether the agent can't go on without an answer.
        required: bool,
        /// What the agent wants to do, where it asks for permission.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        permission: Option<PermissionRequest>,
        /// The prompt's own id, where the agent's turn waits for the answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt: Option<String>,
        /// What waits behind it.
        holds_up: BlockedWork,
    }
    /// A question has reached whoever is to answer it.
    QuestionRouted {
        /// The question.
        question: QuestionId,
        /// Who.
        to: QuestionRoute,
    }
    /// The orchestrator hands a question on to the person, in its own words.
    QuestionForwarded {
        /// The question.
        question: QuestionId,
        /// Its words.
        text: String,
    }
    /// Somebody wants to know more before they answer.
    ClarificationRequested (formerly "QuestionAskedBack") {
        /// The question.
        question: QuestionId,
        /// What they want to know.
        text: String,
    }
    /// A question has its answer.
    QuestionAnswered {
        /// The question.
        question: QuestionId,
        /// The answer.
        answer: String,
    }
    /// The answer has reached the session that asked.
    QuestionDelivered {
        /// The question.
        question: QuestionId,
        /// The session, or the one that took its place.
        session: SessionId,
    }
    /// The task goes on with the answer.
    QuestionResumed {
        /// The question.
        question: QuestionId,
    }
    /// Nobody needs the answer any more.
    QuestionWithdrawn {
        /// The question.
        question: QuestionId,
        /// Why.
        reason: String,
    }
    /// Nobody answered in time.
    QuestionExpired {
        /// The question.
        question: QuestionId,
        /// The default that was taken.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        took_default: Option<String>,
    }
    /// An agent asks a lot.
    ManyQuestionsAsked (formerly "QuestionsPiledUp") {
        /// Who.
        agent: AgentName,
        /// In which phase.
        phase: PhaseNumber,
        /// How many times so far.
        count: u32,
    }
    /// A permission was given or denied by the rules.
    PermissionDecided (formerly "PermissionJudged") {
        /// The session.
        session: SessionId,
        /// What the agent wants to do.
        wish: PermissionRequest,
        /// Whether it may.
        allowed: bool,
        /// The rule that says so.
        rule: String,
    }
    /// A choice about a permission holds from now on.
    PermissionRuleSaved (formerly "PermissionKept") {
        /// How long.
        keep: PermissionScope,
        /// The task, where it holds for one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        /// What it is about.
        pattern: String,
        /// Whether agents may.
        allowed: bool,
    }

    /// An agent needs something from outside.
    RequestMade {
        /// The request.
        request: RequestId,
        /// The session that waits for it.
        session: SessionId,
        /// The task.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        /// What is needed.
        asked: DependencyRequest,
        /// What waits behind it.
        holds_up: BlockedWork,
    }
    /// It is there.
    RequestProvided {
        /// The request.
        request: RequestId,
        /// How the agent gets at it.
        provided: ProvidedResource,
        /// Whether it is the agent's own default.
        #[serde(default)]
        default: bool,
    }
    /// It will not come.
    RequestRefused {
        /// The request.
        request: RequestId,
        /// Why not.
        reason: String,
    }
    /// It is not needed after all, says a person.
    RequestSkipped {
        /// The request.
        request: RequestId,
    }
    /// The agent knows.
    RequestDelivered {
        /// The request.
        request: RequestId,
        /// The session, or the one that took its place.
        session: SessionId,
    }

    /// One agent calls another.
    InvocationMade {
        /// The call.
        invocation: InvocationId,
        /// Who calls.
        caller: SessionId,
        /// Who is called.
        callee: AgentName,
        /// What is wanted.
        wanted: String,
        /// What one should know.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<String>,
    }
    /// The called one has it in hand.
    InvocationStarted {
        /// The call.
        invocation: InvocationId,
        /// The session that does it.
        session: SessionId,
    }
    /// The call is over.
    InvocationEnded {
        /// The call.
        invocation: InvocationId,
        /// What came of it.
        outcome: InvocationOutcome,
    }
    /// An agent has made something for another.
    ResultSubmitted {
        /// The result.
        result: ResultId,
        /// Who made it.
        from: SessionId,
        /// Who gets it.
        to: AgentName,
        /// What kind of result it is.
        result_type: ResultType,
        /// The result itself.
        content: String,
    }
    /// The other has it.
    ResultDelivered {
        /// The result.
        result: ResultId,
        /// The session that got it.
        session: SessionId,
    }
    /// Two sessions can talk to each other.
    ChannelCreated {
        /// The line between them.
        channel: ChannelId,
        /// One end.
        session_a: SessionId,
        /// The other end.
        session_b: SessionId,
    }
    /// One of the two is gone.
    ChannelClosed {
        /// The line between them.
        channel: ChannelId,
    }
    /// One session says something to another.
    DirectMessageSent {
        /// The message.
        message: DirectMessageId,
        /// The line it goes over.
        channel: ChannelId,
        /// Who says it.
        from: SessionId,
        /// To whom.
        to: SessionId,
        /// What it is.
        direct_type: DirectType,
        /// What is said.
        content: String,
    }
    /// It is on its way into the other session.
    DirectMessageReceived {
        /// The message.
        message: DirectMessageId,
    }
    /// The other session has it.
    DirectMessageAcknowledged {
        /// The message.
        message: DirectMessageId,
    }

    /// An agent said that its phase is complete.
    PhaseCompletionReported (formerly "PhaseCompletionSaid") {
        /// The phase.
        phase: PhaseNumber,
        /// Who said it.
        session: SessionId,
        /// The documents it says it wrote.
        documents: Vec<String>,
    }
    /// A phase is at its gate.
    GateOpened {
        /// The phase.
        phase: PhaseNumber,
        /// Which time.
        round: u32,
        /// The documents that agents reported.
        documents: Vec<String>,
    }
    /// The gate's own checks are over.
    GateChecked {
        /// The phase.
        phase: PhaseNumber,
        /// Which time.
        round: u32,
        /// What was found.
        report: GateReport,
    }
    /// A verifier looks at the phase.
    GateVerifierStarted (formerly "GateJudgeOpened") {
        /// The phase.
        phase: PhaseNumber,
        /// Which time.
        round: u32,
        /// The verifier's session.
        session: SessionId,
    }
    /// All checks passed: the phase is to be reviewed.
    GatePassed {
        /// The phase.
        phase: PhaseNumber,
        /// Which time.
        round: u32,
        /// What waits behind it.
        holds_up: BlockedWork,
    }
    /// The phase is approved: the next one may begin.
    GateApproved {
        /// The phase.
        phase: PhaseNumber,
        /// Whether it passes although its checks failed.
        waived: bool,
        /// A word about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    }
    /// The phase did not pass.
    GateFailed {
        /// The phase.
        phase: PhaseNumber,
        /// Which time.
        round: u32,
        /// Why.
        reason: String,
        /// The tasks that are to be done again.
        tasks: Vec<TaskId>,
    }

    /// A task is implemented and tested in turns from here.
    LoopStarted {
        /// The loop.
        feedback_loop: LoopId,
        /// The task.
        task: TaskId,
        /// Who tests; none where a command does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tester: Option<AgentName>,
    }
    /// A round of testing found failures.
    LoopRoundFailed {
        /// The loop.
        feedback_loop: LoopId,
        /// Which round.
        round: u32,
        /// What was found.
        feedback: TestFeedback,
    }
    /// The loop is over.
    LoopEnded {
        /// The loop.
        feedback_loop: LoopId,
        /// How.
        outcome: LoopOutcome,
    }

    /// A problem was handed upward.
    EscalationRaised {
        /// The escalation.
        escalation: EscalationId,
        /// What kind of problem it is.
        kind: EscalationType,
        /// How bad it is.
        severity: Severity,
        /// What it is about.
        subject: EscalationSubject,
        /// The session it came up in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
        /// What happened, in a line.
        title: String,
        /// What it came from; none where the title is what somebody else said, and in logs that are older.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<EscalationCause>,
        /// What happened.
        description: String,
        /// What led to it.
        context: String,
        /// What could be done.
        suggested: Vec<EscalationAction>,
        /// What waits behind it.
        holds_up: BlockedWork,
    }
    /// The next level has it in hand.
    EscalationForwarded (formerly "EscalationClimbed") {
        /// The escalation.
        escalation: EscalationId,
        /// Which level.
        to: EscalationLevel,
        /// The session that has it; none for a person, or where Jangdan plays the level.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
    }
    /// It is settled.
    EscalationResolved {
        /// The escalation.
        escalation: EscalationId,
        /// What was done; nothing where its cause went away.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        action: Option<EscalationAction>,
        /// A word about it.
        note: String,
    }

    /// An agent reported an error.
    ErrorReported {
        /// The session.
        session: SessionId,
        /// The task.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        /// The error.
        error: AgentError,
    }
    /// Tokens and money were used.
    UsageReported {
        /// The session.
        session: SessionId,
        /// The task.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        /// What.
        usage: Usage,
    }
    /// More may be used than before.
    BudgetRaised {
        /// By whom.
        subject: EscalationSubject,
        /// The new limit.
        budget: Budget,
    }
    /// A limit no longer holds.
    LimitWaived {
        /// For whom.
        subject: EscalationSubject,
        /// Which.
        limit: EscalationType,
    }

    /// A checkpoint is to be made.
    CheckpointRequested (formerly "CheckpointOrdered") {
        /// The checkpoint.
        checkpoint: CheckpointId,
        /// The task.
        task: TaskId,
        /// Why.
        reason: CheckpointReason,
    }
    /// It was made, or could not be.
    CheckpointFinished {
        /// The checkpoint.
        checkpoint: CheckpointId,
        /// What came of it.
        outcome: CheckpointOutcome,
    }
    /// Two unfinished tasks have changed the same files, or others than before.
    OverlapDetected (formerly "OverlapSeen") {
        /// The tasks and the files.
        overlap: TaskOverlap,
    }
    /// Two tasks have changed no file in common any more, or one of them is over.
    OverlapResolved (formerly "OverlapGone") {
        /// The two, in order.
        tasks: [TaskId; 2],
    }
    /// A task got no worktree, for want of room: no task begins until there is some.
    DiskBudgetExhausted (formerly "RoomRanOut") {
        /// The problem, as somebody was told of it.
        escalation: EscalationId,
        /// The task.
        task: TaskId,
    }
    /// The world did what it was told, and there is nothing else to say about it.
    EffectFinished {
        /// What it was told.
        effect: EffectId,
        /// Why it could not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    }

    /// Somebody said something about the run.
    ChatMessageSent (formerly "ChatSaid") {
        /// What.
        text: String,
        /// The question that it answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answers: Option<QuestionId>,
    }
    /// No orchestrator agent was there to hear it, so that Jangdan itself said how the run stands.
    ChatAnsweredWithStatus (formerly "ChatUnheard") {
        /// How many tasks are done or skipped.
        n_done: u32,
        /// How many there are.
        n_tasks: u32,
        /// The first of those that are worked at.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        running: Vec<TaskId>,
        /// How many these are in all.
        n_running: u32,
        /// The first questions that wait for the person.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        questions: Vec<QuestionId>,
        /// How many things of all kinds wait for the person.
        n_waiting: u32,
    }
    /// The main agent wants to know what can be done next.
    ResolveRequested (formerly "ResolveAsked") {
        /// Who.
        session: SessionId,
        /// Only in this phase.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        phase: Option<PhaseNumber>,
    }
    /// It was told.
    ResolveAnswered {
        /// Who.
        session: SessionId,
        /// The line.
        line: String,
    }
}
