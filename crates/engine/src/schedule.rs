//! Who may start now: a ready set without level barriers.
//!
//! Never starts anything itself; `Schedule::start` says who is next and counts it as running.
//! Invariants: nothing starts before all that it waits for is met; no two running tasks touch the same thing; never more
//! run than there are slots, for all and for each agent; while something could start, `start` names it.

use std::{cmp::Reverse, collections::BTreeSet, num::NonZeroU32};

use domain::Priority;

use crate::{
    graph::{Graph, Node},
    touches::Touches,
};

/// An agent of the team, by its place in `Limits::agents`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Agent(pub usize);

/// How much may run at once.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Tasks in all.
    pub slots: NonZeroU32,
    /// Tasks of each agent.
    pub agents: Vec<NonZeroU32>,
    /// Memory in all, in MiB; `None` where nobody counts it.
    pub memory: Option<u64>,
}

/// What a task needs to run.
#[derive(Debug, Clone)]
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

/// Who runs, who may, who waits.
#[derive(Debug, Clone)]
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
}

#[derive(Debug, Clone)]
struct Task {
    needs: Needs,
    place: Place,
    /// How many of those that it waits for are not met.
    unmet: u32,
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
        let n_agents = limits.agents.len();
        let tasks = needs
            .into_iter()
            .map(|needs| Task {
                needs,
                place: Place::Waiting,
                unmet: 0,
                held_up: Vec::new(),
                has_started: false,
            })
            .collect();
        let mut schedule = Self {
            graph,
            limits,
            tasks,
            ready: vec![BTreeSet::new(); n_agents],
            running: Vec::new(),
            running_by_agent: vec![0; n_agents],
            memory_used: 0,
            short_of_memory: Vec::new(),
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

    /// Starts the task whose turn it is, if one can start.
    pub fn start(&mut self) -> Option<Node> {
        while self.running.len() < self.limits.slots.get() as usize {
            let turn = self.next_turn()?;
            let node = turn.node;
            if let Some(other) = self.first_overlap(node) {
                self.hold_up(turn);
                if let Some(task) = self.tasks.get_mut(other.index()) {
                    task.held_up.push(node);
                }
            } else if !self.has_memory_for(node) {
                self.hold_up(turn);
                self.short_of_memory.push(node);
            } else {
                self.run(turn);
                return Some(node);
            }
        }
        None
    }

    /// A running task gives its slot back and waits; it goes on before anything else begins.
    pub fn block(&mut self, node: Node) {
        if self.stop(node) {
            self.set_place(node, Place::Blocked);
        }
    }

    /// What a blocked task waited for is there.
    pub fn unblock(&mut self, node: Node) {
        if self.place(node) == Some(Place::Blocked) {
            self.make_ready(node);
        }
    }

    /// A running task is to be tried again: it is ready, and waits its turn like one that has not begun.
    pub fn retry(&mut self, node: Node) {
        let may_retry = self.stop(node) || matches!(self.place(node), Some(Place::Blocked | Place::Gone));
        if let Some(task) = self.tasks.get_mut(node.index()).filter(|_| may_retry) {
            task.has_started = false;
            if task.unmet == 0 {
                self.make_ready(node);
            } else {
                task.place = Place::Waiting;
            }
        }
    }

    /// A task is done or skipped: whoever waited for it alone is ready.
    pub fn meet(&mut self, node: Node) {
        if self.place(node) == Some(Place::Met) {
            return;
        }
        self.leave(node);
        self.set_place(node, Place::Met);
        let mut index = 0;
        while let Some(after) = self.graph.after(node).get(index).copied() {
            index += 1;
            let Some(task) = self.tasks.get_mut(after.index()) else { continue };
            task.unmet = task.unmet.saturating_sub(1);
            if task.unmet == 0 && task.place == Place::Waiting {
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
        let was_ready = self.leave_ready(node);
        if let Some(task) = self.tasks.get_mut(node.index()) {
            task.needs.priority = priority;
        }
        if was_ready {
            self.make_ready(node);
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
        let turn = Turn {
            has_started: Reverse(task.has_started),
            priority: Reverse(task.needs.priority),
            remaining: Reverse(self.graph.remaining(node)),
            node,
        };
        Some((turn, task.needs.agent))
    }

    /// Returns the next turn among the agents that have a slot.
    fn next_turn(&self) -> Option<Turn> {
        let has_slot = |agent: usize| {
            let limit = self.limits.agents.get(agent).map_or(0, |limit| limit.get());
            self.running_by_agent.get(agent).is_some_and(|running| *running < limit)
        };
        let first = |(agent, ready): (usize, &BTreeSet<Turn>)| {
            has_slot(agent).then(|| ready.first().copied()).flatten()
        };
        self.ready.iter().enumerate().filter_map(first).min()
    }

    fn first_overlap(&self, node: Node) -> Option<Node> {
        let touches = &self.tasks.get(node.index())?.needs.touches;
        if touches.is_empty() {
            return None;
        }
        let overlaps = |other: &Node| {
            self.tasks.get(other.index()).is_some_and(|task| task.needs.touches.overlaps(touches))
        };
        self.running.iter().copied().find(overlaps)
    }

    fn has_memory_for(&self, node: Node) -> bool {
        let Some(limit) = self.limits.memory else { return true };
        let needed = self.tasks.get(node.index()).map_or(0, |task| task.needs.memory);
        // A task that needs more than there is runs alone, rather than never.
        self.memory_used.saturating_add(needed) <= limit || self.running.is_empty()
    }

    fn make_ready(&mut self, node: Node) {
        if let Some((turn, agent)) = self.turn(node)
            && let Some(ready) = self.ready.get_mut(agent.0)
        {
            ready.insert(turn);
            self.set_place(node, Place::Ready);
        }
    }

    fn leave_ready(&mut self, node: Node) -> bool {
        match self.turn(node) {
            Some((turn, agent)) => self.ready.get_mut(agent.0).is_some_and(|ready| ready.remove(&turn)),
            None => false,
        }
    }

    fn hold_up(&mut self, turn: Turn) {
        self.leave_ready(turn.node);
        self.set_place(turn.node, Place::HeldUp);
    }

    fn run(&mut self, turn: Turn) {
        self.leave_ready(turn.node);
        self.running.push(turn.node);
        let Some(task) = self.tasks.get_mut(turn.node.index()) else { return };
        task.place = Place::Running;
        task.has_started = true;
        self.memory_used += task.needs.memory;
        if let Some(running) = self.running_by_agent.get_mut(task.needs.agent.0) {
            *running += 1;
        }
    }

    /// Takes a running task off its slot, and lets those look again whom it held up; tells whether it ran.
    fn stop(&mut self, node: Node) -> bool {
        let Some(place) = self.running.iter().position(|running| *running == node) else { return false };
        self.running.remove(place);
        let Some(task) = self.tasks.get_mut(node.index()) else { return false };
        self.memory_used = self.memory_used.saturating_sub(task.needs.memory);
        if let Some(running) = self.running_by_agent.get_mut(task.needs.agent.0) {
            *running = running.saturating_sub(1);
        }
        let mut freed = std::mem::take(&mut task.held_up);
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
    }
}
