//! The state of one run and its two entry points, `decide` and `apply`.
//!
//! Invariant: only `apply` changes the state, so that replaying a log always gives the same state.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use domain::{
    ChannelId, EffectId, EscalationId, InvocationId, OfferId, PhaseNumber, PlanChanges, PlanTaskIds,
    QuestionId, RequestId, ResultId, RunOutcome, RunSettings, Sequence, SessionId, TaskId, TaskOverlap,
    Timestamp,
};

use crate::{
    effect::{Effect, MergedCommits},
    effect_sink::PendingEffects,
    graph::{Graph, Node},
    schedule::{Schedule, ScheduleLimits},
    state::{
        BudgetUsage, Checkpoint, DirectMessage, DirectMessageChannel, Escalation, FeedbackLoop, Invocation,
        Phase, Question, Request, Session, SubmittedResult, Task, TaskIndex, TaskStage, TaskState, Team,
        WorkItem,
    },
    table::Table,
    timers::Timers,
};

#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub(crate) sequence: Sequence,
    pub(crate) status: RunStatus,
    /// Name of the project.
    pub(crate) project: String,
    pub(crate) settings: RunSettings,
    /// False for a run that an earlier version started: its agents do not know that DONE needs evidence.
    pub(crate) is_evidence_required: bool,
    pub(crate) team: Team,
    pub(crate) tasks: Vec<Task>,
    /// Ids that messages of agents may name.
    pub(crate) plan_task_ids: PlanTaskIds,
    pub(crate) task_refs: HashMap<TaskId, TaskIndex>,
    pub(crate) nodes: Vec<NodeKind>,
    pub(crate) schedule: Schedule,
    pub(crate) phases: BTreeMap<PhaseNumber, Phase>,
    pub(crate) externals: BTreeMap<String, Node>,
    /// Phases with a merged task that waits for the approval of its own gate.
    pub(crate) marked_phases: BTreeSet<PhaseNumber>,
    pub(crate) sessions: Table<Session>,
    /// Sessions that have not ended, with or without a process.
    pub(crate) alive: BTreeSet<SessionId>,
    /// The orchestrator's session, parent of all others.
    pub(crate) root_session: Option<SessionId>,
    pub(crate) orchestrator_losses: u32,
    pub(crate) questions: Table<Question>,
    pub(crate) open_questions: BTreeSet<QuestionId>,
    /// Questions asked so far, by "{phase} {agent}".
    pub(crate) question_counts: BTreeMap<String, u32>,
    pub(crate) requests: Table<Request>,
    pub(crate) open_requests: BTreeSet<RequestId>,
    pub(crate) invocations: Table<Invocation>,
    /// Calls that no session has taken yet, oldest first.
    pub(crate) pending_calls: VecDeque<InvocationId>,
    pub(crate) open_calls: BTreeSet<InvocationId>,
    pub(crate) results: Table<SubmittedResult>,
    pub(crate) pending_results: BTreeSet<ResultId>,
    pub(crate) channels: Table<DirectMessageChannel>,
    pub(crate) open_channels: BTreeSet<ChannelId>,
    pub(crate) messages: Table<DirectMessage>,
    pub(crate) loops: Table<FeedbackLoop>,
    pub(crate) escalations: Table<Escalation>,
    pub(crate) open_escalations: BTreeSet<EscalationId>,
    pub(crate) checkpoints: Table<Checkpoint>,
    /// Tasks that wait to be merged, oldest first.
    pub(crate) mergeable: VecDeque<TaskIndex>,
    pub(crate) merging: Option<TaskIndex>,
    /// The last commit that a merge made on the run's branch.
    pub(crate) merged_commit: Option<String>,
    /// The tasks merged last, oldest first.
    pub(crate) last_merged: VecDeque<TaskIndex>,
    /// Files that two unfinished tasks both changed, according to the executor's last report.
    pub(crate) overlaps: Vec<TaskOverlap>,
    /// Saved permission answers for the whole run: pattern, and whether it is allowed.
    pub(crate) permission_rules: Vec<(String, bool)>,
    pub(crate) budget_usage: BudgetUsage,
    /// The open escalation about the run's time limit; nothing starts until it is resolved.
    pub(crate) time_limit_escalation: Option<EscalationId>,
    /// The open escalation about a ref that another program moved; nothing starts until it is resolved.
    pub(crate) moved_ref_escalation: Option<EscalationId>,
    /// The open escalation about the disk budget for worktrees.
    pub(crate) disk_budget_escalation: Option<EscalationId>,
    /// The open escalation about a full disk.
    pub(crate) disk_full_escalation: Option<EscalationId>,
    /// The main agent that tasks wait for, and its read position when that was last checked.
    pub(crate) watched_orchestrator: Option<(SessionId, u64)>,
    /// The open escalation about a silent main agent, and the value of `watched_orchestrator` when it was raised.
    pub(crate) silence_escalation: Option<(EscalationId, (SessionId, u64))>,
    /// Messages of the user that the orchestrator has not received yet.
    pub(crate) unread_chats: VecDeque<String>,
    /// Main agents that wait for a reply to RESOLVE_NEXT, with the phase they asked about.
    pub(crate) resolve_requests: BTreeMap<SessionId, Option<PhaseNumber>>,
    pub(crate) timers: Timers,
    pub(crate) pending_effects: PendingEffects,
    /// Number of landings requested so far.
    pub(crate) landings: u32,
    /// Number of cleanups requested so far.
    pub(crate) cleanups: u32,
    /// Number of plan changes detected so far.
    pub(crate) offers: u32,
    /// The plan change that can be applied or ignored now.
    pub(crate) offer: Option<PlanChangeOffer>,
    /// The plan change that the user ignored last; it is not offered again.
    pub(crate) ignored_offer: Option<PlanChangeOffer>,
    /// Tasks and sessions whose follow-up events are not decided yet: those that changed, or depend on something that
    /// did. Empty between inputs.
    pub(crate) affected_tasks: BTreeSet<TaskIndex>,
    pub(crate) affected_sessions: BTreeSet<SessionId>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PlanChangeOffer {
    pub(crate) id: OfferId,
    pub(crate) changes: Box<PlanChanges>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunStatus {
    NotStarted,
    Active,
    Paused,
    Ended(RunOutcome),
}

/// What a node of the graph represents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NodeKind {
    Task(TaskIndex),
    Gate(PhaseNumber),
    External,
}

