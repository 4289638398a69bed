//! One run: what is known of it, and the two ways in, `decide` and `apply`.
//!
//! Invariant: the state changes in `apply` alone, so that the same log always gives the same state.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use domain::{
    ChannelId, EffectId, EscalationId, InvocationId, OfferId, PhaseNumber, PlanChanges, QuestionId,
    RequestId, ResultId, RunOutcome, RunSettings, Sequence, SessionId, TaskId, TaskOverlap, Timestamp,
};

use crate::{
    effect::Effect,
    effect_sink::PendingEffects,
    graph::{Graph, Node},
    guard::{Guard, Guards},
    schedule::{Schedule, ScheduleLimits},
    state::{
        BudgetUsage, Channel, Checkpoint, DirectMessage, Escalation, FeedbackLoop, Invocation, Phase,
        Question, Request, Session, SubmittedResult, Task, TaskRef, TaskStage, TaskState, Team,
    },
    table::Table,
    timers::Timers,
};

/// The state of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub(crate) sequence: Sequence,
    pub(crate) status: RunStatus,
    pub(crate) settings: RunSettings,
    pub(crate) team: Team,
    pub(crate) tasks: Vec<Task>,
    pub(crate) task_refs: HashMap<TaskId, TaskRef>,
    pub(crate) nodes: Vec<NodeKind>,
    pub(crate) schedule: Schedule,
    pub(crate) phases: BTreeMap<PhaseNumber, Phase>,
    pub(crate) externals: BTreeMap<String, Node>,
    /// Phases with a task that waits for the gate itself.
    pub(crate) marked_phases: BTreeSet<PhaseNumber>,
    pub(crate) sessions: Table<Session>,
    /// Those that have not ended, with or without a process.
    pub(crate) alive: BTreeSet<SessionId>,
    /// The level at the top of the tree.
    pub(crate) root_session: Option<SessionId>,
    /// How often the orchestrator agent was lost.
    pub(crate) orchestrator_losses: u32,
    pub(crate) questions: Table<Question>,
    pub(crate) open_questions: BTreeSet<QuestionId>,
    /// How often an agent asked in a phase.
    pub(crate) question_counts: BTreeMap<String, u32>,
    pub(crate) requests: Table<Request>,
    pub(crate) open_requests: BTreeSet<RequestId>,
    pub(crate) invocations: Table<Invocation>,
    /// Calls that nobody has taken yet, in their order.
    pub(crate) pending_calls: VecDeque<InvocationId>,
    pub(crate) open_calls: BTreeSet<InvocationId>,
    pub(crate) results: Table<SubmittedResult>,
    pub(crate) pending_results: BTreeSet<ResultId>,
    pub(crate) channels: Table<Channel>,
    pub(crate) open_channels: BTreeSet<ChannelId>,
    pub(crate) messages: Table<DirectMessage>,
    pub(crate) loops: Table<FeedbackLoop>,
    pub(crate) escalations: Table<Escalation>,
    pub(crate) open_escalations: BTreeSet<EscalationId>,
    pub(crate) checkpoints: Table<Checkpoint>,
    /// Tasks that wait for their turn to be merged.
    pub(crate) mergeable: VecDeque<TaskRef>,
    pub(crate) merging: Option<TaskRef>,
    /// Files that two unfinished tasks both changed, as far as the world has told.
    pub(crate) overlaps: Vec<TaskOverlap>,
    /// Choices about permissions that hold for the run.
    pub(crate) permission_rules: Vec<(String, bool)>,
    pub(crate) budget_usage: BudgetUsage,
    /// The escalation that lets nothing start until somebody allows more.
    pub(crate) time_limit_escalation: Option<EscalationId>,
    /// The escalation that says that there is no room for another worktree.
    pub(crate) disk_budget_escalation: Option<EscalationId>,
    /// The main agent that tasks wait for, and how far it was read when that was last seen.
    pub(crate) watched_orchestrator: Option<(SessionId, u64)>,
    /// The escalation that says that it says nothing, and what was seen then.
    pub(crate) silence_escalation: Option<(EscalationId, (SessionId, u64))>,
    /// What the person said and the orchestrator has not heard yet.
    pub(crate) unread_chats: VecDeque<String>,
    /// Main agents that wait for something to do, and in which phase.
    pub(crate) resolve_requests: BTreeMap<SessionId, Option<PhaseNumber>>,
    pub(crate) timers: Timers,
    pub(crate) pending_effects: PendingEffects,
    /// How many changes of the plan file were offered.
    pub(crate) offers: u32,
    /// The one that may be taken.
    pub(crate) offer: Option<PlanChangeOffer>,
    /// The last one that somebody left: it is not offered again.
    pub(crate) ignored_offer: Option<PlanChangeOffer>,
    pub(crate) guards: Guards,
}

/// A change of the plan file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PlanChangeOffer {
    pub(crate) id: OfferId,
    pub(crate) changes: Box<PlanChanges>,
}

/// Whether the run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunStatus {
    NotStarted,
    Active,
    Paused,
    Ended(RunOutcome),
}

/// What a node of the graph stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NodeKind {
    Task(TaskRef),
    Gate(PhaseNumber),
    External,
}

