//! Who may start now: a ready set without level barriers.
//!
//! Never starts anything itself: `Schedule::next_candidate` says who is next, `Schedule::mark_running` counts it as running.
//! Invariants: nothing starts before all that it waits for is met; no two running tasks touch the same thing; never more
//! run than there are slots, for all and for each agent; while something could start, `next_candidate` names it.

use std::{cmp::Reverse, collections::BTreeSet, num::NonZeroU32};

use domain::Priority;

use crate::{
    graph::{CycleError, Graph, Node},
    guard::{Guard, Guards},
    touched_paths::TouchedPaths,
};

/// An agent of the team, by its place in `ScheduleLimits::agents`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AgentIndex(pub usize);

/// How much may run at once.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleLimits {
    /// Tasks in all.
    pub slots: NonZeroU32,
    /// Tasks of each agent.
    pub agents: Vec<NonZeroU32>,
    /// Memory in all, in MiB; `None` where nobody counts it.
    pub memory: Option<u64>,
}

/// What a task needs to run.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskRequirements {
    /// Which goes first.
    pub priority: Priority,
    /// Who does it.
    pub agent: AgentIndex,
    /// Its memory in MiB.
    pub memory: u64,
    /// What it may change.
    pub touches: TouchedPaths,
}

/// Why a task that could start does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HoldReason {
    /// Somebody lets the task wait.
    TaskPaused = 1,
    /// Somebody lets its phase wait.
    PhasePaused = 2,
    /// Nobody has asked for it yet, and somebody must.
    NotRequested = 4,
    /// Something of its last try must end first.
    AttemptEnding = 8,
    /// Its worktree is being brought back to a checkpoint.
    Restoring = 16,
    /// There is no room for its worktree.
    DiskBudget = 32,
}

/// Who runs, who may, who waits.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    graph: Graph,
    limits: ScheduleLimits,
    tasks: Vec<Task>,
    /// Ready tasks, by agent, the next one first.
    ready: Vec<BTreeSet<QueueKey>>,
    running: Vec<Node>,
    running_by_agent: Vec<u32>,
    memory_used: u64,
    /// Ready tasks for which there was not enough memory; they are looked at again when some is sink back.
    deferred_for_memory: Vec<Node>,
    /// Tasks that became ready and were not told of yet.
    newly_ready: Vec<Node>,
    /// Nodes without work of their own that all before them are met.
    open_barriers: BTreeSet<Node>,
    /// Nothing starts while this is set.
    paused: bool,
    pub(crate) guards: Guards,
}

#[derive(Debug, Clone, PartialEq)]
struct Task {
    /// Nothing for a barrier: it is met by others, and needs no slot.
    needs: Option<TaskRequirements>,
    state: NodeState,
    /// How many of those that it waits for are not met.
    unmet: u32,
    /// The reasons of [`HoldReason`], as bits.
    holds: u8,
    /// Tasks that are ready but for what this one touches while it runs.
    deferred_tasks: Vec<Node>,
    has_started: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NodeState {
    /// Some of what it waits for is not met.
    Waiting,
    /// It may start.
    Ready,
    /// It may start when another gives back what both touch, or memory.
    Deferred,
    Running,
    /// It has sink its slot back, and waits for an answer or the like.
    Blocked,
    /// It is met: done or skipped.
    Met,
    /// It will not be met: failed or cancelled.
    Failed,
}

/// Whose key it is: the smallest is next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct QueueKey {
    /// What has begun goes on before anything else begins.
    has_started: Reverse<bool>,
    priority: Reverse<Priority>,
    /// The longest way to the end first: it decides when all is done.
    remaining: Reverse<u64>,
    node: Node,
}

impl Schedule {
    /// Makes a schedule in which nothing has started; `needs` has an entry for each node of the graph.
    pub fn new(graph: Graph, needs: Vec<TaskRequirements>, limits: ScheduleLimits) -> Self {
        Self::with_barriers(graph, needs.into_iter().map(Some).collect(), limits)
    }

