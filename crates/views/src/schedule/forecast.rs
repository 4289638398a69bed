//! Predicts the rest of a run by simulating the scheduler: ready tasks start by priority, as slots are free.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap},
};

use domain::{AgentName, BlockReason, Priority, Role, Timestamp};

use super::{Bar, BarKind, critical::GatedGraph, pace::Pace};
use crate::{
    Rows,
    rows::{PhaseState, RunState, TaskRow, TaskState},
};

#[derive(Debug, Default)]
pub(crate) struct Forecast {
    pub bars: Vec<Bar>,
    pub end_at: Option<Timestamp>,
    pub n_guessed: u32,
    pub n_stuck: u32,
}

pub(crate) fn forecast(rows: &Rows, pace: &Pace, now: Timestamp) -> Forecast {
    let Some(run) = rows.run.get(&()) else { return Forecast::default() };
    match run.status {
        RunState::Running | RunState::Paused => Simulation::new(rows, pace, run.slots, now).run(),
        RunState::Done | RunState::Failed | RunState::Cancelled => Forecast::default(),
    }
}

/// Order of ready tasks: the smallest starts next, as in the scheduler.
type StartOrder = (Reverse<bool>, Reverse<Priority>, Reverse<u64>, usize);

struct Simulation<'a> {
    rows: &'a Rows,
    graph_of_gates: GatedGraph<'a>,
    left_ms: Vec<u64>,
    remaining: Vec<u64>,
    n_before: Vec<usize>,
    worker: Option<&'a AgentName>,
    slots: u32,
    free: u32,
    free_of: BTreeMap<Option<&'a AgentName>, u32>,
    ready: BTreeMap<Option<&'a AgentName>, BTreeSet<StartOrder>>,
    /// Ends of running tasks; each frees a slot.
    working: BinaryHeap<Reverse<(Timestamp, usize)>>,
    /// Ends of rate limits.
    resting: BinaryHeap<Reverse<(Timestamp, usize)>>,
    now: Timestamp,
    forecast: Forecast,
}

impl<'a> Simulation<'a> {
    fn new(rows: &'a Rows, pace: &Pace, slots: u32, now: Timestamp) -> Self {
        let graph_of_gates = GatedGraph::of(rows);
        let left_ms: Vec<u64> = graph_of_gates.tasks.iter().map(|row| pace.left_ms(rows, row)).collect();
        let remaining = graph_of_gates.remaining_ms(&left_ms);
        let n_before =
            (0..graph_of_gates.graph.len()).map(|node| graph_of_gates.graph.before(node).len()).collect();
        let worker = rows.agents.iter().find(|row| row.role == Role::Worker).map(|row| &row.name);
        let free_of = rows.agents.iter().map(|row| (Some(&row.name), row.slots.map_or(slots, Into::into)));
        Self {
            free_of: free_of.collect(),
            rows,
            graph_of_gates,
            left_ms,
            remaining,
            n_before,
            worker,
            slots,
            free: slots,
            ready: BTreeMap::new(),
            working: BinaryHeap::new(),
            resting: BinaryHeap::new(),
            now,
            forecast: Forecast::default(),
        }
    }

    fn run(mut self) -> Forecast {
        // Running tasks keep their slots.
        for node in 0..self.graph_of_gates.tasks.len() {
            let row = self.graph_of_gates.tasks[node];
            if matches!(row.state, TaskState::Running | TaskState::Checking | TaskState::Merging) {
                self.start_task(node, row);
            }
        }
        let nodes = 0..self.graph_of_gates.graph.len();
        let free: Vec<usize> = nodes.filter(|node| self.n_before[*node] == 0 || self.is_met(*node)).collect();
        free.into_iter().for_each(|node| self.release_node(node));
        while self.step() {}
        self.into_forecast()
    }

    /// Starts all tasks that can start, then advances to the next end of a task or rate limit.
    fn step(&mut self) -> bool {
        while let Some((node, row)) = self.take_next_ready_task() {
            self.start_task(node, row);
        }
        let ends = self.working.peek().map(|Reverse((at, _))| *at);
        let wakes = self.resting.peek().map(|Reverse((at, _))| *at);
        match (ends, wakes) {
            (None, None) => return false,
            (Some(ends), wakes) if wakes.is_none_or(|wakes| ends <= wakes) => {
                if let Some(Reverse((at, node))) = self.working.pop() {
                    self.now = self.now.max(at);
                    self.release_slot(node);
                    self.finish_node(node);
                }
            }
            (_, _) => {
                if let Some(Reverse((at, node))) = self.resting.pop() {
                    self.now = self.now.max(at);
                    self.enqueue_task(node);
                }
            }
        }
        true
    }

