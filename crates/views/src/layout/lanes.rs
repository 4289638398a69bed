//! Which phase is which lane, and which task is in which layer of it.

use std::collections::{BTreeMap, BTreeSet};

use domain::PhaseNumber;

use crate::{Rows, graph::Graph};

/// The lanes of a picture, and what is in them.
#[derive(Debug)]
pub struct Lanes {
    /// The lanes, by the numbers of their phases.
    pub lanes: Vec<Lane>,
    /// How many stacks there are, from left to right.
    pub n_stacks: usize,
    /// For each task its lane.
    pub lane_of: Vec<usize>,
    /// For each task its layer, counted within its stack.
    pub layer_of: Vec<usize>,
}

/// One phase.
#[derive(Debug)]
pub struct Lane {
    pub phase: PhaseNumber,
    pub title: String,
    /// Which stack it is in: those of one stand one below the other.
    pub stack: usize,
}

impl Lanes {
    /// Finds the lanes and layers of the tasks of a run.
    pub fn of(rows: &Rows, graph: &Graph) -> Self {
        let of_tasks = rows.tasks.iter().map(|row| row.phase);
        let numbers: BTreeSet<PhaseNumber> =
            rows.phases.iter().map(|row| row.number).chain(of_tasks).collect();
        let lanes: BTreeMap<PhaseNumber, usize> = numbers.iter().copied().zip(0..).collect();
        let lane_of: Vec<usize> =
            rows.tasks.iter().filter_map(|row| lanes.get(&row.phase).copied()).collect();
        let stacks = stacks(rows, graph, &lanes, &lane_of);
        let layer_of = layers(graph, &lane_of, &stacks);
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

/// Returns for each lane its stack: one further to the right than everything that it comes after.
fn stacks(rows: &Rows, graph: &Graph, lanes: &BTreeMap<PhaseNumber, usize>, lane_of: &[usize]) -> Vec<usize> {
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
    // Phases whose tasks wait for each other's to and fro can't be one behind the other, so they share a stack.
    let circles = phases.circles();
    let mut merged = Graph::new(lanes.len());
    for lane in 0..phases.len() {
        for earlier in phases.before(lane) {
            merged.connect(circles[*earlier], circles[lane]);
        }
    }
    let levels = merged.levels();
    circles.iter().map(|circle| levels[*circle]).collect()
}

/// Returns for each task its layer: one further to the right than everything in its stack that it waits for.
fn layers(graph: &Graph, lane_of: &[usize], stacks: &[usize]) -> Vec<usize> {
    let mut within = Graph::new(graph.len());
    let stack = |task: usize| stacks[lane_of[task]];
    for task in 0..graph.len() {
        for earlier in graph.before(task).iter().filter(|earlier| stack(**earlier) == stack(task)) {
            within.connect(*earlier, task);
        }
    }
    within.levels()
}
