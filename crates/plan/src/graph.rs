//! The dependency graph of a plan: topological order, critical path, maximum parallelism, cycles.
//!
//! Each phase adds two nodes, its start and its gate. A task depends on the start of its phase, a start on the gates
//! of the phases before it, a gate on all tasks of its phase. A barrier between phases of n and m tasks therefore
//! costs n + m edges, not n × m.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
};

use domain::PhaseNumber;

use crate::{
    ids::{self, IndexById},
    plan::Plan,
};

mod cycles;
mod edges;
mod estimate;

pub use cycles::{Cycle, CycleNode};

pub(crate) use edges::EdgeList;

/// The dependency graph of one plan. Tasks are identified by their index in [`Plan::tasks`].
#[derive(Debug)]
pub struct TaskGraph {
    weights: Vec<u32>,
    /// Whether each task is done.
    is_done: Vec<bool>,
    phases: Vec<PhaseNumber>,
    /// Edges from each node to its dependencies. Nodes are the tasks, then the phase starts, then the gates.
    dependencies: EdgeList,
    /// For each task, its position among all tasks sorted by id.
    id_ranks: Vec<usize>,
}

impl TaskGraph {
    /// Builds the graph; dependencies that are not in the plan are ignored.
    pub fn new(plan: &Plan) -> Self {
        let n_tasks = plan.tasks.len();
        let mut index_by_id = IndexById::default();
        index_by_id.reserve(n_tasks);
        let mut keys = Vec::with_capacity(n_tasks);
        let mut n_dependencies = 0;
        for (index, task) in plan.tasks.iter().enumerate() {
            index_by_id.insert(task.id.as_str(), index);
            keys.push(ids::sort_key(task.id.as_str()));
            n_dependencies += task.depends_on.len();
        }
        let by_id = ids::indices_sorted_by_id(&plan.tasks, &keys);
        Self::build(plan, n_dependencies, &by_id, |index, dependencies| {
            let ids = plan.tasks.get(index).map_or(&[][..], |task| &task.depends_on);
            let known = ids.iter().filter_map(|id| index_by_id.get(id.as_str()).copied());
            known.for_each(|index| dependencies.push(index));
        })
    }

    /// Builds the graph from resolved dependencies and the task indices sorted by id.
    pub(crate) fn from_dependencies(plan: &Plan, task_dependencies: &EdgeList, by_id: &[usize]) -> Self {
        Self::build(plan, task_dependencies.n_edges(), by_id, |index, dependencies| {
            dependencies.extend(task_dependencies.targets_of(index))
        })
    }

    /// Builds the graph; `push_dependencies` is called once for each task index in increasing order.
    fn build(
        plan: &Plan,
        n_dependencies: usize,
        by_id: &[usize],
        mut push_dependencies: impl FnMut(usize, &mut EdgeList),
    ) -> Self {
        let n_tasks = plan.tasks.len();
        let n_phases = plan.phases.len();
        let (beginning, gate) = (|phase: usize| n_tasks + phase, |phase: usize| n_tasks + n_phases + phase);
        let phase_indices: BTreeMap<PhaseNumber, usize> =
            plan.phases.iter().enumerate().map(|(index, phase)| (phase.number, index)).collect();

        let mut dependencies =
            EdgeList::with_capacity(n_tasks + 2 * n_phases, n_dependencies + 2 * n_tasks + 3 * n_phases);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); n_phases];
        let mut weights = Vec::with_capacity(n_tasks);
        let mut index = 0;
        for run in plan.tasks.chunk_by(|task, next| task.phase == next.phase) {
            let phase = run.first().and_then(|task| phase_indices.get(&task.phase)).copied();
            if let Some(members) = phase.and_then(|phase| members.get_mut(phase)) {
                members.extend(index..index + run.len());
            }
            for task in run {
                weights.push(task.weight());
                push_dependencies(index, &mut dependencies);
                phase.into_iter().for_each(|phase| dependencies.push(beginning(phase)));
                dependencies.end_node();
                index += 1;
            }
        }
        for phase in &plan.phases {
            let after = phase.after.iter().filter_map(|number| phase_indices.get(number));
            after.for_each(|&phase| dependencies.push(gate(phase)));
            dependencies.end_node();
        }
        for (index, members) in members.into_iter().enumerate() {
            dependencies.extend(&members);
            dependencies.push(beginning(index));
            dependencies.end_node();
        }

        let mut id_ranks = vec![0; n_tasks];
        for (position, &index) in by_id.iter().enumerate() {
            id_ranks[index] = position;
        }
        Self {
            weights,
            is_done: plan.tasks.iter().map(|task| task.done).collect(),
            phases: plan.phases.iter().map(|phase| phase.number).collect(),
            dependencies,
            id_ranks,
        }
    }

    /// Returns the tasks so that each comes after its dependencies; of several candidates the smallest id is next.
    /// Tasks that are part of a cycle or depend on one are omitted, unless all tasks of the cycle are done.
    pub fn topological_order(&self) -> Vec<usize> {
        self.node_order().into_iter().filter(|&node| self.is_task(node)).collect()
    }

    /// Returns all nodes in topological order; phase nodes come as early as possible. If there is a cycle, done tasks wait
    /// for nothing: a cycle among them holds back nothing.
    fn node_order(&self) -> Vec<usize> {
        let order = self.node_order_unless(|_| false);
        if order.len() == self.dependencies.n_nodes() {
            return order;
        }
        self.node_order_unless(|node| self.is_done.get(node).copied().unwrap_or(false))
    }

    /// Returns the nodes in topological order; those that are free wait for nothing.
    fn node_order_unless(&self, is_free: impl Fn(usize) -> bool) -> Vec<usize> {
        let dependents = self.dependencies.reversed();
        let mut n_open: Vec<usize> =
            (0..self.dependencies.n_nodes()).map(|node| self.dependencies.targets_of(node).len()).collect();
        let mut ready = BinaryHeap::new();
        let mut order = Vec::with_capacity(n_open.len());
        for (node, &n_open) in n_open.iter().enumerate() {
            if n_open == 0 || is_free(node) {
                ready.push(Reverse((self.sort_rank_of(node), node)));
            }
        }
        while let Some(Reverse((_, node))) = ready.pop() {
            order.push(node);
            for &dependent in dependents.targets_of(node) {
                n_open[dependent] -= 1;
                if n_open[dependent] == 0 && !is_free(dependent) {
                    ready.push(Reverse((self.sort_rank_of(dependent), dependent)));
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

    /// Sort key of a node: phase nodes first, then tasks by id.
    fn sort_rank_of(&self, node: usize) -> usize {
        self.id_ranks.get(node).map_or(0, |id_ranks| id_ranks + 1)
    }

    fn weight(&self, node: usize) -> u32 {
        self.weights.get(node).copied().unwrap_or(0)
    }
}
