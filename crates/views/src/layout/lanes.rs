//! Assigns phases to lanes and tasks to layers.

use std::collections::{BTreeMap, BTreeSet};

use domain::PhaseNumber;

use crate::{Rows, graph::Graph};

#[derive(Debug)]
pub(crate) struct Lanes {
    /// Sorted by phase number.
    pub lanes: Vec<Lane>,
    /// Number of stacks, from left to right.
    pub n_stacks: usize,
    /// Lane of each task.
    pub lane_of: Vec<usize>,
    /// Layer of each task within its stack.
    pub layer_of: Vec<usize>,
}

#[derive(Debug)]
pub(crate) struct Lane {
    pub phase: PhaseNumber,
    pub title: String,
    /// Lanes of the same stack are below each other.
    pub stack: usize,
}

impl Lanes {
    pub(crate) fn of(rows: &Rows, graph: &Graph) -> Self {
        let of_tasks = rows.tasks.iter().map(|row| row.phase);
        let numbers: BTreeSet<PhaseNumber> =
            rows.phases.iter().map(|row| row.number).chain(of_tasks).collect();
        let lanes: BTreeMap<PhaseNumber, usize> = numbers.iter().copied().zip(0..).collect();
        let lane_of: Vec<usize> =
            rows.tasks.iter().filter_map(|row| lanes.get(&row.phase).copied()).collect();
        let stacks = lane_stacks(rows, graph, &lanes, &lane_of);
        let layer_of = task_layers(graph, &lane_of, &stacks);
        let title = |phase| rows.phases.get(&phase).map(|row| row.name.clone()).unwrap_or_default();
        let lane = |(phase, lane): (&PhaseNumber, &usize)| Lane {
            phase: *phase,
            title: title(*phase),
            stack: stacks[*lane],
        };
        let n_stacks = stacks.iter().max().map_or(0, |last| last + 1);
        Self { lanes: lanes.iter().map(lane).collect(), n_stacks, lane_of, layer_of }
    }
}

/// Returns the stack of each lane: right of all phases that it depends on.
fn lane_stacks(
    rows: &Rows,
    graph: &Graph,
    lanes: &BTreeMap<PhaseNumber, usize>,
    lane_of: &[usize],
) -> Vec<usize> {
    let mut phases = Graph::new(lanes.len());
    for row in rows.phases.iter() {
        let Some(later) = lanes.get(&row.number) else { continue };
        for earlier in row.after.iter().filter_map(|number| lanes.get(number)) {
            phases.connect(*earlier, *later);
        }
    }
    for task in 0..graph.len() {
        for earlier in graph.before(task) {
            phases.connect(lane_of[*earlier], lane_of[task]);
        }
    }
    // Phases whose tasks depend on each other in both directions share a stack.
    let circles = phases.strongly_connected_components();
    let mut merged = Graph::new(lanes.len());
    for lane in 0..phases.len() {
        for earlier in phases.before(lane) {
            merged.connect(circles[*earlier], circles[lane]);
        }
    }
    let levels = merged.levels();
    circles.iter().map(|circle| levels[*circle]).collect()
}

/// Returns the layer of each task: right of all tasks of its stack that it depends on.
fn task_layers(graph: &Graph, lane_of: &[usize], stacks: &[usize]) -> Vec<usize> {
    let mut within = Graph::new(graph.len());
    let stack = |task: usize| stacks[lane_of[task]];
    for task in 0..graph.len() {
        for earlier in graph.before(task).iter().filter(|earlier| stack(**earlier) == stack(task)) {
            within.connect(*earlier, task);
        }
    }
    within.levels()
}
