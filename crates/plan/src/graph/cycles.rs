//! Detection of dependency cycles.

use std::{collections::VecDeque, fmt};

use domain::PhaseNumber;

use crate::plan::Plan;

use super::TaskGraph;

/// Cycles beyond this number are not reported; fixing a hundred warrants another check anyway.
const CYCLES_MAX: usize = 100;

/// A closed path of dependencies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle {
    /// Starts and ends with the smallest id; contains only phases if the phase order itself is circular.
    pub nodes: Vec<CycleNode>,
    text: String,
}

/// A node of a cycle; each depends on the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CycleNode {
    /// Index of the task in [`Plan::tasks`].
    Task(usize),
    /// The gate of a phase.
    Phase(PhaseNumber),
}

/// Formats the cycle as `T1.5->T2.1->phase 1->T1.5`.
impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl TaskGraph {
    /// Returns disjoint cycles until every cycle shares a task with one of them; at most a hundred.
    ///
    /// Each is the shortest cycle through its smallest id, and they are sorted by that id. `plan` must be the plan
    /// that the graph was built from.
    pub fn cycles(&self, plan: &Plan) -> Vec<Cycle> {
        let mut is_open = vec![true; self.dependencies.n_nodes()];
        for node in self.node_order_unless(|_| false) {
            is_open[node] = false;
        }
        if !is_open.contains(&true) {
            return Vec::new();
        }
        let mut cycles = self.phase_cycles(&mut is_open);
        let mut found_one = true;
        while found_one && cycles.len() < CYCLES_MAX {
            found_one = false;
            for component in self.strongly_connected_components(&is_open) {
                if cycles.len() == CYCLES_MAX {
                    break;
                }
                let tasks = component.iter().copied().filter(|&node| self.is_task(node));
                let smallest = tasks.min_by_key(|&node| self.sort_rank_of(node));
                let Some(path) =
                    smallest.and_then(|smallest| self.shortest_cycle_through(smallest, &is_open))
                else {
                    continue;
                };
                for &node in path.iter().filter(|&&node| self.is_task(node)) {
                    is_open[node] = false;
                }
                cycles.push(path);
                found_one = true;
            }
        }
        cycles.sort_by_key(|path| path.first().map(|&node| self.sort_rank_of(node)));
        cycles.into_iter().map(|path| self.to_cycle(&path, plan)).collect()
    }

    /// Returns the cycles among phases alone, and closes those phases for the search among tasks.
    fn phase_cycles(&self, is_open: &mut [bool]) -> Vec<Vec<usize>> {
        let mut are_phases = is_open.to_vec();
        are_phases.iter_mut().take(self.n_tasks()).for_each(|is_open| *is_open = false);
        let mut cycles = Vec::new();
        for component in self.strongly_connected_components(&are_phases) {
            cycles.extend(
                component
                    .iter()
                    .filter(|&&node| self.is_gate(node))
                    .min()
                    .and_then(|&gate| self.shortest_cycle_through(gate, &are_phases)),
            );
            component.into_iter().for_each(|node| is_open[node] = false);
        }
        cycles
    }

    fn is_gate(&self, node: usize) -> bool {
        node >= self.n_tasks() + self.phases.len()
    }

    fn to_cycle(&self, path: &[usize], plan: &Plan) -> Cycle {
        let n_phases = self.phases.len();
        let step = |&node: &usize| {
            if self.is_task(node) {
                return Some(CycleNode::Task(node));
            }
            // A phase start adds nothing to the gate it depends on, so it is omitted.
            let gate = (node - self.n_tasks()).checked_sub(n_phases)?;
            self.phases.get(gate).map(|&number| CycleNode::Phase(number))
        };
        let steps: Vec<CycleNode> = path.iter().filter_map(step).collect();
        let text = steps.iter().map(|step| match step {
            CycleNode::Task(task) => plan.tasks.get(*task).map_or("", |task| task.id.as_str()).to_owned(),
            CycleNode::Phase(number) => format!("phase {number}"),
        });
        let text = text.collect::<Vec<_>>().join("->");
        Cycle { nodes: steps, text }
    }

    fn shortest_cycle_through(&self, from: usize, is_open: &[bool]) -> Option<Vec<usize>> {
        let mut came_from: Vec<Option<usize>> = vec![None; self.dependencies.n_nodes()];
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            for &next in self.dependencies.targets_of(node) {
                if next == from {
                    return Some(reconstruct_cycle_path(node, from, &came_from));
                }
                if is_open[next] && came_from[next].is_none() {
                    came_from[next] = Some(node);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// Tarjan's algorithm on the open nodes, with an explicit stack because dependency chains can exceed the call
    /// stack.
    fn strongly_connected_components(&self, is_open: &[bool]) -> Vec<Vec<usize>> {
        let n_nodes = self.dependencies.n_nodes();
        let mut search = TarjanState {
            index: vec![0; n_nodes],
            low: vec![0; n_nodes],
            on_stack: vec![false; n_nodes],
            stack: Vec::new(),
            n_seen: 0,
        };
        let mut components = Vec::new();
        for root in 0..n_nodes {
            if !is_open[root] || search.index[root] > 0 {
                continue;
            }
            let mut calls = vec![(root, 0)];
            search.enter_node(root);
            while let Some((node, edge)) = calls.last_mut() {
                let node = *node;
                if let Some(&next) = self.dependencies.targets_of(node).get(*edge) {
                    *edge += 1;
                    if !is_open[next] {
                        continue;
                    }
                    if search.index[next] == 0 {
                        search.enter_node(next);
                        calls.push((next, 0));
                    } else if search.on_stack[next] {
                        search.low[node] = search.low[node].min(search.index[next]);
                    }
                    continue;
                }
                calls.pop();
                if let Some(&(parent, _)) = calls.last() {
                    search.low[parent] = search.low[parent].min(search.low[node]);
                }
                components.extend(search.pop_component_at(node));
            }
        }
        components.retain(|component| {
            component.len() > 1 || self.dependencies.targets_of(component[0]).contains(&component[0])
        });
        components
    }
}

/// State of Tarjan's algorithm; index 0 means unvisited.
struct TarjanState {
    index: Vec<usize>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    n_seen: usize,
}

impl TarjanState {
    fn enter_node(&mut self, node: usize) {
        self.n_seen += 1;
        self.index[node] = self.n_seen;
        self.low[node] = self.n_seen;
        self.stack.push(node);
        self.on_stack[node] = true;
    }

    /// Returns the component whose root is this node, if it is a root.
    fn pop_component_at(&mut self, node: usize) -> Option<Vec<usize>> {
        if self.low[node] != self.index[node] {
            return None;
        }
        let start = self.stack.iter().rposition(|&on_stack| on_stack == node)?;
        let component = self.stack.split_off(start);
        for &member in &component {
            self.on_stack[member] = false;
        }
        Some(component)
    }
}

fn reconstruct_cycle_path(last: usize, from: usize, came_from: &[Option<usize>]) -> Vec<usize> {
    let mut path = vec![from, last];
    let mut node = last;
    if last == from {
        return path;
    }
    while let Some(before) = came_from[node]
        && before != from
    {
        path.push(before);
        node = before;
    }
    path.push(from);
    path.reverse();
    path
}