impl Default for Run {
    fn default() -> Self {
        Self::new()
    }
}

impl Run {
    /// Returns the open calls that a session made.
    pub(crate) fn open_calls_made_by(&self, session: SessionId) -> impl Iterator<Item = InvocationId> {
        let is_caller = move |id: &InvocationId| self.invocations.get(id.0).caller == Some(session);
        self.open_calls.iter().copied().filter(is_caller)
    }

    /// Returns whether a session waits for an answer, a resource, a call or a rate limit.
    pub(crate) fn is_session_waiting(&self, session: SessionId) -> bool {
        let sender = self.session(session);
        let is_own = |id: &RequestId| self.requests.get(id.0).session == Some(session);
        !sender.questions.is_empty()
            || sender.rate_limited
            || self.open_calls_made_by(session).next().is_some()
            || self.open_requests.iter().any(is_own)
    }

    /// Returns whether the end of a session's turn, with this text, is its reply to the user's chat message.
    ///
    /// A turn that waits for something, or that consists of an invalid message, is followed by the reply.
    pub(crate) fn replies_to_chat(&self, session: SessionId, text: &str) -> bool {
        let sender = self.session(session);
        sender.current_item == Some(WorkItem::Chat)
            && !self.is_session_waiting(session)
            && (sender.corrections.is_empty() || !text.trim().is_empty())
    }

