//! Decides which task may start: a ready queue per agent, without barriers between levels of the graph.
//!
//! Starts nothing itself: `Schedule::next_candidate` returns the next task, `Schedule::mark_running` counts it as
//! running. Invariants: a task starts only when its dependencies are met; no two running tasks touch the same path;
//! no more tasks run than there are slots, in total and per agent; while a task could start, `next_candidate` returns
//! one.

use std::{cmp::Reverse, collections::BTreeSet, num::NonZeroU32};

use domain::Priority;

use crate::{
    graph::{CycleError, Graph, Node},
    touched_paths::TouchedPaths,
};

/// An agent of the team: an index into `ScheduleLimits::agents`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AgentIndex(pub usize);

/// How much may run at the same time.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleLimits {
    /// Maximum number of running tasks.
    pub slots: NonZeroU32,
    /// Maximum number of running tasks of each agent.
    pub agents: Vec<NonZeroU32>,
    /// Memory of all running tasks in MiB; `None` if memory is not limited.
    pub memory: Option<u64>,
}

/// What a task requires to run.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskRequirements {
    pub priority: Priority,
    pub agent: AgentIndex,
    /// Estimated peak, in MiB.
    pub memory: u64,
    pub touches: TouchedPaths,
}

/// Why a ready task must not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HoldReason {
    /// The task is paused or escalated.
    TaskPaused = 1,
    /// Its phase is paused.
    PhasePaused = 2,
    /// In thin mode, the main agent has not requested it yet.
    NotRequested = 4,
    /// The process of its last attempt has not ended.
    AttemptEnding = 8,
    /// Its worktree is being reset to a checkpoint.
    Restoring = 16,
    /// The disk budget has no space for its worktree.
    DiskBudget = 32,
}

/// The ready, running and waiting tasks of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    graph: Graph,
    limits: ScheduleLimits,
    tasks: Vec<ScheduledNode>,
    /// Ready tasks of each agent, in start order.
    ready: Vec<BTreeSet<QueueKey>>,
    running: Vec<Node>,
    running_by_agent: Vec<u32>,
    memory_used: u64,
    /// Ready tasks for which memory is short; queued again when a task releases its memory.
    deferred_for_memory: Vec<Node>,
    /// Tasks that became ready and are not announced yet.
    newly_ready: Vec<Node>,
    /// Barriers whose dependencies are all met.
    open_barriers: BTreeSet<Node>,
    /// While set, nothing starts.
    paused: bool,
}

#[derive(Debug, Clone, PartialEq)]
struct ScheduledNode {
    /// `None` for a barrier, which requires no slot and is marked as met by the caller.
    requirements: Option<TaskRequirements>,
    state: NodeState,
    /// Number of unmet dependencies.
    unmet: u32,
    /// Set of [`HoldReason`] as bits.
    holds: u8,
    /// Ready tasks that wait for the paths of this running task.
    deferred_tasks: Vec<Node>,
    has_started: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NodeState {
    /// Some dependencies are not met.
    Waiting,
    Ready,
    /// Could start, but a running task touches the same path or memory is short.
    Deferred,
    Running,
    /// Has released its slot and waits, for example for an answer.
    Blocked,
    /// Done or skipped.
    Met,
    /// Failed or cancelled: its dependents keep waiting.
    Failed,
}

/// The position of a ready task in its queue: the smallest is next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct QueueKey {
    /// Started tasks resume before new ones start.
    has_started: Reverse<bool>,
    priority: Reverse<Priority>,
    /// The longest critical path first: it determines when the run ends.
    critical_path: Reverse<u64>,
    node: Node,
}

impl Schedule {
    /// Creates a schedule in which nothing has started, with one entry of `requirements` per node.
    pub fn new(graph: Graph, requirements: Vec<TaskRequirements>, limits: ScheduleLimits) -> Self {
        Self::with_barriers(graph, requirements.into_iter().map(Some).collect(), limits)
    }