impl Default for Run {
    fn default() -> Self {
        Self::new()
    }
}

impl Run {
    /// Returns a run that has not started.
    pub fn new() -> Self {
        let limits = ScheduleLimits { slots: RunSettings::default().slots, agents: Vec::new(), memory: None };
        Self {
            sequence: Sequence(0),
            status: RunStatus::NotStarted,
            settings: RunSettings::default(),
            team: Team::default(),
            tasks: Vec::new(),
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
            overlaps: Vec::new(),
            permission_rules: Vec::new(),
            budget_usage: BudgetUsage::default(),
            time_limit_escalation: None,
            disk_budget_escalation: None,
            watched_orchestrator: None,
            silence_escalation: None,
            unread_chats: VecDeque::new(),
            resolve_requests: BTreeMap::new(),
            timers: Timers::default(),
            pending_effects: PendingEffects::default(),
            offers: 0,
            offer: None,
            ignored_offer: None,
            guards: Guards::default(),
        }
    }

    /// Returns a run with one guard switched off.
    #[cfg(feature = "fault-injection")]
    pub fn without_guard(guard: Guard) -> Self {
        Self { guards: Guards::without(guard), ..Self::new() }
    }

    /// Returns the place of the last event that it knows of.
    pub fn sequence(&self) -> Sequence {
        self.sequence
    }

    /// Returns when the clock should look again.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        match self.status {
            RunStatus::Active | RunStatus::Paused => self.timers.first().map(|(at, _)| at),
            RunStatus::NotStarted | RunStatus::Ended(_) => None,
        }
    }

    /// Returns what the world was told and has not reported yet. After a restart it is told again.
    pub fn pending_effects(&self) -> Vec<(EffectId, Effect)> {
        let mut orders: Vec<_> = self.pending_effects.iter().cloned().collect();
        orders.sort_by_key(|(id, _)| *id);
        orders
    }

    /// Returns how a run that is over came to its end.
    pub fn outcome(&self) -> Option<RunOutcome> {
        match self.status {
            RunStatus::Ended(outcome) => Some(outcome),
            RunStatus::NotStarted | RunStatus::Active | RunStatus::Paused => None,
        }
    }

    /// Tells whether tasks wait for room for their worktrees.
    pub fn is_disk_budget_exhausted(&self) -> bool {
        self.disk_budget_escalation.is_some()
    }

    /// Returns what a task looks like from outside.
    pub fn task_state(&self, id: &TaskId) -> Option<TaskState> {
        let task = self.task(self.find(id)?);
        let state = match task.stage {
            TaskStage::Done => TaskState::Done,
            TaskStage::Failed => TaskState::Failed,
            TaskStage::Skipped => TaskState::Skipped,
            TaskStage::Cancelled => TaskState::Cancelled,
            _ if task.is_blocked() => TaskState::Blocked(task.block_reasons.clone()),
            TaskStage::Waiting => TaskState::Waiting,
            TaskStage::Ready => TaskState::Ready,
            _ if !self.schedule.running().contains(&task.node) => TaskState::Ready,
            TaskStage::Running | TaskStage::AttemptFailed => TaskState::Running,
            TaskStage::Claimed
            | TaskStage::Checking
            | TaskStage::Checked
            | TaskStage::ChecksFailed
            | TaskStage::Testing => TaskState::Checking,
            TaskStage::Mergeable | TaskStage::Merging | TaskStage::Conflicted | TaskStage::Merged => {
                TaskState::Merging
            }
        };
        Some(state)
    }

    /// Returns the ids of all tasks, in the plan's order.
    pub fn task_ids(&self) -> impl Iterator<Item = &TaskId> {
        self.tasks.iter().map(|task| &task.planned.id)
    }

    pub(crate) fn find(&self, id: &TaskId) -> Option<TaskRef> {
        self.task_refs.get(id).copied()
    }

    #[expect(
        clippy::expect_used,
        reason = "a reference is made where a task is added, and tasks are never taken away"
    )]
    pub(crate) fn task(&self, task: TaskRef) -> &Task {
        self.tasks.get(task.0 as usize).expect("every reference has its task")
    }

    pub(crate) fn task_mut(&mut self, task: TaskRef) -> Option<&mut Task> {
        self.tasks.get_mut(task.0 as usize)
    }

    pub(crate) fn session(&self, session: SessionId) -> &Session {
        self.sessions.get(session.0)
    }

    pub(crate) fn is_on(&self, guard: Guard) -> bool {
        self.guards.on(guard)
    }

    /// Returns the session of the orchestrator agent, where there is one that lives.
    pub(crate) fn orchestrator(&self) -> Option<SessionId> {
        self.root_session.filter(|root| self.session(*root).agent.is_some() && self.session(*root).is_alive())
    }

    /// Returns the command that judges a task.
    pub(crate) fn check_of(&self, task: TaskRef) -> Option<&String> {
        let planned = &self.task(task).planned;
        let of_phase = || self.phases.get(&planned.phase).and_then(|phase| phase.verify.as_ref());
        planned.verify.as_ref().or_else(of_phase).or(self.settings.verify.as_ref())
    }
}