    /// Creates a run that has not started.
    pub fn new() -> Self {
        let limits = ScheduleLimits { slots: RunSettings::default().slots, agents: Vec::new(), memory: None };
        Self {
            sequence: Sequence(0),
            status: RunStatus::NotStarted,
            project: String::new(),
            settings: RunSettings::default(),
            is_evidence_required: true,
            team: Team::default(),
            tasks: Vec::new(),
            plan_task_ids: PlanTaskIds::default(),
            task_refs: HashMap::new(),
            nodes: Vec::new(),
            schedule: Schedule::new(Graph::default(), Vec::new(), limits),
            phases: BTreeMap::new(),
            externals: BTreeMap::new(),
            marked_phases: BTreeSet::new(),
            sessions: Table::default(),
            alive: BTreeSet::new(),
            root_session: None,
            orchestrator_losses: 0,
            questions: Table::default(),
            open_questions: BTreeSet::new(),
            question_counts: BTreeMap::new(),
            requests: Table::default(),
            open_requests: BTreeSet::new(),
            invocations: Table::default(),
            pending_calls: VecDeque::new(),
            open_calls: BTreeSet::new(),
            results: Table::default(),
            pending_results: BTreeSet::new(),
            channels: Table::default(),
            open_channels: BTreeSet::new(),
            messages: Table::default(),
            loops: Table::default(),
            escalations: Table::default(),
            open_escalations: BTreeSet::new(),
            checkpoints: Table::default(),
            mergeable: VecDeque::new(),
            merging: None,
            merged_commit: None,
            last_merged: VecDeque::new(),
            overlaps: Vec::new(),
            permission_rules: Vec::new(),
            budget_usage: BudgetUsage::default(),
            time_limit_escalation: None,
            moved_ref_escalation: None,
            disk_budget_escalation: None,
            disk_full_escalation: None,
            watched_orchestrator: None,
            silence_escalation: None,
            unread_chats: VecDeque::new(),
            resolve_requests: BTreeMap::new(),
            timers: Timers::default(),
            pending_effects: PendingEffects::default(),
            landings: 0,
            cleanups: 0,
            offers: 0,
            offer: None,
            ignored_offer: None,
            affected_tasks: BTreeSet::new(),
            affected_sessions: BTreeSet::new(),
        }
    }

    /// Returns the sequence number of the last applied event.
    pub fn sequence(&self) -> Sequence {
        self.sequence
    }