    /// Creates a schedule in which nodes without requirements are barriers: never started, marked as met by the
    /// caller.
    pub fn with_barriers(
        graph: Graph,
        requirements: Vec<Option<TaskRequirements>>,
        limits: ScheduleLimits,
    ) -> Self {
        let n_agents = limits.agents.len();
        let mut schedule = Self {
            graph,
            limits,
            tasks: requirements.into_iter().map(ScheduledNode::new).collect(),
            ready: vec![BTreeSet::new(); n_agents],
            running: Vec::new(),
            running_by_agent: vec![0; n_agents],
            memory_used: 0,
            deferred_for_memory: Vec::new(),
            newly_ready: Vec::new(),
            open_barriers: BTreeSet::new(),
            paused: false,
        };
        for node in schedule.graph.nodes() {
            let unmet = u32::try_from(schedule.graph.dependencies(node).len()).unwrap_or(u32::MAX);
            if let Some(task) = schedule.tasks.get_mut(node.index()) {
                task.unmet = unmet;
            }
            if unmet == 0 {
                schedule.make_ready(node);
            }
        }
        schedule
    }

    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the running tasks, in the order in which they started.
    pub fn running(&self) -> &[Node] {
        &self.running
    }

    /// Returns the tasks that became ready since [`Schedule::clear_newly_ready`].
    pub fn newly_ready(&self) -> &[Node] {
        &self.newly_ready
    }

    /// Marks the newly ready tasks as announced.
    pub fn clear_newly_ready(&mut self) {
        self.newly_ready.clear();
    }

    /// Returns the barriers that are not met and whose dependencies are all met.
    pub fn open_barriers(&self) -> impl Iterator<Item = Node> {
        self.open_barriers.iter().copied()
    }

    /// Returns whether all dependencies of a node are met.
    pub fn has_met_dependencies(&self, node: Node) -> bool {
        self.tasks.get(node.index()).is_some_and(|task| task.unmet == 0)
    }

    /// Returns whether a node is done or skipped.
    pub fn is_met(&self, node: Node) -> bool {
        self.state(node) == Some(NodeState::Met)
    }

    /// Starts the next task, if one can start.
    pub fn start_next(&mut self) -> Option<Node> {
        self.defer_unstartable();
        let node = self.next_candidate()?;
        self.mark_running(node);
        Some(node)
    }

    /// Moves tasks that cannot start (paths in use, memory short) out of the way, so that the first in each queue can
    /// start.
    pub fn defer_unstartable(&mut self) {
        while let Some(key) = self.next_in_queue() {
            let node = key.node;
            if let Some(other) = self.overlapping_task(node) {
                self.defer(node);
                if let Some(task) = self.tasks.get_mut(other.index()) {
                    task.deferred_tasks.push(node);
                }
            } else if !self.has_memory_for(node) {
                self.defer(node);
                self.deferred_for_memory.push(node);
            } else {
                return;
            }
        }
    }

    /// Returns the next task that can start. Requires a prior call of `defer_unstartable`.
    pub fn next_candidate(&self) -> Option<Node> {
        self.next_in_queue().map(|key| key.node)
    }

    /// Marks a ready task as running.
    pub fn mark_running(&mut self, node: Node) {
        self.dequeue(node);
        let Some(task) = self.tasks.get_mut(node.index()) else { return };
        let Some(requirements) = &task.requirements else { return };
        if task.state == NodeState::Running {
            return;
        }
        task.state = NodeState::Running;
        task.has_started = true;
        self.memory_used += requirements.memory;
        if let Some(running) = self.running_by_agent.get_mut(requirements.agent.0) {
            *running += 1;
        }
        self.running.push(node);
    }

    /// Takes the slot from a task that waits; when unblocked it resumes before new tasks start.
    pub fn block(&mut self, node: Node) {
        // A task that was about to resume has no slot, but is blocked all the same.
        let was_queued = matches!(self.state(node), Some(NodeState::Ready | NodeState::Deferred));
        if self.release_slot(node) || was_queued {
            self.dequeue(node);
            self.set_state(node, NodeState::Blocked);
        }
    }