    fn agent_of_task(&self, row: &'a TaskRow) -> Option<&'a AgentName> {
        row.agent.as_ref().or(self.worker)
    }

    fn take_next_ready_task(&mut self) -> Option<(usize, &'a TaskRow)> {
        if self.free == 0 {
            return None;
        }
        let free_of = &self.free_of;
        let has_room = |agent: &Option<&AgentName>| free_of.get(agent).is_none_or(|free| *free > 0);
        let firsts = self.ready.iter().filter(|(agent, _)| has_room(agent));
        let (turn, agent) = firsts.filter_map(|(agent, turns)| Some((*turns.first()?, *agent))).min()?;
        self.ready.get_mut(&agent)?.remove(&turn);
        let node = turn.3;
        self.graph_of_gates.tasks.get(node).map(|row| (node, *row))
    }

    /// Gives a task a slot until it is done.
    fn start_task(&mut self, node: usize, row: &'a TaskRow) {
        let agent = self.agent_of_task(row);
        self.free = self.free.saturating_sub(1);
        let slots = self.slots;
        let free_of = self.free_of.entry(agent).or_insert(slots);
        *free_of = free_of.saturating_sub(1);
        let left_ms = i64::try_from(self.left_ms[node]).unwrap_or(i64::MAX);
        let end_at = Timestamp(self.now.0.saturating_add(left_ms));
        self.working.push(Reverse((end_at, node)));
        self.forecast.n_guessed += u32::from(Pace::has_no_estimate(self.rows, &row.id));
        self.forecast.end_at = self.forecast.end_at.max(Some(end_at));
        self.forecast.bars.push(Bar {
            task: row.id.clone(),
            agent: agent.cloned(),
            kind: BarKind::Predicted,
            start_at: self.now,
            end_at,
            reason: None,
            text: None,
            korean: None,
            is_critical: false,
        });
    }

    fn release_slot(&mut self, node: usize) {
        let agent = self.graph_of_gates.tasks.get(node).and_then(|row| self.agent_of_task(row));
        self.free += 1;
        if let Some(free) = self.free_of.get_mut(&agent) {
            *free += 1;
        }
    }

    /// Marks a node as finished and releases the nodes that waited only for it.
    fn finish_node(&mut self, node: usize) {
        for later in self.graph_of_gates.graph.after(node).to_vec() {
            self.n_before[later] = self.n_before[later].saturating_sub(1);
            if self.n_before[later] == 0 && !self.is_met(later) {
                self.release_node(later);
            }
        }
    }

    /// Handles a node whose dependencies are met.
    fn release_node(&mut self, node: usize) {
        let Some(row) = self.graph_of_gates.tasks.get(node).copied() else { return self.finish_node(node) };
        match row.state {
            TaskState::Done | TaskState::Skipped => self.finish_node(node),
            // Already running, or ended without success.
            TaskState::Running | TaskState::Checking | TaskState::Merging => {}
            TaskState::Failed | TaskState::Cancelled => {}
            TaskState::Waiting | TaskState::Ready => self.enqueue_task(node),
            TaskState::Blocked => {
                let until = row.blocked.iter().filter_map(|blocked| match blocked.reason {
                    BlockReason::RateLimited { until } => Some(until),
                    BlockReason::Question { .. }
                    | BlockReason::Request { .. }
                    | BlockReason::Invocation { .. }
                    | BlockReason::Approval { .. }
                    | BlockReason::Escalated { .. }
                    | BlockReason::Paused { .. } => None,
                });
                self.resting.push(Reverse((until.max().unwrap_or(self.now), node)));
            }
        }
    }

    fn enqueue_task(&mut self, node: usize) {
        let Some(row) = self.graph_of_gates.tasks.get(node).copied() else { return };
        let has_started = row.started_at.is_some() && row.state != TaskState::Waiting;
        let turn = (Reverse(has_started), Reverse(row.priority), Reverse(self.remaining[node]), node);
        self.ready.entry(self.agent_of_task(row)).or_default().insert(turn);
    }

    /// Returns whether a node no longer blocks others, whatever it depends on.
    fn is_met(&self, node: usize) -> bool {
        if let Some(row) = self.graph_of_gates.tasks.get(node) {
            return matches!(row.state, TaskState::Done | TaskState::Skipped);
        }
        let gate = self.graph_of_gates.gates.get(node - self.graph_of_gates.tasks.len());
        let phase = gate.and_then(|number| self.rows.phases.get(number));
        phase.is_some_and(|row| matches!(row.state, PhaseState::Approved | PhaseState::Landed))
    }

    fn into_forecast(mut self) -> Forecast {
        let n_stuck = self.n_before.iter().zip(&self.graph_of_gates.tasks).filter(|(n_before, row)| {
            **n_before > 0 && matches!(row.state, TaskState::Waiting | TaskState::Ready)
        });
        self.forecast.n_stuck = u32::try_from(n_stuck.count()).unwrap_or(u32::MAX);
        if self.forecast.n_stuck > 0 {
            self.forecast.end_at = None;
        }
        self.forecast
    }
}
