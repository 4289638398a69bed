//! Who may start now: a ready set without level barriers.
//!
//! Never starts anything itself: `Schedule::candidate` says who is next, `Schedule::begin` counts it as running.
//! Invariants: nothing starts before all that it waits for is met; no two running tasks touch the same thing; never more
//! run than there are slots, for all and for each agent; while something could start, `candidate` names it.

use std::{cmp::Reverse, collections::BTreeSet, num::NonZeroU32};

use domain::Priority;

use crate::{
    graph::{Cycle, Graph, Node},
    guard::{Guard, Guards},
    touches::Touches,
};

/// An agent of the team, by its place in `Limits::agents`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Agent(pub usize);

/// How much may run at once.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Tasks in all.
    pub slots: NonZeroU32,
    /// Tasks of each agent.
    pub agents: Vec<NonZeroU32>,
    /// Memory in all, in MiB; `None` where nobody counts it.
    pub memory: Option<u64>,
}

/// What a task needs to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Needs {
    /// Which goes first.
    pub priority: Priority,
    /// Who does it.
    pub agent: Agent,
    /// Its memory in MiB.
    pub memory: u64,
    /// What it may change.
    pub touches: Touches,
}

/// Why a task that could start does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// Somebody lets the task wait.
    Task = 1,
    /// Somebody lets its phase wait.
    Phase = 2,
    /// Nobody has asked for it yet, and somebody must.
    Unasked = 4,
    /// Something of its last try must end first.
    Ending = 8,
    /// Its worktree is being brought back to a checkpoint.
    Restoring = 16,
    /// There is no room for its worktree.
    Room = 32,
}

/// Who runs, who may, who waits.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    graph: Graph,
    limits: Limits,
    tasks: Vec<Task>,
    /// Ready tasks, by agent, the next one first.
    ready: Vec<BTreeSet<Turn>>,
    running: Vec<Node>,
    running_by_agent: Vec<u32>,
    memory_used: u64,
    /// Ready tasks for which there was not enough memory; they are looked at again when some is given back.
    short_of_memory: Vec<Node>,
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
    needs: Option<Needs>,
    place: Place,
    /// How many of those that it waits for are not met.
    unmet: u32,
    /// The reasons of [`Hold`], as bits.
    holds: u8,
    /// Tasks that are ready but for what this one touches while it runs.
    held_up: Vec<Node>,
    has_started: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Some of what it waits for is not met.
    Waiting,
    /// It may start.
    Ready,
    /// It may start when another gives back what both touch, or memory.
    HeldUp,
    Running,
    /// It has given its slot back, and waits for an answer or the like.
    Blocked,
    /// It is met: done or skipped.
    Met,
    /// It will not be met: failed or cancelled.
    Gone,
}

/// Whose turn it is: the smallest is next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Turn {
    /// What has begun goes on before anything else begins.
    has_started: Reverse<bool>,
    priority: Reverse<Priority>,
    /// The longest way to the end first: it decides when all is done.
    remaining: Reverse<u64>,
    node: Node,
}

impl Schedule {
    /// Makes a schedule in which nothing has started; `needs` has an entry for each node of the graph.
    pub fn new(graph: Graph, needs: Vec<Needs>, limits: Limits) -> Self {
        Self::with_barriers(graph, needs.into_iter().map(Some).collect(), limits)
    }