    /// Makes a blocked task ready to resume.
    pub fn unblock(&mut self, node: Node) {
        if self.state(node) == Some(NodeState::Blocked) {
            self.make_ready(node);
        }
    }

    /// Makes a task ready for another attempt; it queues like a task that has not started.
    pub fn retry(&mut self, node: Node) {
        self.release_slot(node);
        // A queued task may have started while a dependency was still met: its queue key changes.
        self.dequeue(node);
        let may_retry = !matches!(self.state(node), None | Some(NodeState::Waiting));
        if self.state(node) == Some(NodeState::Met) {
            self.unmark_met(node);
        }
        if let Some(task) = self.tasks.get_mut(node.index()).filter(|_| may_retry) {
            task.has_started = false;
            task.state = NodeState::Waiting;
            if task.unmet == 0 {
                self.make_ready(node);
            }
        }
    }

    /// Marks a task as done or skipped, or a barrier as passed; dependents without other unmet dependencies become
    /// ready.
    pub fn mark_met(&mut self, node: Node) {
        if self.state(node) == Some(NodeState::Met) {
            return;
        }
        self.remove_from_queues(node);
        self.set_state(node, NodeState::Met);
        self.open_barriers.remove(&node);
        let mut index = 0;
        while let Some(dependent) = self.graph.dependents(node).get(index).copied() {
            index += 1;
            let Some(task) = self.tasks.get_mut(dependent.index()) else { continue };
            task.unmet = task.unmet.saturating_sub(1);
            if task.state == NodeState::Waiting && task.unmet == 0 {
                self.make_ready(dependent);
            }
        }
    }

    /// Marks a task as failed or cancelled; its dependents keep waiting.
    pub fn mark_failed(&mut self, node: Node) {
        if self.state(node) != Some(NodeState::Met) {
            self.remove_from_queues(node);
            self.set_state(node, NodeState::Failed);
        }
    }

    pub fn set_priority(&mut self, node: Node, priority: Priority) {
        self.change_requirements(node, |requirements| requirements.priority = priority);
    }

    /// Changes the agent of a task. The caller stops a running task first.
    pub fn set_agent(&mut self, node: Node, agent: AgentIndex) {
        self.change_requirements(node, |requirements| requirements.agent = agent);
    }

    /// Changes the paths of a task; a running task keeps its old ones.
    pub fn set_touches(&mut self, node: Node, touches: TouchedPaths) {
        self.change_requirements(node, |requirements| requirements.touches = touches);
    }

    /// Keeps a task from starting.
    pub fn hold(&mut self, node: Node, reason: HoldReason) {
        self.dequeue(node);
        if let Some(task) = self.tasks.get_mut(node.index()) {
            task.holds |= reason as u8;
        }
    }

    /// Removes a hold; without holds a ready task may start.
    pub fn release(&mut self, node: Node, reason: HoldReason) {
        let Some(task) = self.tasks.get_mut(node.index()) else { return };
        task.holds &= !(reason as u8);
        if task.holds == 0 && task.state == NodeState::Ready {
            self.enqueue(node);
        }
    }

    /// Pauses or resumes the start of tasks.
    pub fn set_paused(&mut self, paused: bool) {
        self.paused = paused;
    }

    pub fn add_task(&mut self, requirements: TaskRequirements, duration: u64, dependencies: &[Node]) -> Node {
        let node = self.graph.add_node(duration);
        self.tasks.push(ScheduledNode::new(Some(requirements)));
        for earlier in dependencies {
            // No node depends on the new one, so no cycle can close.
            let _ = self.connect(*earlier, node);
        }
        if self.has_met_dependencies(node) {
            self.make_ready(node);
        }
        node
    }

    pub fn add_barrier(&mut self, dependencies: &[Node]) -> Node {
        let node = self.graph.add_node(0);
        self.tasks.push(ScheduledNode::new(None));
        for earlier in dependencies {
            // No node depends on the new one, so no cycle can close.
            let _ = self.connect(*earlier, node);
        }
        if self.has_met_dependencies(node) {
            self.make_ready(node);
        }
        node
    }

