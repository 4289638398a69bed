//! Generated workloads: graphs of tasks with durations, and their makespan under a schedule.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
    num::NonZeroU32,
};

use domain::Priority;
use engine::{AgentIndex, Graph, Node, Schedule, ScheduleLimits, TaskRequirements, TouchedPaths};

use crate::random::Random;

/// A graph of tasks and their real durations.
pub struct Workload {
    /// Duration of each task, in any unit.
    pub durations: Vec<u64>,
    /// Pairs of task indices (earlier, later).
    pub edges: Vec<(usize, usize)>,
}

/// The shape of a generated graph.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum GraphShape {
    /// Each task waits for up to three earlier ones.
    Random,
    /// Chains of three, with edges between them for 15 of 100 tasks.
    Chains,
}

/// Generates a graph with durations that are mostly short and sometimes long (lognormal, sigma 1).
pub fn generate(shape: GraphShape, n_tasks: usize, seed: u64) -> Workload {
    let mut random = Random::new(seed);
    let durations = (0..n_tasks).map(|_| (1000.0 * normal(&mut random).exp()) as u64 + 1).collect();
    let mut edges = Vec::new();
    for later in 1..n_tasks {
        match shape {
            GraphShape::Random => {
                for _ in 0..random.below(4) {
                    edges.push((random.below(later), later));
                }
            }
            GraphShape::Chains => {
                if later % 3 != 0 {
                    edges.push((later - 1, later));
                }
                if random.below(100) < 15 {
                    edges.push((random.below(later), later));
                }
            }
        }
    }
    Workload { durations, edges }
}

impl Workload {
    /// Returns a time that no schedule can beat: the longest chain, or all work spread over the slots.
    pub fn lower_bound(&self, slots: u32) -> u64 {
        let graph = self.graph(&self.durations);
        let longest = graph.nodes().map(|node| graph.critical_path(node)).max().unwrap_or(0);
        let work: u64 = self.durations.iter().sum();
        longest.max(work.div_ceil(u64::from(slots)))
    }

    /// Returns the makespan under the engine's schedule, which only knows these estimates.
    pub fn makespan(&self, slots: u32, estimates: &[u64]) -> u64 {
        let mut schedule = self.new_schedule(slots, estimates);
        let mut now = 0;
        let mut ends: BinaryHeap<Reverse<(u64, Node)>> = BinaryHeap::new();
        loop {
            while let Some(node) = schedule.start_next() {
                ends.push(Reverse((now + self.durations[node.index()], node)));
            }
            let Some(Reverse((end, node))) = ends.pop() else { return now };
            now = end;
            schedule.mark_met(node);
        }
    }

    /// Returns the makespan level by level: a level starts only after the one above it has ended.
    pub fn makespan_by_levels(&self, slots: u32) -> u64 {
        let mut level = vec![0; self.durations.len()];
        for (earlier, later) in &self.edges {
            level[*later] = level[*later].max(level[*earlier] + 1);
        }
        let mut by_level: HashMap<usize, Vec<u64>> = HashMap::new();
        for (task, level) in level.iter().enumerate() {
            by_level.entry(*level).or_default().push(self.durations[task]);
        }
        by_level.values().map(|durations| makespan_of_independent_tasks(durations, slots)).sum()
    }

    /// Returns a schedule in which no task has started.
    pub fn new_schedule(&self, slots: u32, estimates: &[u64]) -> Schedule {
        let needs = TaskRequirements {
            priority: Priority::Normal,
            agent: AgentIndex(0),
            memory: 0,
            touches: TouchedPaths::default(),
        };
        let slots = NonZeroU32::new(slots).unwrap_or(NonZeroU32::MIN);
        let limits = ScheduleLimits { slots, agents: vec![NonZeroU32::MAX], memory: None };
        Schedule::new(self.graph(estimates), vec![needs; self.durations.len()], limits)
    }

    fn graph(&self, durations: &[u64]) -> Graph {
        Graph::new(durations, &self.edges).unwrap_or_default()
    }
}

/// Returns the makespan of independent tasks, started in their order on these slots.
fn makespan_of_independent_tasks(durations: &[u64], slots: u32) -> u64 {
    let mut free: BinaryHeap<Reverse<u64>> = (0..slots).map(|_| Reverse(0)).collect();
    let mut end = 0;
    for duration in durations {
        let Reverse(start) = free.pop().unwrap_or(Reverse(0));
        end = end.max(start + duration);
        free.push(Reverse(start + duration));
    }
    end
}

/// Returns a number from the normal distribution (Box and Muller).
fn normal(random: &mut Random) -> f64 {
    const STEPS: usize = 1 << 24;
    let uniform = |random: &mut Random| (random.below(STEPS) + 1) as f64 / STEPS as f64;
    let (left, right) = (uniform(random), uniform(random));
    (-2.0 * left.ln()).sqrt() * (std::f64::consts::TAU * right).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_schedule_beats_the_lower_bound_and_one_slot_takes_the_sum() {
        for shape in [GraphShape::Random, GraphShape::Chains] {
            let work = generate(shape, 60, 3);
            let total: u64 = work.durations.iter().sum();
            assert_eq!(work.makespan(1, &work.durations), total);
            assert_eq!(work.makespan_by_levels(1), total);
            for slots in [2, 5] {
                assert!(work.makespan(slots, &work.durations) >= work.lower_bound(slots));
                assert!(work.makespan_by_levels(slots) >= work.lower_bound(slots));
            }
        }
    }
}