    /// Makes a schedule in which nodes without needs are barriers: met by others, and never started.
    pub fn with_barriers(graph: Graph, needs: Vec<Option<TaskRequirements>>, limits: ScheduleLimits) -> Self {
        let n_agents = limits.agents.len();
        let mut schedule = Self {
            graph,
            limits,
            tasks: needs.into_iter().map(Task::new).collect(),
            ready: vec![BTreeSet::new(); n_agents],
            running: Vec::new(),
            running_by_agent: vec![0; n_agents],
            memory_used: 0,
            deferred_for_memory: Vec::new(),
            newly_ready: Vec::new(),
            open_barriers: BTreeSet::new(),
            paused: false,
            guards: Guards::default(),
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

    /// Returns the graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the tasks that run, in the order in which they started.
    pub fn running(&self) -> &[Node] {
        &self.running
    }

    /// Returns the tasks that became ready since [`Schedule::clear_newly_ready`].
    pub fn newly_ready(&self) -> &[Node] {
        &self.newly_ready
    }

    /// Says that everybody knows of the tasks that are ready.
    pub fn clear_newly_ready(&mut self) {
        self.newly_ready.clear();
    }

    /// Returns the barriers that all before them are met, and that are not met themselves.
    pub fn open_barriers(&self) -> impl Iterator<Item = Node> {
        self.open_barriers.iter().copied()
    }

    /// Tells whether all that a node waits for is met.
    pub fn has_met_dependencies(&self, node: Node) -> bool {
        self.tasks.get(node.index()).is_some_and(|task| task.unmet == 0)
    }

    /// Tells whether a node is met: done or skipped.
    pub fn is_met(&self, node: Node) -> bool {
        self.state(node) == Some(NodeState::Met)
    }

    /// Tells whether a task that could start is kept from it.
    pub fn is_held(&self, node: Node, hold: HoldReason) -> bool {
        self.tasks.get(node.index()).is_some_and(|task| task.holds & hold as u8 != 0)
    }

    /// Starts the task whose key it is, if one can start.
    pub fn start_next(&mut self) -> Option<Node> {
        self.defer_unstartable();
        let node = self.next_candidate()?;
        self.mark_running(node);
        Some(node)
    }

    /// Puts aside what can't start for what others touch or for want of memory, so that the next one is at the front.
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

    /// Returns the task whose key it is, if one can start. The schedule is settled.
    pub fn next_candidate(&self) -> Option<Node> {
        self.next_in_queue().map(|key| key.node)
    }

    /// Counts a ready task as running.
    pub fn mark_running(&mut self, node: Node) {
        self.dequeue(node);
        let Some(task) = self.tasks.get_mut(node.index()) else { return };
        let Some(needs) = &task.needs else { return };
        if task.state == NodeState::Running {
            return;
        }
        task.state = NodeState::Running;
        task.has_started = true;
        self.memory_used += needs.memory;
        if let Some(running) = self.running_by_agent.get_mut(needs.agent.0) {
            *running += 1;
        }
        self.running.push(node);
    }

    /// A running task gives its slot back and waits; it goes on before anything else begins.
    pub fn block(&mut self, node: Node) {
        if !self.guards.on(Guard::BlockedReleasesSlot) {
            return;
        }
        // One that was about to go on has no slot to give back, and waits all the same.
        let was_queued = matches!(self.state(node), Some(NodeState::Ready | NodeState::Deferred));
        if self.release_slot(node) || was_queued {
            self.dequeue(node);
            self.set_state(node, NodeState::Blocked);
        }
    }

    /// What a blocked task waited for is there.
    pub fn unblock(&mut self, node: Node) {
        if self.state(node) == Some(NodeState::Blocked) {
            self.make_ready(node);
        }
    }

    /// A task is to be tried again: it is ready, and waits its key like one that has not begun.
    pub fn retry(&mut self, node: Node) {
        self.release_slot(node);
        // One that is lined up already may have begun while something it waits for was still met.
        self.dequeue(node);
        let may_retry = !matches!(self.state(node), None | Some(NodeState::Waiting));
        if self.state(node) == Some(NodeState::Met) {
            self.unmark_met(node);
        }
        if let Some(task) = self.tasks.get_mut(node.index()).filter(|_| may_retry) {
            task.has_started = false;
            task.state = NodeState::Waiting;
            if task.unmet == 0 || !self.guards.on(Guard::Dependencies) {
                self.make_ready(node);
            }
        }
    }

    /// A task is done or skipped, a barrier is passed: whoever waited for it alone is ready.
    pub fn mark_met(&mut self, node: Node) {
        if self.state(node) == Some(NodeState::Met) {
            return;
        }
        self.remove_from_queues(node);
        self.set_state(node, NodeState::Met);
        self.open_barriers.remove(&node);
        let mut index = 0;
        while let Some(after) = self.graph.dependents(node).get(index).copied() {
            index += 1;
            let Some(task) = self.tasks.get_mut(after.index()) else { continue };
            task.unmet = task.unmet.saturating_sub(1);
            if task.state == NodeState::Waiting && (task.unmet == 0 || !self.guards.on(Guard::Dependencies)) {
                self.make_ready(after);
            }
        }
    }

    /// A task failed or was cancelled: whoever waits for it goes on waiting.
    pub fn mark_failed(&mut self, node: Node) {
        if self.state(node) != Some(NodeState::Met) {
            self.remove_from_queues(node);
            self.set_state(node, NodeState::Failed);
        }
    }

    /// Changes how urgent a task is.
    pub fn set_priority(&mut self, node: Node, priority: Priority) {
        self.change(node, |needs| needs.priority = priority);
    }

    /// Changes who does a task. One that runs is stopped first.
    pub fn set_agent(&mut self, node: Node, agent: AgentIndex) {
        self.change(node, |needs| needs.agent = agent);
    }

    /// Changes what a task touches. One that runs goes on with what it had.
    pub fn set_touches(&mut self, node: Node, touches: TouchedPaths) {
        self.change(node, |needs| needs.touches = touches);
    }

    /// Lets a task wait although it could start.
    pub fn hold(&mut self, node: Node, hold: HoldReason) {
        self.dequeue(node);
        if let Some(task) = self.tasks.get_mut(node.index()) {
            task.holds |= hold as u8;
        }
    }

    /// Takes a reason to wait away again.
    pub fn release(&mut self, node: Node, hold: HoldReason) {
        let Some(task) = self.tasks.get_mut(node.index()) else { return };
        task.holds &= !(hold as u8);
        if task.holds == 0 && task.state == NodeState::Ready {
            self.enqueue(node);
        }
    }

    /// Lets nothing start, or lets things start again.
    pub fn set_paused(&mut self, paused: bool) {
        self.paused = paused;
    }

    /// Adds a task that waits for some nodes.
    pub fn add(&mut self, needs: TaskRequirements, duration: u64, before: &[Node]) -> Node {
        let node = self.graph.add(duration);
        self.tasks.push(Task::new(Some(needs)));
        for earlier in before {
            // Nothing waits for a new node, so no circle can close.
            let _ = self.connect(*earlier, node);
        }
        if self.has_met_dependencies(node) {
            self.make_ready(node);
        }
        node
    }

    /// Adds a barrier that waits for some nodes.
    pub fn add_barrier(&mut self, before: &[Node]) -> Node {
        let node = self.graph.add(0);
        self.tasks.push(Task::new(None));
        for earlier in before {
            // Nothing waits for a new node, so no circle can close.
            let _ = self.connect(*earlier, node);
        }
        if self.has_met_dependencies(node) {
            self.make_ready(node);
        }
        node
    }

    /// Says how long a task is thought to take now.
    pub fn set_duration(&mut self, node: Node, duration: u64) {
        self.graph.set_durations([(node, duration)]);
        self.rebuild_queues();
    }

    /// Lets `later` wait for `earlier`; refused where that closes a circle. What has started is not held up by that.
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

    /// Lets `later` no longer wait for `earlier`, and tells whether it did.
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

    /// Lets an `earlier` node that was met be waited for again; what has started is not held up by that.
    fn unmark_met(&mut self, node: Node) {
        let after: Vec<Node> = self.graph.dependents(node).to_vec();
        for later in after {
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

    /// Lines all ready tasks up anew, because the ways to the end have changed.
    fn rebuild_queues(&mut self) {
        let waiting: Vec<Node> = self.ready.iter_mut().flat_map(std::mem::take).map(|key| key.node).collect();
        for node in waiting {
            self.enqueue(node);
        }
    }

    fn change(&mut self, node: Node, change: impl FnOnce(&mut TaskRequirements)) {
        let was_ready = self.dequeue(node);
        if let Some(needs) = self.tasks.get_mut(node.index()).and_then(|task| task.needs.as_mut()) {
            change(needs);
        }
        if self.state(node) == Some(NodeState::Deferred) {
            // What held it up may no longer do so: it looks again.
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
        let needs = task.needs.as_ref()?;
        let key = QueueKey {
            has_started: Reverse(task.has_started),
            priority: Reverse(needs.priority),
            remaining: Reverse(self.graph.critical_path(node)),
            node,
        };
        Some((key, needs.agent))
    }

    /// Returns the next key among the agents that have a slot.
    fn next_in_queue(&self) -> Option<QueueKey> {
        let has_slots =
            self.running.len() < self.limits.slots.get() as usize || !self.guards.on(Guard::Slots);
        if self.paused || !has_slots {
            return None;
        }
        let has_slot = |agent: usize| {
            let limit = self.limits.agents.get(agent).map_or(0, |limit| limit.get());
            let free = self.running_by_agent.get(agent).is_some_and(|running| *running < limit);
            free || !self.guards.on(Guard::AgentSlots)
        };
        let first = |(agent, ready): (usize, &BTreeSet<QueueKey>)| {
            has_slot(agent).then(|| ready.first().copied()).flatten()
        };
        self.ready.iter().enumerate().filter_map(first).min()
    }

    fn needs(&self, node: Node) -> Option<&TaskRequirements> {
        self.tasks.get(node.index()).and_then(|task| task.needs.as_ref())
    }

    fn overlapping_task(&self, node: Node) -> Option<Node> {
        let touches = &self.needs(node)?.touches;
        if touches.is_empty() || !self.guards.on(Guard::TouchedPaths) {
            return None;
        }
        let overlaps = |other: &Node| self.needs(*other).is_some_and(|other| other.touches.overlaps(touches));
        self.running.iter().copied().find(overlaps)
    }

    fn has_memory_for(&self, node: Node) -> bool {
        let Some(limit) = self.limits.memory else { return true };
        let needed = self.needs(node).map_or(0, |needs| needs.memory);
        // A task that needs more than there is runs alone, rather than never.
        self.memory_used.saturating_add(needed) <= limit || self.running.is_empty()
    }

    fn make_ready(&mut self, node: Node) {
        let Some(task) = self.tasks.get_mut(node.index()) else { return };
        if task.needs.is_none() {
            self.open_barriers.insert(node);
            return;
        }
        // One that goes on after a block was ready before.
        if task.state != NodeState::Blocked && task.state != NodeState::Deferred {
            self.newly_ready.push(node);
        }
        task.state = NodeState::Ready;
        if task.holds == 0 {
            self.enqueue(node);
        }
    }

    /// Puts a ready task into its place in the line.
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

    /// Takes a running task off its slot, and lets those look again whom it held up; tells whether it ran.
    fn release_slot(&mut self, node: Node) -> bool {
        let Some(place) = self.running.iter().position(|running| *running == node) else { return false };
        self.running.remove(place);
        let Some(task) = self.tasks.get_mut(node.index()) else { return false };
        let mut freed = std::mem::take(&mut task.deferred_tasks);
        if let Some(needs) = &task.needs {
            self.memory_used = self.memory_used.saturating_sub(needs.memory);
            if let Some(running) = self.running_by_agent.get_mut(needs.agent.0) {
                *running = running.saturating_sub(1);
            }
        }
        freed.append(&mut self.deferred_for_memory);
        for node in freed {
            if self.state(node) == Some(NodeState::Deferred) {
                self.make_ready(node);
            }
        }
        true
    }

    /// Takes a task out of wherever it is.
    fn remove_from_queues(&mut self, node: Node) {
        if !self.release_slot(node) {
            self.dequeue(node);
        }
        self.newly_ready.retain(|ready| *ready != node);
    }
}

impl Task {
    fn new(needs: Option<TaskRequirements>) -> Self {
        Self {
            needs,
            state: NodeState::Waiting,
            unmet: 0,
            holds: 0,
            deferred_tasks: Vec::new(),
            has_started: false,
        }
    }
}
