//! Who waits for whom: the order, the longest way, the widest moment.
//!
//! Besides the tasks there are two nodes for each phase, its beginning and its gate. A task waits for the beginning of
//! its phase, a beginning for the gates of the phases before it, a gate for all tasks of its phase. So a barrier
//! between two phases of n and m tasks costs n + m edges, not n × m. Never starts anything.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
};

use domain::PhaseNumber;

use crate::{
    ids::{self, IdMap},
    plan::Plan,
};

mod cycles;
mod edges;
mod estimate;

pub use cycles::{Cycle, CycleNode};

pub(crate) use edges::Edges;

/// The graph of one plan. Tasks are given as their places in [`Plan::tasks`].
#[derive(Debug)]
pub struct TaskGraph {
    weights: Vec<u32>,
    phases: Vec<PhaseNumber>,
    /// From each node to those it waits for. The nodes are the tasks, then the beginnings, then the gates.
    waits: Edges,
    /// The place of each task among all, sorted by id.
    rank: Vec<usize>,
}

impl TaskGraph {
    /// Builds the graph; a dependency on what is not in the plan is left out.
    pub fn new(plan: &Plan) -> Self {
        let n_tasks = plan.tasks.len();
        let mut places = IdMap::default();
        places.reserve(n_tasks);
        let mut keys = Vec::with_capacity(n_tasks);
        let mut n_waits = 0;
        for (place, task) in plan.tasks.iter().enumerate() {
            places.insert(task.id.as_str(), place);
            keys.push(ids::key(task.id.as_str()));
            n_waits += task.depends_on.len();
        }
        let by_id = ids::sorted(&plan.tasks, &keys);
        Self::build(plan, n_waits, &by_id, |place, waits| {
            let ids = plan.tasks.get(place).map_or(&[][..], |task| &task.depends_on);
            let known = ids.iter().filter_map(|id| places.get(id.as_str()).copied());
            known.for_each(|place| waits.push(place));
        })
    }

    /// Builds the graph of a plan, given for each task the places of those it waits for, and all places by id.
    pub(crate) fn from_places(plan: &Plan, task_waits: &Edges, by_id: &[usize]) -> Self {
        Self::build(plan, task_waits.n_edges(), by_id, |place, waits| waits.extend(task_waits.of(place)))
    }

    /// Builds the graph; `add_waits` is asked for each task in turn what it waits for.
    fn build(
        plan: &Plan,
        n_waits: usize,
        by_id: &[usize],
        mut add_waits: impl FnMut(usize, &mut Edges),
    ) -> Self {
        let n_tasks = plan.tasks.len();
        let n_phases = plan.phases.len();
        let (beginning, gate) = (|phase: usize| n_tasks + phase, |phase: usize| n_tasks + n_phases + phase);
        let phase_places: BTreeMap<PhaseNumber, usize> =
            plan.phases.iter().enumerate().map(|(place, phase)| (phase.number, place)).collect();

        let mut waits = Edges::with_capacity(n_tasks + 2 * n_phases, n_waits + 2 * n_tasks + 3 * n_phases);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); n_phases];
        let mut weights = Vec::with_capacity(n_tasks);
        let mut place = 0;
        for run in plan.tasks.chunk_by(|task, next| task.phase == next.phase) {
            let phase = run.first().and_then(|task| phase_places.get(&task.phase)).copied();
            if let Some(members) = phase.and_then(|phase| members.get_mut(phase)) {
                members.extend(place..place + run.len());
            }
            for task in run {
                weights.push(task.weight());
                add_waits(place, &mut waits);
                phase.into_iter().for_each(|phase| waits.push(beginning(phase)));
                waits.end_node();
                place += 1;
            }
        }
        for phase in &plan.phases {
            let after = phase.after.iter().filter_map(|number| phase_places.get(number));
            after.for_each(|&phase| waits.push(gate(phase)));
            waits.end_node();
        }
        for (place, members) in members.into_iter().enumerate() {
            waits.extend(&members);
            waits.push(beginning(place));
            waits.end_node();
        }

        let mut rank = vec![0; n_tasks];
        for (position, &place) in by_id.iter().enumerate() {
            rank[place] = position;
        }
        Self { weights, phases: plan.phases.iter().map(|phase| phase.number).collect(), waits, rank }
    }

    /// Returns the tasks so that each comes after all that it waits for; among those that could be next the smallest
    /// id is. Tasks in a cycle, or behind one, are left out.
    pub fn topological_order(&self) -> Vec<usize> {
        self.node_order().into_iter().filter(|&node| self.is_task(node)).collect()
    }

    /// Returns all nodes in such an order; the nodes of phases come as early as they can.
    fn node_order(&self) -> Vec<usize> {
        let dependents = self.waits.reversed();
        let mut n_open: Vec<usize> =
            (0..self.waits.n_nodes()).map(|node| self.waits.of(node).len()).collect();
        let mut ready = BinaryHeap::new();
        let mut order = Vec::with_capacity(n_open.len());
        for (node, &n_open) in n_open.iter().enumerate() {
            if n_open == 0 {
                ready.push(Reverse((self.rank_of(node), node)));
            }
        }
        while let Some(Reverse((_, node))) = ready.pop() {
            order.push(node);
            for &dependent in dependents.of(node) {
                n_open[dependent] -= 1;
                if n_open[dependent] == 0 {
                    ready.push(Reverse((self.rank_of(dependent), dependent)));
                }
            }
        }
        order
    }

    fn n_tasks(&self) -> usize {
        self.weights.len()
    }

    fn is_task(&self, node: usize) -> bool {
        node < self.n_tasks()
    }

    /// Sorts nodes: those of phases first, then the tasks by id.
    fn rank_of(&self, node: usize) -> usize {
        self.rank.get(node).map_or(0, |rank| rank + 1)
    }

    fn weight(&self, node: usize) -> u32 {
        self.weights.get(node).copied().unwrap_or(0)
    }
}