    /// Changes the estimated duration of a task.
    pub fn set_duration(&mut self, node: Node, duration: u64) {
        self.graph.set_durations([(node, duration)]);
        self.rebuild_queues();
    }

    /// Makes `later` depend on `earlier`, unless that closes a cycle. A task that has started continues.
    pub fn connect(&mut self, earlier: Node, later: Node) -> Result<(), CycleError> {
        if self.graph.dependencies(later).contains(&earlier) {
            return Ok(());
        }
        self.graph.connect(earlier, later)?;
        if !self.is_met(earlier) {
            let has_started = self.tasks.get(later.index()).is_some_and(|task| task.has_started);
            if !has_started {
                self.dequeue(later);
                self.newly_ready.retain(|node| *node != later);
            }
            self.open_barriers.remove(&later);
            if let Some(task) = self.tasks.get_mut(later.index()) {
                task.unmet += 1;
                if !has_started && matches!(task.state, NodeState::Ready | NodeState::Deferred) {
                    task.state = NodeState::Waiting;
                }
            }
        }
        self.rebuild_queues();
        Ok(())
    }

    /// Removes a dependency and returns whether it existed.
    pub fn disconnect(&mut self, earlier: Node, later: Node) -> bool {
        if !self.graph.disconnect(earlier, later) {
            return false;
        }
        if !self.is_met(earlier)
            && let Some(task) = self.tasks.get_mut(later.index())
        {
            task.unmet = task.unmet.saturating_sub(1);
            if task.unmet == 0 && task.state == NodeState::Waiting {
                self.make_ready(later);
            }
        }
        self.rebuild_queues();
        true
    }

    /// Makes dependents wait for a node that was met; tasks that have started continue.
    fn unmark_met(&mut self, node: Node) {
        let dependents: Vec<Node> = self.graph.dependents(node).to_vec();
        for later in dependents {
            let has_started = self.tasks.get(later.index()).is_some_and(|task| task.has_started);
            if !has_started {
                self.dequeue(later);
            }
            self.open_barriers.remove(&later);
            if let Some(task) = self.tasks.get_mut(later.index()) {
                task.unmet += 1;
                if !has_started && matches!(task.state, NodeState::Ready | NodeState::Deferred) {
                    task.state = NodeState::Waiting;
                    self.newly_ready.retain(|ready| *ready != later);
                }
            }
        }
    }

    /// Queues all ready tasks again, because the critical paths have changed.
    fn rebuild_queues(&mut self) {
        let queued: Vec<Node> = self.ready.iter_mut().flat_map(std::mem::take).map(|key| key.node).collect();
        for node in queued {
            self.enqueue(node);
        }
    }

    fn change_requirements(&mut self, node: Node, change: impl FnOnce(&mut TaskRequirements)) {
        let was_ready = self.dequeue(node);
        if let Some(requirements) =
            self.tasks.get_mut(node.index()).and_then(|task| task.requirements.as_mut())
        {
            change(requirements);
        }
        if self.state(node) == Some(NodeState::Deferred) {
            // The reason for the deferral may no longer apply: check it again.
            self.make_ready(node);
        } else if was_ready {
            self.enqueue(node);
        }
    }

    fn state(&self, node: Node) -> Option<NodeState> {
        self.tasks.get(node.index()).map(|task| task.state)
    }

    fn set_state(&mut self, node: Node, state: NodeState) {
        if let Some(task) = self.tasks.get_mut(node.index()) {
            task.state = state;
        }
    }

    fn queue_key(&self, node: Node) -> Option<(QueueKey, AgentIndex)> {
        let task = self.tasks.get(node.index())?;
        let requirements = task.requirements.as_ref()?;
        let key = QueueKey {
            has_started: Reverse(task.has_started),
            priority: Reverse(requirements.priority),
            critical_path: Reverse(self.graph.critical_path(node)),
            node,
        };
        Some((key, requirements.agent))
    }

