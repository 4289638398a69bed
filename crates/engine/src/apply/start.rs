//! Applies the start of a run and the addition of tasks.

use std::collections::BTreeMap;

use domain::{
    AgentName, OrchestrationMode, PhaseNumber, PlanStatus, PlannedTask, PlannedWork, RunSettings, TaskId,
    TeamMember, Timestamp,
};

use crate::{
    graph::{Graph, Node},
    run::{NodeKind, Run, RunStatus},
    schedule::{AgentIndex, HoldReason, Schedule, ScheduleLimits, TaskRequirements},
    state::{BudgetUsage, Deadline, Phase, Task, TaskIndex, TaskOrigin, TaskStage, Team},
    touched_paths::TouchedPaths,
};

/// Assumed duration of a small task if no duration was measured.
const SMALL_TASK_MS: u64 = 5 * 60_000;

impl Run {
    /// Scales an assumed duration to the pace observed in this run, unless its tasks have measured estimates: assumed
    /// durations are good for comparison only.
    pub(crate) fn scale_to_observed_pace(&self, assumed_ms: u64) -> u64 {
        if self.tasks.iter().any(|task| task.planned.estimate_ms.is_some()) {
            return assumed_ms;
        }
        let done = self.tasks.iter().filter(|task| task.stage == TaskStage::Done && task.attempt() > 0);
        let (worked_ms, weights) = done.fold((0_u64, 0_u64), |(worked_ms, weights), task| {
            (worked_ms.saturating_add(task.worked_ms()), weights + complexity_weight(&task.planned))
        });
        let small_task_ms = worked_ms.checked_div(weights).unwrap_or(0);
        (assumed_ms / SMALL_TASK_MS).saturating_mul(small_task_ms)
    }

    pub(super) fn apply_run_started(
        &mut self,
        at: Timestamp,
        work: &PlannedWork,
        settings: &RunSettings,
        team: &[TeamMember],
        is_evidence_required: bool,
    ) {
        self.status = RunStatus::Active;
        self.is_evidence_required = is_evidence_required;
        self.settings = settings.clone();
        self.team = Team { members: team.to_vec() };
        self.budget_usage = BudgetUsage::new(settings.budgets.iter().copied());
        if let Some(time) = settings.time_ms {
            self.timers.set(add_ms(at, time), Deadline::RunTimeout);
        }
        let layout = GraphLayout::new(work);
        self.externals = layout.externals.clone();
        self.nodes = layout.node_kinds();
        for (number, planned) in (0..).zip(&work.tasks) {
            let agent = self.agent_for_task(planned);
            self.plan_task_ids.insert(&planned.id);
            self.task_refs.insert(planned.id.clone(), TaskIndex(number));
            self.tasks.push(Task::new(
                planned.clone(),
                Node::from_index(number as usize),
                agent,
                settings.timeout_ms,
            ));
        }
        for phase in &work.phases {
            let of_phase = self.tasks.iter().zip(0..).filter(|(task, _)| task.planned.phase == phase.number);
            let node = layout.gates.get(&phase.number).copied().unwrap_or(Node::from_index(usize::MAX));
            let mut phase_state = Phase::new(phase, node);
            phase_state.tasks = of_phase.map(|(_, number)| TaskIndex(number)).collect();
            self.phases.insert(phase.number, phase_state);
        }
        self.build_schedule(work, &layout);
    }

    fn build_schedule(&mut self, work: &PlannedWork, layout: &GraphLayout) {
        let durations = layout.durations(work);
        // A plan with a cycle was rejected before the event was recorded.
        let edges = layout.edges(work);
        let graph =
            Graph::new(&durations, &edges).or_else(|_| Graph::new(&durations, &[])).unwrap_or_default();
        let mut requirements: Vec<Option<TaskRequirements>> =
            self.tasks.iter().map(|task| Some(task_requirements(&task.planned, task.agent))).collect();
        requirements.resize(layout.n_nodes(), None);
        let limits = ScheduleLimits {
            slots: self.settings.slots,
            agents: self.team.slots_per_agent(),
            memory: self.settings.memory_mib,
        };
        self.schedule = Schedule::with_barriers(graph, requirements, limits);
        for number in 0..self.tasks.len() {
            let task = TaskIndex(u32::try_from(number).unwrap_or(u32::MAX));
            self.apply_plan_status(task);
        }
    }

    fn apply_plan_status(&mut self, task: TaskIndex) {
        let (node, plan_status) = (self.task(task).node, self.task(task).planned.plan_status);
        match plan_status {
            PlanStatus::Open if self.settings.mode == OrchestrationMode::Thin => {
                self.schedule.hold(node, HoldReason::NotRequested)
            }
            PlanStatus::Open => {}
            PlanStatus::Done => {
                self.set_task_stage(task, TaskStage::Done);
                self.schedule.mark_met(node);
            }
            PlanStatus::Skipped => {
                self.set_task_stage(task, TaskStage::Skipped);
                self.schedule.mark_met(node);
            }
        }
    }

