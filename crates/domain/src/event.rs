//! Events of a run, as the log stores them.
//!
//! Stored events are read for ever: add a variant, or a field with a default. A renamed variant keeps its former name
//! as `formerly`, a renamed field as a serde alias. Names are in the past tense.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    Actor, AgentError, AgentInvocationOutcome, AgentMessage, AgentName, AttemptFailure, AttemptNumber,
    BlockReason, BlockedWork, Budget, ChannelId, CheckpointId, CheckpointOutcome, CheckpointReason,
    ClaimEvidence, ClaimSource, CleanupId, CleanupReport, CommandOrigin, CompletionProof, DependencyRequest,
    DirectMessageId, DirectType, EffectId, EscalationAction, EscalationCause, EscalationId, EscalationLevel,
    EscalationSubject, EscalationType, EvidenceGap, FeedbackLoopOutcome, GateReport, GateVerdict,
    InputNumber, InvocationId, LandReport, LandingId, LargeFile, LoopId, MergeOutcome, MessageOffset,
    MissingEvidence, OfferId, ParkMode, PermissionRequest, PermissionScope, PhaseNumber, PlanChanges,
    PlanField, PlannedPhase, PlannedTask, PlannedWork, PostponementCause, Priority, ProvidedResource,
    QuestionCategory, QuestionId, QuestionKind, QuestionRoute, Receipt, RequestId, ResultId, ResultType,
    RewindTarget, Role, RunOutcome, RunSettings, Sequence, SessionId, SessionInput, Severity, TaskId,
    TaskOverlap, TaskReturnReason, TeamMember, TestFeedback, Timestamp, TurnTools, Usage, WorkChange,
};

/// An event with its position in the log of its run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedEvent {
    /// Starts at 1, without gaps.
    pub sequence: Sequence,
    pub at: Timestamp,
    /// Who caused it.
    pub actor: Actor,
    pub event: Event,
}