    /// Returns the first task among the agents with a free slot.
    fn next_in_queue(&self) -> Option<QueueKey> {
        if self.paused || self.running.len() >= self.limits.slots.get() as usize {
            return None;
        }
        let has_slot = |agent: usize| {
            let limit = self.limits.agents.get(agent).map_or(0, |limit| limit.get());
            self.running_by_agent.get(agent).is_some_and(|running| *running < limit)
        };
        let first = |(agent, ready): (usize, &BTreeSet<QueueKey>)| {
            has_slot(agent).then(|| ready.first().copied()).flatten()
        };
        self.ready.iter().enumerate().filter_map(first).min()
    }

    fn requirements(&self, node: Node) -> Option<&TaskRequirements> {
        self.tasks.get(node.index()).and_then(|task| task.requirements.as_ref())
    }

    fn overlapping_task(&self, node: Node) -> Option<Node> {
        let touches = &self.requirements(node)?.touches;
        if touches.is_empty() {
            return None;
        }
        let overlaps =
            |other: &Node| self.requirements(*other).is_some_and(|other| other.touches.overlaps(touches));
        self.running.iter().copied().find(overlaps)
    }

    fn has_memory_for(&self, node: Node) -> bool {
        let Some(limit) = self.limits.memory else { return true };
        let needed = self.requirements(node).map_or(0, |requirements| requirements.memory);
        // A task that requires more memory than the limit runs alone instead of never.
        self.memory_used.saturating_add(needed) <= limit || self.running.is_empty()
    }

    fn make_ready(&mut self, node: Node) {
        let Some(task) = self.tasks.get_mut(node.index()) else { return };
        if task.requirements.is_none() {
            self.open_barriers.insert(node);
            return;
        }
        // A task that resumes was announced before.
        if task.state != NodeState::Blocked && task.state != NodeState::Deferred {
            self.newly_ready.push(node);
        }
        task.state = NodeState::Ready;
        if task.holds == 0 {
            self.enqueue(node);
        }
    }

    fn enqueue(&mut self, node: Node) {
        if let Some((key, agent)) = self.queue_key(node)
            && let Some(ready) = self.ready.get_mut(agent.0)
        {
            ready.insert(key);
        }
    }

    fn dequeue(&mut self, node: Node) -> bool {
        match self.queue_key(node) {
            Some((key, agent)) => self.ready.get_mut(agent.0).is_some_and(|ready| ready.remove(&key)),
            None => false,
        }
    }

    fn defer(&mut self, node: Node) {
        self.dequeue(node);
        self.set_state(node, NodeState::Deferred);
    }

    /// Releases the slot of a running task and queues the tasks that it deferred; returns whether it ran.
    fn release_slot(&mut self, node: Node) -> bool {
        let Some(position) = self.running.iter().position(|running| *running == node) else { return false };
        self.running.remove(position);
        let Some(task) = self.tasks.get_mut(node.index()) else { return false };
        let mut requeued = std::mem::take(&mut task.deferred_tasks);
        if let Some(requirements) = &task.requirements {
            self.memory_used = self.memory_used.saturating_sub(requirements.memory);
            if let Some(running) = self.running_by_agent.get_mut(requirements.agent.0) {
                *running = running.saturating_sub(1);
            }
        }
        requeued.append(&mut self.deferred_for_memory);
        for node in requeued {
            if self.state(node) == Some(NodeState::Deferred) {
                self.make_ready(node);
            }
        }
        true
    }

    fn remove_from_queues(&mut self, node: Node) {
        if !self.release_slot(node) {
            self.dequeue(node);
        }
        self.newly_ready.retain(|ready| *ready != node);
    }
}

impl ScheduledNode {
    fn new(requirements: Option<TaskRequirements>) -> Self {
        Self {
            requirements,
            state: NodeState::Waiting,
            unmet: 0,
            holds: 0,
            deferred_tasks: Vec::new(),
            has_started: false,
        }
    }
}