    pub(super) fn apply_task_added(&mut self, planned: &PlannedTask, origin: TaskOrigin) {
        let task = TaskIndex(u32::try_from(self.tasks.len()).unwrap_or(u32::MAX));
        let agent = self.agent_for_task(planned);
        let mut before: Vec<Node> = planned.external.iter().map(|name| self.external_node(name)).collect();
        let node_of = |id: &TaskId| self.find_task(id).map(|task_ref| self.task(task_ref).node);
        before.extend(planned.depends_on.iter().filter_map(node_of));
        before.extend(self.gates_before(planned.phase));
        let node =
            self.schedule.add_task(task_requirements(planned, agent), task_duration_ms(planned), &before);
        self.nodes.push(NodeKind::Task(task));
        self.plan_task_ids.insert(&planned.id);
        self.task_refs.insert(planned.id.clone(), task);
        let mut added = Task::new(planned.clone(), node, agent, self.settings.timeout_ms);
        added.origin = origin;
        self.tasks.push(added);
        let mut is_paused = false;
        if let Some(phase) = self.phases.get_mut(&planned.phase) {
            phase.tasks.push(task);
            is_paused = phase.paused;
            // No node depends on the new one, so no cycle can close.
            let _ = self.schedule.connect(node, phase.node);
        }
        if is_paused {
            self.schedule.hold(node, HoldReason::PhasePaused);
        }
        if self.disk_budget_escalation.is_some() {
            self.schedule.hold(node, HoldReason::DiskBudget);
        }
        self.apply_plan_status(task);
    }

    pub(crate) fn agent_for_task(&self, planned: &PlannedTask) -> AgentIndex {
        let named = planned.agent.as_ref().and_then(|name: &AgentName| self.team.agent_index(name));
        named.unwrap_or_else(|| self.team.default_worker())
    }
}

/// The node indices of a plan: tasks, then gates, then external dependencies.
pub(crate) struct GraphLayout {
    n_tasks: usize,
    gates: BTreeMap<PhaseNumber, Node>,
    externals: BTreeMap<String, Node>,
}

impl GraphLayout {
    pub(crate) fn new(work: &PlannedWork) -> Self {
        let n_tasks = work.tasks.len();
        let mut gates = BTreeMap::new();
        for phase in &work.phases {
            let node = Node::from_index(n_tasks + gates.len());
            gates.entry(phase.number).or_insert(node);
        }
        let mut externals = BTreeMap::new();
        for name in work.tasks.iter().flat_map(|task| &task.external) {
            let node = Node::from_index(n_tasks + gates.len() + externals.len());
            externals.entry(name.clone()).or_insert(node);
        }
        Self { n_tasks, gates, externals }
    }

    fn n_nodes(&self) -> usize {
        self.n_tasks + self.gates.len() + self.externals.len()
    }

    fn node_kinds(&self) -> Vec<NodeKind> {
        let tasks = (0..).take(self.n_tasks).map(|n| NodeKind::Task(TaskIndex(n)));
        let mut kinds: Vec<NodeKind> = tasks.collect();
        let mut gates: Vec<(&PhaseNumber, &Node)> = self.gates.iter().collect();
        gates.sort_by_key(|(_, node)| **node);
        kinds.extend(gates.into_iter().map(|(phase, _)| NodeKind::Gate(*phase)));
        kinds.resize(self.n_nodes(), NodeKind::External);
        kinds
    }

    /// Returns the edges (earlier, later): between tasks, from tasks to their gate, from a gate to the tasks of later
    /// phases.
    pub(crate) fn edges(&self, work: &PlannedWork) -> Vec<(usize, usize)> {
        let indices: BTreeMap<&TaskId, usize> =
            work.tasks.iter().enumerate().map(|(index, task)| (&task.id, index)).collect();
        let after: BTreeMap<PhaseNumber, &[PhaseNumber]> =
            work.phases.iter().map(|phase| (phase.number, phase.after.as_slice())).collect();
        let gate = |phase: &PhaseNumber| self.gates.get(phase).map(|node| node.index());
        let mut edges = Vec::new();
        for (index, task) in work.tasks.iter().enumerate() {
            edges.extend(task.depends_on.iter().filter_map(|id| Some((*indices.get(id)?, index))));
            edges.extend(task.external.iter().filter_map(|n| Some((self.externals.get(n)?.index(), index))));
            edges.extend(gate(&task.phase).map(|gate| (index, gate)));
            let before = after.get(&task.phase).copied().unwrap_or_default();
            edges.extend(before.iter().filter_map(gate).map(|gate| (gate, index)));
        }
        for phase in &work.phases {
            let own_gate = gate(&phase.number);
            edges.extend(phase.after.iter().filter_map(|before| Some((gate(before)?, own_gate?))));
        }
        edges
    }

    /// Returns the durations that determine the critical paths.
    pub(crate) fn durations(&self, work: &PlannedWork) -> Vec<u64> {
        let mut durations: Vec<u64> = work.tasks.iter().map(task_duration_ms).collect();
        durations.resize(self.n_nodes(), 0);
        durations
    }
}

pub(super) fn task_duration_ms(planned: &PlannedTask) -> u64 {
    match planned.plan_status {
        PlanStatus::Open => planned.estimate_ms.unwrap_or(complexity_weight(planned) * SMALL_TASK_MS).max(1),
        PlanStatus::Done | PlanStatus::Skipped => 0,
    }
}

fn complexity_weight(planned: &PlannedTask) -> u64 {
    planned.complexity.map_or(1, |complexity| u64::from(complexity.weight()))
}

pub(super) fn task_requirements(planned: &PlannedTask, agent: AgentIndex) -> TaskRequirements {
    // Tasks that share a worktree run one after the other.
    let worktree = planned.worktree.iter().map(|path| format!("worktree:{path}"));
    let touches = TouchedPaths::parse(planned.touches.iter().cloned().chain(worktree));
    TaskRequirements { priority: planned.priority, agent, memory: planned.memory_mib, touches }
}

pub(crate) fn add_ms(at: Timestamp, milliseconds: u64) -> Timestamp {
    Timestamp(at.0.saturating_add(i64::try_from(milliseconds).unwrap_or(i64::MAX)))
}