macro_rules! events {
    ($(
        $(#[$doc:meta])*
        $name:ident $((formerly $former:literal))? { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }
    )*) => {
        /// Something that happened in a run.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "type")]
        pub enum Event {$(
            $(#[serde(alias = $former)])?
            $name(events::$name),
        )*}

        /// The data of each event.
        pub mod events {
            use super::*;

            $(
                $(#[$doc])*
                #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
                #[serde(rename_all = "camelCase")]
                pub struct $name {
                    $($(#[$field_doc])* pub $field: $type,)*
                }

                impl From<$name> for Event {
                    fn from(event: $name) -> Self {
                        Self::$name(event)
                    }
                }
            )*
        }

        impl Event {
            /// Version of the event format that is written.
            pub const VERSION: u32 = 1;

            /// Names of all event types.
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];

            /// Name of the event's type, as the log stores it.
            pub fn name(&self) -> &'static str {
                match self {$(
                    Self::$name(_) => stringify!($name),
                )*}
            }

            /// Current name of an event type; older logs may store a former name.
            pub fn current_name_of(stored: &str) -> Option<&'static str> {
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
    /// A run started; carries everything it needs, so that it does not depend on files that change.
    RunStarted {
        project: String,
        work: Box<PlannedWork>,
        settings: Box<RunSettings>,
        team: Vec<TeamMember>,
        /// Whether a report of done needs evidence. Agents of earlier versions were not told so.
        #[serde(default)]
        is_evidence_required: bool,
    }
    /// No task starts, and running sessions are suspended.
    RunPaused {}
    /// A paused run continues.
    RunContinued {}
    /// A user cancelled the run.
    RunCancelled {}
    /// Nothing can proceed and no answer is pending.
    RunEnded {
        outcome: RunOutcome,
        /// Failed or cancelled tasks.
        failed: Vec<TaskId>,
        /// Tasks that never started because of those.
        waiting: Vec<TaskId>,
    }
    /// A task can proceed again after the run had ended.
    RunReopened {}

    /// The first task of a phase started.
    PhaseStarted {
        phase: PhaseNumber,
        /// The operator's session.
        session: SessionId,
    }
    PhasePaused {
        phase: PhaseNumber,
    }
    PhaseContinued {
        phase: PhaseNumber,
    }
    PhaseCancelled {
        phase: PhaseNumber,
    }
    /// The work that passed the gate was merged into the target branch, or is ready to be merged.
    PhaseLanded {
        phase: PhaseNumber,
    }

    /// A user wants the work of the run in a branch; it is brought there next.
    LandingRequested {
        landing: LandingId,
        /// Whether unapproved phases are included.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        all: bool,
        /// Target branch, if not the one that the run started from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        into: Option<String>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        squash: bool,
    }
    /// The branch has the work, or the report says why not.
    LandingFinished {
        landing: LandingId,
        report: Box<LandReport>,
    }
    /// A user wants to remove worktrees that are not needed; they are removed next.
    CleanupRequested {
        cleanup: CleanupId,
        /// Whether branches and refs are deleted too.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        refs: bool,
    }
    CleanupFinished {
        cleanup: CleanupId,
        report: Box<CleanupReport>,
        /// Why not everything was done.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    }

    /// All dependencies of these tasks are met.
    TasksBecameReady (formerly "TasksReadied") {
        tasks: Vec<TaskId>,
    }
    /// An attempt at a task started.
    TaskStarted {
        task: TaskId,
        attempt: AttemptNumber,
        agent: AgentName,
        session: SessionId,
    }
    /// A blocked task got a slot again.
    TaskResumed {
        task: TaskId,
        session: SessionId,
    }
    /// A task has a reason to wait and released its slot.
    TaskBlocked {
        task: TaskId,
        reason: BlockReason,
    }
    /// One reason to wait is gone; others may remain.
    TaskUnblocked {
        task: TaskId,
        reason: BlockReason,
    }
    /// The agent reported the task as done. Only triggers the examination of its evidence.
    TaskClaimed {
        task: TaskId,
        source: ClaimSource,
        /// The reason on the DONE line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// Further fields of the DONE line.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        fields: BTreeMap<String, String>,
    }
    /// A claim has evidence; the check is next.
    ClaimAccepted {
        task: TaskId,
        evidence: ClaimEvidence,
        change: WorkChange,
        /// False if the agent changed files and ended its turn twice without a message.
        is_claimed: bool,
    }
    /// A claim has no evidence, or a turn ended without a message: the agent is told what is missing, once in a round.
    EvidenceRequested {
        task: TaskId,
        missing: Vec<MissingEvidence>,
    }
    CheckStarted {
        task: TaskId,
        attempt: AttemptNumber,
        command: String,
    }
    /// The turn of the agent did not end in time after it reported the task as done; the task continues without.
    TurnWaitExpired {
        task: TaskId,
    }
    CheckFinished {
        task: TaskId,
        attempt: AttemptNumber,
        receipt: Receipt,
    }
    /// A tester session started on a task.
    TestStarted {
        task: TaskId,
        session: SessionId,
    }
    /// A task was handed back to its agent, whose session is still alive.
    TaskReturned {
        task: TaskId,
        reason: TaskReturnReason,
    }
    MergeStarted {
        task: TaskId,
        attempt: AttemptNumber,
    }
    MergeFinished {
        task: TaskId,
        attempt: AttemptNumber,
        outcome: MergeOutcome,
    }
    /// A task is done and merged.
    TaskDone {
        task: TaskId,
        proof: CompletionProof,
    }
    AttemptFailed {
        task: TaskId,
        attempt: AttemptNumber,
        failure: AttemptFailure,
        /// Whether it counts towards `retries_max`.
        counted: bool,
    }
    TaskRetried {
        task: TaskId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
        /// Whether failed attempts are counted from zero again.
        #[serde(alias = "afresh")]
        resets_attempts: bool,
    }
    /// A task failed finally; only a user can retry it.
    TaskFailed {
        task: TaskId,
        failure: AttemptFailure,
    }
    /// A task was skipped; its dependants treat it as done.
    TaskSkipped {
        task: TaskId,
    }
    /// A task was cancelled; its dependants keep waiting.
    TaskCancelled {
        task: TaskId,
    }
    /// A done task must be reworked because its phase did not pass the gate.
    TaskReopened {
        task: TaskId,
        reason: String,
    }
    TaskPrioritized {
        task: TaskId,
        priority: Priority,
    }
    /// A user sent a message to the agent that works on a task.
    TaskMessageSent (formerly "TaskTold") {
        task: TaskId,
        text: String,
    }
    TaskReassigned {
        task: TaskId,
        agent: AgentName,
    }
    /// A task was reset to a checkpoint.
    TaskRewound {
        task: TaskId,
        checkpoint: RewindTarget,
    }
    /// The main agent of a thin run requested that a task start.
    TaskRequested {
        task: TaskId,
        /// Overrides the task's own worktree.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worktree: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        meta: Option<serde_json::Map<String, serde_json::Value>>,
    }
    /// A task was added to the plan.
    TaskAdded {
        task: Box<PlannedTask>,
        /// False if a user added the task by command.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        in_file: bool,
    }
    DependencyAdded {
        /// The task that `later` depends on.
        earlier: TaskId,
        later: TaskId,
    }
    DependencyRemoved {
        earlier: TaskId,
        later: TaskId,
    }
    /// A dependency outside the plan was marked as met.
    ExternalDependencyMet (formerly "ExternalMet") {
        name: String,
    }
    /// The plan file differs from the plan of the run. Replaces an earlier offer.
    PlanChangeDetected (formerly "PlanOffered") {
        offer: OfferId,
        changes: Box<PlanChanges>,
        /// Why the change cannot be applied as it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        problem: Option<String>,
    }
    /// The offered change no longer applies.
    PlanChangeWithdrawn (formerly "PlanOfferWithdrawn") {
        offer: OfferId,
        reason: String,
    }
    /// The plan file cannot be parsed; nothing of it was applied.
    PlanUnreadable {
        problem: String,
    }
    /// A user applied the changes of the plan file. Events for the changed tasks and phases follow.
    PlanChangeApplied (formerly "PlanTaken") {
        offer: OfferId,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        removed: Vec<TaskId>,
        /// Tasks that the plan contains again.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        restored: Vec<TaskId>,
    }
    /// A user kept the plan of the run as it is.
    PlanChangeIgnored (formerly "PlanLeft") {
        offer: OfferId,
    }
    PhaseAdded {
        phase: Box<PlannedPhase>,
    }
    /// Name or predecessors of a phase changed in the plan.
    PhaseChanged {
        phase: PhaseNumber,
        name: String,
        /// Phases whose gates must pass first.
        after: Vec<PhaseNumber>,
    }
    /// The plan changed a task. Changed dependencies have events of their own.
    TaskChanged {
        task: Box<PlannedTask>,
        fields: Vec<PlanField>,
    }

    /// A session was created. Its process is started next, unless the level is built in.
    SessionOpened {
        session: SessionId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<SessionId>,
        /// 0 orchestrator, 1 operator, 2 worker.
        depth: u32,
        role: Role,
        /// `None` if the level is built in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<AgentName>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        /// Set for operators and verifiers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        phase: Option<PhaseNumber>,
        /// Session whose agent's own memory is resumed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resumes: Option<SessionId>,
    }
    /// The process of a session runs.
    SessionActivated {
        session: SessionId,
        /// The agent's own session id, if it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent_session: Option<String>,
    }
    /// A waiting session moved to a cheaper state.
    SessionParked {
        session: SessionId,
        mode: ParkMode,
    }
    /// A parked session is needed again.
    SessionWoken {
        session: SessionId,
    }
    /// A session is no longer needed; its process is ended next.
    SessionDismissed {
        session: SessionId,
    }
    /// A user wants the process of a session to end; it is ended next.
    SessionStopRequested {
        session: SessionId,
    }
    /// The process of the session was told to end. Its end has its own event, which may come before.
    SessionStopFinished {
        session: SessionId,
        /// Why it could not be told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    }
    /// A user typed into the terminal of a session. The text is only in the session's spool: it may be a password.
    KeysTyped {
        session: SessionId,
        bytes: u64,
    }
    /// The process of a session exited.
    SessionEnded {
        session: SessionId,
        /// `None` if a signal ended it.
        exit_status: Option<i32>,
    }
    /// The process of a session disappeared without an exit status.
    SessionLost {
        session: SessionId,
        reason: String,
    }
    /// An input for a session was queued.
    InputQueued {
        session: SessionId,
        input: InputNumber,
        content: Box<SessionInput>,
    }
    /// A queued input was written to the agent.
    InputSent (formerly "InputTyped") {
        session: SessionId,
        input: InputNumber,
        /// The text as the agent received it, without the session's key. Older logs do not have it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// Tree of the task's worktree just before, if the input begins a round of work or denies a permission.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tree: Option<String>,
    }
    /// A valid protocol message of an agent.
    MessageReceived (formerly "MessageHeard") {
        #[serde(alias = "heard")]
        offset: MessageOffset,
        session: SessionId,
        /// Spool offset from which a new reader starts after a restart.
        read_from: u64,
        #[serde(alias = "said")]
        message: Box<AgentMessage>,
    }
    /// An invalid or disallowed protocol message of an agent.
    MessageRejected (formerly "MessageRefused") {
        session: SessionId,
        #[serde(alias = "heard")]
        offset: MessageOffset,
        read_from: u64,
        /// Message type that the agent attempted.
        protocol: String,
        error: String,
        raw: String,
    }
    /// Agent output that nearly is a protocol message.
    NearMissReceived (formerly "NearMissHeard") {
        session: SessionId,
        #[serde(alias = "heard")]
        offset: MessageOffset,
        read_from: u64,
        /// Message type that it resembles.
        near: String,
        raw: String,
    }
    TurnEnded {
        session: SessionId,
        read_from: u64,
        #[serde(alias = "words")]
        text: String,
        #[serde(default, skip_serializing_if = "TurnTools::is_empty")]
        tools: TurnTools,
    }
    /// The agent's process ended in the middle of a turn.
    TurnInterrupted (formerly "TurnCut") {
        session: SessionId,
        read_from: u64,
        #[serde(alias = "words")]
        text: String,
        #[serde(default, skip_serializing_if = "TurnTools::is_empty")]
        tools: TurnTools,
    }

    QuestionAsked {
        question: QuestionId,
        session: SessionId,
        /// `None` if it concerns the run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        kind: QuestionKind,
        /// Set if the agent named one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        category: Option<QuestionCategory>,
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        options: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        default: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<String>,
        /// Whether the agent cannot continue without an answer.
        required: bool,
        /// Set if the agent asks for a permission.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        permission: Option<PermissionRequest>,
        /// Pattern of similar requests that the user may decide with this one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        similar: Option<String>,
        /// The agent's own id of a prompt inside its turn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt: Option<String>,
        /// Set if Jangdan asks in place of the agent, because its work has no evidence.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        evidence_gap: Option<EvidenceGap>,
        /// Set if Jangdan asks whether to commit untracked files above the size limit.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        large_files: Vec<LargeFile>,
        #[serde(alias = "holdsUp")]
        blocks: BlockedWork,
    }
    /// A question reached the party that must answer it.
    QuestionRouted {
        question: QuestionId,
        to: QuestionRoute,
    }
    /// The orchestrator forwarded a question to the user in its own words.
    QuestionForwarded {
        question: QuestionId,
        text: String,
    }
    /// The answering party replied with a question.
    ClarificationRequested (formerly "QuestionAskedBack") {
        question: QuestionId,
        text: String,
    }
    QuestionAnswered {
        question: QuestionId,
        answer: String,
        /// Why a permission is denied; the agent is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    }
    /// The answer reached the session that asked.
    QuestionDelivered {
        question: QuestionId,
        /// The asking session or its successor.
        session: SessionId,
    }
    /// The task continues with the answer.
    QuestionResumed {
        question: QuestionId,
    }
    /// The answer is no longer needed.
    QuestionWithdrawn {
        question: QuestionId,
        reason: String,
    }
    /// The question was not answered in time.
    QuestionExpired {
        question: QuestionId,
        /// The default, if it was taken as the answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[serde(alias = "tookDefault")]
        default_used: Option<String>,
    }
    /// An agent asked unusually many questions in a phase.
    ManyQuestionsAsked (formerly "QuestionsPiledUp") {
        agent: AgentName,
        phase: PhaseNumber,
        count: u32,
    }
    /// A permission request was decided by the policy.
    PermissionDecided (formerly "PermissionJudged") {
        session: SessionId,
        #[serde(alias = "wish")]
        request: PermissionRequest,
        allowed: bool,
        /// The rule that decided.
        rule: String,
    }
    /// A permission decision was saved as a rule.
    PermissionRuleSaved (formerly "PermissionKept") {
        #[serde(alias = "keep")]
        scope: PermissionScope,
        /// Set if the rule applies to one task.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        pattern: String,
        allowed: bool,
    }

    /// An agent requested a dependency: key, variable, file, service, permission or package.
    RequestMade {
        request: RequestId,
        session: SessionId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        #[serde(alias = "asked")]
        dependency: DependencyRequest,
        #[serde(alias = "holdsUp")]
        blocks: BlockedWork,
    }
    /// A user provides what an agent requested, or its default is used. The agent is told when the executor has delivered it.
    ProvisionStarted {
        request: RequestId,
        provided: ProvidedResource,
        /// Whether the agent's own default is used.
        #[serde(default)]
        default: bool,
        /// Whether a user skipped the request.
        #[serde(default)]
        skipped: bool,
    }
    /// A resource could not be delivered. The request is open again.
    ProvisionFailed {
        request: RequestId,
        error: String,
    }
    /// The requested resource is there: the agent can use it.
    RequestProvided {
        request: RequestId,
        provided: ProvidedResource,
        /// Whether the agent's own default was used.
        #[serde(default)]
        default: bool,
        /// What was changed and verified, such as the lines of a manifest. Never a value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    }
    RequestRefused {
        request: RequestId,
        reason: String,
    }
    RequestSkipped {
        request: RequestId,
        /// The agent's default, if it was delivered in place of the resource.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provided: Option<ProvidedResource>,
    }
    /// The agent was told that its request was provided or refused.
    RequestDelivered {
        request: RequestId,
        /// The requesting session or its successor.
        session: SessionId,
    }

    /// An agent called another agent.
    InvocationMade {
        invocation: InvocationId,
        caller: SessionId,
        callee: AgentName,
        #[serde(alias = "wanted")]
        task: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<String>,
    }
    /// The called agent started working.
    InvocationStarted {
        invocation: InvocationId,
        session: SessionId,
    }
    InvocationEnded {
        invocation: InvocationId,
        outcome: AgentInvocationOutcome,
    }
    /// An agent produced a result for another agent.
    ResultSubmitted {
        result: ResultId,
        from: SessionId,
        to: AgentName,
        result_type: ResultType,
        content: String,
    }
    ResultDelivered {
        result: ResultId,
        session: SessionId,
    }
    /// A direct channel between two sessions was created.
    ChannelCreated {
        channel: ChannelId,
        session_a: SessionId,
        session_b: SessionId,
    }
    ChannelClosed {
        channel: ChannelId,
    }
    DirectMessageSent {
        message: DirectMessageId,
        channel: ChannelId,
        from: SessionId,
        to: SessionId,
        direct_type: DirectType,
        content: String,
    }
    /// The message was queued for the receiving session.
    DirectMessageReceived {
        message: DirectMessageId,
    }
    /// The message was written to the receiving session.
    DirectMessageAcknowledged {
        message: DirectMessageId,
    }

    /// An agent reported its phase as complete.
    PhaseCompletionReported (formerly "PhaseCompletionSaid") {
        phase: PhaseNumber,
        session: SessionId,
        documents: Vec<String>,
    }
    /// A phase reached its gate.
    GateOpened {
        phase: PhaseNumber,
        round: u32,
        documents: Vec<String>,
    }
    /// The checks of the gate ended.
    GateChecked {
        phase: PhaseNumber,
        round: u32,
        report: GateReport,
    }
    /// A verifier session started to judge the phase.
    GateVerifierStarted (formerly "GateJudgeOpened") {
        phase: PhaseNumber,
        round: u32,
        session: SessionId,
    }
    /// The verifier judged the phase.
    GateVerdictGiven {
        phase: PhaseNumber,
        round: u32,
        session: SessionId,
        verdict: GateVerdict,
    }
    /// All checks passed; the phase awaits approval.
    GatePassed {
        phase: PhaseNumber,
        round: u32,
        #[serde(alias = "holdsUp")]
        blocks: BlockedWork,
    }
    /// The phase was approved; the next one may start.
    GateApproved {
        phase: PhaseNumber,
        /// Whether it was approved despite failed checks.
        waived: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    }
    /// The phase did not pass.
    GateFailed {
        phase: PhaseNumber,
        round: u32,
        reason: String,
        /// Tasks to be reworked.
        tasks: Vec<TaskId>,
    }
    /// A task of a phase at its gate was started again: what the gate examined is not all of its work.
    GateReopened {
        phase: PhaseNumber,
        round: u32,
        task: TaskId,
    }

    /// A feedback loop of implementing and testing started.
    LoopStarted {
        feedback_loop: LoopId,
        task: TaskId,
        /// `None` if a command tests.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tester: Option<AgentName>,
    }
    LoopRoundFailed {
        feedback_loop: LoopId,
        round: u32,
        feedback: TestFeedback,
    }
    LoopEnded {
        feedback_loop: LoopId,
        outcome: FeedbackLoopOutcome,
    }

    EscalationRaised {
        escalation: EscalationId,
        kind: EscalationType,
        severity: Severity,
        subject: EscalationSubject,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
        title: String,
        /// `None` if an agent wrote the title, and in older logs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<EscalationCause>,
        description: String,
        context: String,
        suggested: Vec<EscalationAction>,
        #[serde(alias = "holdsUp")]
        blocks: BlockedWork,
    }
    /// An escalation moved up to the next level.
    EscalationForwarded (formerly "EscalationClimbed") {
        escalation: EscalationId,
        to: EscalationLevel,
        /// `None` for the user and for built-in levels.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
    }
    EscalationResolved {
        escalation: EscalationId,
        /// `None` if the cause disappeared.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        action: Option<EscalationAction>,
        note: String,
    }

    /// An agent reported an error.
    ErrorReported {
        session: SessionId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        error: AgentError,
    }
    UsageReported {
        session: SessionId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        usage: Usage,
    }
    BudgetRaised {
        subject: EscalationSubject,
        budget: Budget,
    }
    /// A limit no longer applies to a subject.
    LimitWaived {
        subject: EscalationSubject,
        limit: EscalationType,
    }

    /// A checkpoint is created next.
    CheckpointRequested (formerly "CheckpointOrdered") {
        checkpoint: CheckpointId,
        task: TaskId,
        reason: CheckpointReason,
    }
    CheckpointFinished {
        checkpoint: CheckpointId,
        outcome: CheckpointOutcome,
    }
    /// Two unfinished tasks changed the same files.
    OverlapDetected (formerly "OverlapSeen") {
        overlap: TaskOverlap,
    }
    /// Two tasks no longer change common files, or one of them ended.
    OverlapResolved (formerly "OverlapGone") {
        /// In ascending order.
        tasks: [TaskId; 2],
    }
    /// A task got no worktree; no task starts until disk space is available.
    DiskBudgetExhausted (formerly "RoomRanOut") {
        escalation: EscalationId,
        task: TaskId,
    }
    /// An effect could not be executed, for a reason that does not concern the work; it is executed again later.
    EffectPostponed {
        effect: EffectId,
        retry_at: Timestamp,
        #[serde(default, skip_serializing_if = "PostponementCause::is_disk_full")]
        cause: PostponementCause,
        error: String,
    }
    /// A postponed effect is executed again, under the id that this event gives it.
    EffectRetried {
        effect: EffectId,
    }
    /// An effect without an event of its own ended.
    EffectFinished {
        effect: EffectId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    }

    /// A command of a user was carried out. Its events are directly before this one.
    CommandExecuted {
        /// Name of the command and the object that it names.
        command: String,
        origin: CommandOrigin,
    }
    /// The system clock was set, or the machine was suspended: time limits move by the difference.
    ClockJumped {
        by_ms: i64,
    }

    /// A user wrote in the chat of the run.
    ChatMessageSent (formerly "ChatSaid") {
        text: String,
        /// Set if the message answered a question.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answers: Option<QuestionId>,
    }
    /// No orchestrator agent is configured: the chat was answered with the status of the run.
    ChatAnsweredWithStatus (formerly "ChatUnheard") {
        /// Done and skipped tasks.
        n_done: u32,
        n_tasks: u32,
        /// The first running tasks.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        running: Vec<TaskId>,
        n_running: u32,
        /// The first pending questions.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        questions: Vec<QuestionId>,
        /// Items in the inbox.
        n_waiting: u32,
    }
    /// The orchestrator did not reply to the chat in time. The run no longer waits for the reply.
    ChatReplyOverdue {
        session: SessionId,
    }
    /// The main agent of a thin run asked which tasks can start.
    ResolveRequested (formerly "ResolveAsked") {
        session: SessionId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        phase: Option<PhaseNumber>,
    }
    ResolveAnswered {
        session: SessionId,
        line: String,
    }
}
