//! The critical path: the longest chain of dependent work.

use std::collections::BTreeMap;

use domain::{PhaseNumber, TaskId};

use super::pace::Pace;
use crate::{Rows, graph::Graph, layout::build_dependency_graph, rows::TaskRow};

/// Tasks and gates of a run in one graph.
pub(crate) struct GatedGraph<'a> {
    /// The first nodes of the graph.
    pub tasks: Vec<&'a TaskRow>,
    /// The nodes after the tasks.
    pub gates: Vec<PhaseNumber>,
    pub graph: Graph,
}

impl<'a> GatedGraph<'a> {
    pub(crate) fn of(rows: &'a Rows) -> Self {
        let tasks: Vec<&TaskRow> = rows.tasks.iter().collect();
        let gates: Vec<PhaseNumber> = rows.phases.iter().map(|row| row.number).collect();
        let places: BTreeMap<PhaseNumber, usize> = gates.iter().copied().zip(tasks.len()..).collect();
        let of_tasks = build_dependency_graph(rows);
        let mut graph = Graph::new(tasks.len() + gates.len());
        for (place, task) in tasks.iter().enumerate() {
            of_tasks.before(place).iter().for_each(|earlier| graph.connect(*earlier, place));
            let Some(phase) = rows.phases.get(&task.phase) else { continue };
            for gate in phase.after.iter().filter_map(|number| places.get(number)) {
                graph.connect(*gate, place);
            }
            if let Some(gate) = places.get(&task.phase) {
                graph.connect(place, *gate);
            }
        }
        for phase in rows.phases.iter() {
            let Some(gate) = places.get(&phase.number) else { continue };
            for earlier in phase.after.iter().filter_map(|number| places.get(number)) {
                graph.connect(*earlier, *gate);
            }
        }
        Self { tasks, gates, graph }
    }

    /// Returns for each node the duration of the longest path from its start to the end of the run.
    pub(crate) fn remaining_ms(&self, ms: &[u64]) -> Vec<u64> {
        let mut remaining = vec![0_u64; self.graph.len()];
        for node in self.graph.topological_order().into_iter().rev() {
            let after = self.graph.after(node).iter().map(|later| remaining[*later]).max().unwrap_or(0);
            remaining[node] = after.saturating_add(ms.get(node).copied().unwrap_or(0));
        }
        remaining
    }
}

/// Returns the tasks of the longest path, in order; of equally long paths the one with the earlier tasks.
pub(crate) fn path(rows: &Rows, pace: &Pace) -> Vec<TaskId> {
    let graph_of_gates = GatedGraph::of(rows);
    let ms: Vec<u64> = graph_of_gates.tasks.iter().map(|row| pace.whole_ms(rows, row)).collect();
    let remaining = graph_of_gates.remaining_ms(&ms);
    let longest = |nodes: &mut dyn Iterator<Item = usize>| {
        nodes.reduce(|best, node| if remaining[node] > remaining[best] { node } else { best })
    };
    let mut path = Vec::new();
    let mut at = longest(&mut (0..graph_of_gates.graph.len()));
    // A cycle would not end; a plan that runs has none.
    while let Some(node) = at.filter(|_| path.len() < graph_of_gates.tasks.len()) {
        if let Some(row) = graph_of_gates.tasks.get(node).filter(|_| ms[node] > 0) {
            path.push(row.id.clone());
        }
        let next = longest(&mut graph_of_gates.graph.after(node).iter().copied());
        at = next.filter(|next| remaining[*next] > 0 && remaining[*next] <= remaining[node]);
    }
    path
}