    /// Returns when the next [`Report::TimerFired`](domain::Report::TimerFired) is due.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        match self.status {
            RunStatus::Active | RunStatus::Paused => self.timers.earliest().map(|(at, _)| at),
            // An ended run only finishes its effects.
            RunStatus::Ended(_) => self.pending_effects.next_retry_at(),
            RunStatus::NotStarted => None,
        }
    }

    /// Returns the effects that have not been reported yet, in order. After a restart they are executed again.
    pub fn pending_effects(&self) -> Vec<(EffectId, Effect)> {
        let mut effects: Vec<_> = self.pending_effects.iter_executing().cloned().collect();
        effects.sort_by_key(|(id, _)| *id);
        effects
    }

    /// Returns the merges of all phases, in no particular order.
    pub fn merged_commits(&self) -> Vec<MergedCommits> {
        self.phases.values().flat_map(|phase| phase.merges.iter().cloned()).collect()
    }

    /// Returns how the run ended, `None` while it has not.
    pub fn outcome(&self) -> Option<RunOutcome> {
        match self.status {
            RunStatus::Ended(outcome) => Some(outcome),
            RunStatus::NotStarted | RunStatus::Active | RunStatus::Paused => None,
        }
    }

    /// Returns whether tasks wait for disk space for their worktrees.
    pub fn is_disk_budget_exhausted(&self) -> bool {
        self.disk_budget_escalation.is_some()
    }

    /// Returns the state of a task as clients see it.
    pub fn task_state(&self, id: &TaskId) -> Option<TaskState> {
        let task = self.task(self.find_task(id)?);
        if task.is_blocked() && !task.stage.is_final() {
            return Some(TaskState::Blocked(task.block_reasons.clone()));
        }
        let state = match task.stage {
            TaskStage::Waiting => TaskState::Waiting,
            TaskStage::Ready => TaskState::Ready,
            TaskStage::Done => TaskState::Done,
            TaskStage::Failed => TaskState::Failed,
            TaskStage::Skipped => TaskState::Skipped,
            TaskStage::Cancelled => TaskState::Cancelled,
            TaskStage::Running(_) | TaskStage::AttemptFailed => TaskState::Running,
            TaskStage::Claimed(_)
            | TaskStage::Accepted
            | TaskStage::Checking
            | TaskStage::Checked
            | TaskStage::ChecksFailed
            | TaskStage::Testing => TaskState::Checking,
            TaskStage::Mergeable(_)
            | TaskStage::Merging(_)
            | TaskStage::Conflicted
            | TaskStage::Merged(_) => TaskState::Merging,
        };
        let has_slot = self.schedule.running().contains(&task.node);
        Some(if task.stage.is_in_progress() && !has_slot { TaskState::Ready } else { state })
    }

    /// Returns the ids of all tasks, in the order in which they were added.
    pub fn task_ids(&self) -> impl Iterator<Item = &TaskId> {
        self.tasks.iter().map(|task| &task.planned.id)
    }

    /// Returns whether no task may start although the run is not paused.
    pub(crate) fn is_start_withheld(&self) -> bool {
        self.time_limit_escalation.is_some() || self.moved_ref_escalation.is_some()
    }

    pub(crate) fn find_task(&self, id: &TaskId) -> Option<TaskIndex> {
        self.task_refs.get(id).copied()
    }

    #[expect(
        clippy::expect_used,
        reason = "a TaskIndex is created only for an added task, and tasks are never removed"
    )]
    pub(crate) fn task(&self, task: TaskIndex) -> &Task {
        self.tasks.get(task.0 as usize).expect("a TaskIndex refers to an existing task")
    }

    /// Returns a task that is about to change, and marks it as affected.
    pub(crate) fn task_mut(&mut self, task: TaskIndex) -> Option<&mut Task> {
        let state = self.tasks.get_mut(task.0 as usize)?;
        self.affected_tasks.insert(task);
        Some(state)
    }

    /// Marks a task and its session: what the session may do depends on the stage of its task, its blocks and its slot.
    pub(crate) fn mark_task_affected(&mut self, task: TaskIndex) {
        self.affected_tasks.insert(task);
        self.affected_sessions.extend(self.task(task).session());
    }

    /// Marks all tasks in progress and all sessions, because the run proceeds again.
    pub(crate) fn mark_all_affected(&mut self) {
        let in_progress = (0..).zip(&self.tasks).filter(|(_, task)| task.stage.is_in_progress());
        self.affected_tasks.extend(in_progress.map(|(number, _)| TaskIndex(number)));
        self.affected_sessions.extend(&self.alive);
    }

    pub(crate) fn session(&self, session: SessionId) -> &Session {
        self.sessions.get(session.0)
    }

    /// Returns a session that is about to change, and marks it as affected.
    pub(crate) fn session_mut(&mut self, session: SessionId) -> Option<&mut Session> {
        let state = self.sessions.get_mut(session.0)?;
        self.affected_sessions.insert(session);
        Some(state)
    }

    /// Returns a session for a change that leaves nothing to decide: it follows from a decision about the session, or
    /// is only recorded.
    pub(crate) fn session_mut_unmarked(&mut self, session: SessionId) -> Option<&mut Session> {
        self.sessions.get_mut(session.0)
    }

    /// Returns the session of the orchestrator agent, if it is running.
    pub(crate) fn orchestrator(&self) -> Option<SessionId> {
        self.root_session.filter(|root| self.session(*root).agent.is_some() && self.session(*root).is_alive())
    }

    /// Returns the check command of a task: its own, else its phase's, else the run's.
    pub(crate) fn check_of_task(&self, task: TaskIndex) -> Option<&String> {
        let planned = &self.task(task).planned;
        let phase_check = || self.phases.get(&planned.phase).and_then(|phase| phase.verify.as_ref());
        planned.verify.as_ref().or_else(phase_check).or(self.settings.verify.as_ref())
    }
}