    /// Makes a schedule in which nodes without needs are barriers: met by others, and never started.
    pub fn with_barriers(graph: Graph, needs: Vec<Option<Needs>>, limits: Limits) -> Self {
        let n_agents = limits.agents.len();
        let mut schedule = Self {
            graph,
            limits,
            tasks: needs.into_iter().map(Task::new).collect(),
            ready: vec![BTreeSet::new(); n_agents],
            running: Vec::new(),
            running_by_agent: vec![0; n_agents],
            memory_used: 0,
            short_of_memory: Vec::new(),
            newly_ready: Vec::new(),
            open_barriers: BTreeSet::new(),
            paused: false,
            guards: Guards::default(),
        };
        for node in schedule.graph.nodes() {
            let unmet = u32::try_from(schedule.graph.before(node).len()).unwrap_or(u32::MAX);
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

    /// Returns the tasks that became ready since [`Schedule::forget_newly_ready`].
    pub fn newly_ready(&self) -> &[Node] {
        &self.newly_ready
    }

    /// Says that everybody knows of the tasks that are ready.
    pub fn forget_newly_ready(&mut self) {
        self.newly_ready.clear();
    }

    /// Returns the barriers that all before them are met, and that are not met themselves.
    pub fn open_barriers(&self) -> impl Iterator<Item = Node> {
        self.open_barriers.iter().copied()
    }

    /// Tells whether all that a node waits for is met.
    pub fn is_free(&self, node: Node) -> bool {
        self.tasks.get(node.index()).is_some_and(|task| task.unmet == 0)
    }

    /// Tells whether a node is met: done or skipped.
    pub fn is_met(&self, node: Node) -> bool {
        self.place(node) == Some(Place::Met)
    }

    /// Tells whether a task that could start is kept from it.
    pub fn is_held(&self, node: Node, hold: Hold) -> bool {
        self.tasks.get(node.index()).is_some_and(|task| task.holds & hold as u8 != 0)
    }

    /// Starts the task whose turn it is, if one can start.
    pub fn start(&mut self) -> Option<Node> {
        self.settle();
        let node = self.candidate()?;
        self.begin(node);
        Some(node)
    }

    /// Puts aside what can't start for what others touch or for want of memory, so that the next one is at the front.
    pub fn settle(&mut self) {
        while let Some(turn) = self.next_turn() {
            let node = turn.node;
            if let Some(other) = self.first_overlap(node) {
                self.hold_up(node);
                if let Some(task) = self.tasks.get_mut(other.index()) {
                    task.held_up.push(node);
                }
            } else if !self.has_memory_for(node) {
                self.hold_up(node);
                self.short_of_memory.push(node);
            } else {
                return;
            }
        }
    }

    /// Returns the task whose turn it is, if one can start. The schedule is settled.
    pub fn candidate(&self) -> Option<Node> {
        self.next_turn().map(|turn| turn.node)
    }

    /// Counts a ready task as running.
    pub fn begin(&mut self, node: Node) {
        self.leave_ready(node);
        let Some(task) = self.tasks.get_mut(node.index()) else { return };
        let Some(needs) = &task.needs else { return };
        if task.place == Place::Running {
            return;
        }
        task.place = Place::Running;
        task.has_started = true;
        self.memory_used += needs.memory;
        if let Some(running) = self.running_by_agent.get_mut(needs.agent.0) {
            *running += 1;
        }
        self.running.push(node);
    }

    /// A running task gives its slot back and waits; it goes on before anything else begins.
    pub fn block(&mut self, node: Node) {
        if !self.guards.on(Guard::BlockedGivesSlot) {
            return;
        }
        // One that was about to go on has no slot to give back, and waits all the same.
        let was_lined_up = matches!(self.place(node), Some(Place::Ready | Place::HeldUp));
        if self.stop(node) || was_lined_up {
            self.leave_ready(node);
            self.set_place(node, Place::Blocked);
        }
    }

    /// What a blocked task waited for is there.
    pub fn unblock(&mut self, node: Node) {
        if self.place(node) == Some(Place::Blocked) {
            self.make_ready(node);
        }
    }

    /// A task is to be tried again: it is ready, and waits its turn like one that has not begun.
    pub fn retry(&mut self, node: Node) {
        self.stop(node);
        // One that is lined up already may have begun while something it waits for was still met.
        self.leave_ready(node);
        let may_retry = !matches!(self.place(node), None | Some(Place::Waiting));
        if self.place(node) == Some(Place::Met) {
            self.unmeet(node);
        }
        if let Some(task) = self.tasks.get_mut(node.index()).filter(|_| may_retry) {
            task.has_started = false;
            task.place = Place::Waiting;
            if task.unmet == 0 || !self.guards.on(Guard::Dependencies) {
                self.make_ready(node);
            }
        }
    }

    /// A task is done or skipped, a barrier is passed: whoever waited for it alone is ready.
    pub fn meet(&mut self, node: Node) {
        if self.place(node) == Some(Place::Met) {
            return;
        }
        self.leave(node);
        self.set_place(node, Place::Met);
        self.open_barriers.remove(&node);
        let mut index = 0;
        while let Some(after) = self.graph.after(node).get(index).copied() {
            index += 1;
            let Some(task) = self.tasks.get_mut(after.index()) else { continue };
            task.unmet = task.unmet.saturating_sub(1);
            if task.place == Place::Waiting && (task.unmet == 0 || !self.guards.on(Guard::Dependencies)) {
                self.make_ready(after);
            }
        }
    }

    /// A task failed or was cancelled: whoever waits for it goes on waiting.
    pub fn give_up(&mut self, node: Node) {
        if self.place(node) != Some(Place::Met) {
            self.leave(node);
            self.set_place(node, Place::Gone);
        }
    }

    /// Changes how urgent a task is.
    pub fn set_priority(&mut self, node: Node, priority: Priority) {
        self.change(node, |needs| needs.priority = priority);
    }

    /// Changes who does a task. One that runs is stopped first.
    pub fn set_agent(&mut self, node: Node, agent: Agent) {
        self.change(node, |needs| needs.agent = agent);
    }

    /// Changes what a task touches. One that runs goes on with what it had.
    pub fn set_touches(&mut self, node: Node, touches: Touches) {
        self.change(node, |needs| needs.touches = touches);
    }

    /// Lets a task wait although it could start.
    pub fn hold(&mut self, node: Node, hold: Hold) {
        self.leave_ready(node);
        if let Some(task) = self.tasks.get_mut(node.index()) {
            task.holds |= hold as u8;
        }
    }

    /// Takes a reason to wait away again.
    pub fn release(&mut self, node: Node, hold: Hold) {
        let Some(task) = self.tasks.get_mut(node.index()) else { return };
        task.holds &= !(hold as u8);
        if task.holds == 0 && task.place == Place::Ready {
            self.line_up(node);
        }
    }

    /// Lets nothing start, or lets things start again.
    pub fn set_paused(&mut self, paused: bool) {
        self.paused = paused;
    }

    /// Adds a task that waits for some nodes.
    pub fn add(&mut self, needs: Needs, duration: u64, before: &[Node]) -> Node {
        let node = self.graph.add(duration);
        self.tasks.push(Task::new(Some(needs)));
        for earlier in before {
            // Nothing waits for a new node, so no circle can close.
            let _ = self.connect(*earlier, node);
        }
        if self.is_free(node) {
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
        if self.is_free(node) {
            self.make_ready(node);
        }
        node
    }

    /// Says how long a task is thought to take now.
    pub fn set_duration(&mut self, node: Node, duration: u64) {
        self.graph.set_durations([(node, duration)]);
        self.refresh();
    }

    /// Lets `later` wait for `earlier`; refused where that closes a circle. What has started is not held up by that.
    pub fn connect(&mut self, earlier: Node, later: Node) -> Result<(), Cycle> {
        if self.graph.before(later).contains(&earlier) {
            return Ok(());
        }
        self.graph.connect(earlier, later)?;
        if !self.is_met(earlier) {
            let has_started = self.tasks.get(later.index()).is_some_and(|task| task.has_started);
            if !has_started {
                self.leave_ready(later);
                self.newly_ready.retain(|node| *node != later);
            }
            self.open_barriers.remove(&later);
            if let Some(task) = self.tasks.get_mut(later.index()) {
                task.unmet += 1;
                if !has_started && matches!(task.place, Place::Ready | Place::HeldUp) {
                    task.place = Place::Waiting;
                }
            }
        }
        self.refresh();
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
            if task.unmet == 0 && task.place == Place::Waiting {
                self.make_ready(later);
            }
        }
        self.refresh();
        true
    }

    /// Lets an `earlier` node that was met be waited for again; what has started is not held up by that.
    fn unmeet(&mut self, node: Node) {
        let after: Vec<Node> = self.graph.after(node).to_vec();
        for later in after {
            let has_started = self.tasks.get(later.index()).is_some_and(|task| task.has_started);
            if !has_started {
                self.leave_ready(later);
            }
            self.open_barriers.remove(&later);
            if let Some(task) = self.tasks.get_mut(later.index()) {
                task.unmet += 1;
                if !has_started && matches!(task.place, Place::Ready | Place::HeldUp) {
                    task.place = Place::Waiting;
                    self.newly_ready.retain(|ready| *ready != later);
                }
            }
        }
    }

    /// Lines all ready tasks up anew, because the ways to the end have changed.
    fn refresh(&mut self) {
        let waiting: Vec<Node> =
            self.ready.iter_mut().flat_map(std::mem::take).map(|turn| turn.node).collect();
        for node in waiting {
            self.line_up(node);
        }
    }

    fn change(&mut self, node: Node, change: impl FnOnce(&mut Needs)) {
        let was_ready = self.leave_ready(node);
        if let Some(needs) = self.tasks.get_mut(node.index()).and_then(|task| task.needs.as_mut()) {
            change(needs);
        }
        if self.place(node) == Some(Place::HeldUp) {
            // What held it up may no longer do so: it looks again.
            self.make_ready(node);
        } else if was_ready {
            self.line_up(node);
        }
    }

    fn place(&self, node: Node) -> Option<Place> {
        self.tasks.get(node.index()).map(|task| task.place)
    }

    fn set_place(&mut self, node: Node, place: Place) {
        if let Some(task) = self.tasks.get_mut(node.index()) {
            task.place = place;
        }
    }

    fn turn(&self, node: Node) -> Option<(Turn, Agent)> {
        let task = self.tasks.get(node.index())?;
        let needs = task.needs.as_ref()?;
        let turn = Turn {
            has_started: Reverse(task.has_started),
            priority: Reverse(needs.priority),
            remaining: Reverse(self.graph.remaining(node)),
            node,
        };
        Some((turn, needs.agent))
    }

    /// Returns the next turn among the agents that have a slot.
    fn next_turn(&self) -> Option<Turn> {
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
        let first = |(agent, ready): (usize, &BTreeSet<Turn>)| {
            has_slot(agent).then(|| ready.first().copied()).flatten()
        };
        self.ready.iter().enumerate().filter_map(first).min()
    }

    fn needs(&self, node: Node) -> Option<&Needs> {
        self.tasks.get(node.index()).and_then(|task| task.needs.as_ref())
    }

    fn first_overlap(&self, node: Node) -> Option<Node> {
        let touches = &self.needs(node)?.touches;
        if touches.is_empty() || !self.guards.on(Guard::Touches) {
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
        if task.place != Place::Blocked && task.place != Place::HeldUp {
            self.newly_ready.push(node);
        }
        task.place = Place::Ready;
        if task.holds == 0 {
            self.line_up(node);
        }
    }

    /// Puts a ready task into its place in the line.
    fn line_up(&mut self, node: Node) {
        if let Some((turn, agent)) = self.turn(node)
            && let Some(ready) = self.ready.get_mut(agent.0)
        {
            ready.insert(turn);
        }
    }

    fn leave_ready(&mut self, node: Node) -> bool {
        match self.turn(node) {
            Some((turn, agent)) => self.ready.get_mut(agent.0).is_some_and(|ready| ready.remove(&turn)),
            None => false,
        }
    }

    fn hold_up(&mut self, node: Node) {
        self.leave_ready(node);
        self.set_place(node, Place::HeldUp);
    }

    /// Takes a running task off its slot, and lets those look again whom it held up; tells whether it ran.
    fn stop(&mut self, node: Node) -> bool {
        let Some(place) = self.running.iter().position(|running| *running == node) else { return false };
        self.running.remove(place);
        let Some(task) = self.tasks.get_mut(node.index()) else { return false };
        let mut freed = std::mem::take(&mut task.held_up);
        if let Some(needs) = &task.needs {
            self.memory_used = self.memory_used.saturating_sub(needs.memory);
            if let Some(running) = self.running_by_agent.get_mut(needs.agent.0) {
                *running = running.saturating_sub(1);
            }
        }
        freed.append(&mut self.short_of_memory);
        for node in freed {
            if self.place(node) == Some(Place::HeldUp) {
                self.make_ready(node);
            }
        }
        true
    }

    /// Takes a task out of wherever it is.
    fn leave(&mut self, node: Node) {
        if !self.stop(node) {
            self.leave_ready(node);
        }
        self.newly_ready.retain(|ready| *ready != node);
    }
}

impl Task {
    fn new(needs: Option<Needs>) -> Self {
        Self { needs, place: Place::Waiting, unmet: 0, holds: 0, held_up: Vec::new(), has_started: false }
    }
}
