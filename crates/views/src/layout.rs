//! Positions of the tasks in a diagram of the plan.
//!
//! Phases are lanes: dependent phases side by side, parallel phases below each other. Within a lane tasks are in
//! layers, so that every edge points to the right. The same rows give the same layout.

mod lanes;
mod order;
mod place;

use std::collections::BTreeMap;

use domain::{PhaseNumber, TaskId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Rows, graph::Graph, schedule::critical_path};

pub const NODE_WIDTH: i64 = 200;
/// Room for the id, the title and a status line.
pub const NODE_HEIGHT: i64 = 76;

/// Diagram of a plan. All lengths are in CSS pixels at zoom 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Layout {
    pub width: i64,
    pub height: i64,
    pub node_width: i64,
    pub node_height: i64,
    /// Sorted by number.
    pub lanes: Vec<Lane>,
    /// Sorted by id.
    pub nodes: Vec<Node>,
    /// Dependencies between tasks.
    pub edges: Vec<Edge>,
}

/// Position and size of a phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Lane {
    pub phase: PhaseNumber,
    /// Empty if the phase has no name.
    pub title: String,
    pub x: i64,
    pub y: i64,
    pub width: i64,
    pub height: i64,
}

/// Position of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "PlacedTask"))]
#[serde(rename_all = "camelCase")]
pub struct Node {
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub task: TaskId,
    pub x: i64,
    pub y: i64,
    /// Whether it is on the critical path.
    pub is_critical: bool,
}

/// Dependency of one task on another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Link"))]
#[serde(rename_all = "camelCase")]
pub struct Edge {
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub from: TaskId,
    /// The task that depends on `from`.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub to: TaskId,
    /// Whether it is on the critical path.
    pub is_critical: bool,
}

/// Computes the diagram of a plan.
pub fn layout(rows: &Rows, now: Timestamp) -> Layout {
    let tasks: Vec<&TaskId> = rows.tasks.iter().map(|row| &row.id).collect();
    let graph = build_dependency_graph(rows);
    let lanes = lanes::Lanes::of(rows, &graph);
    let ordered = order::order(&graph, &lanes);
    let coordinates = place::place(&graph, &lanes, &ordered);
    let path = critical_path(rows, now);
    let next: BTreeMap<&TaskId, Option<&TaskId>> =
        path.iter().zip(path.iter().skip(1).map(Some).chain([None])).collect();
    let node = |(task, (x, y)): (&&TaskId, &(i64, i64))| Node {
        task: (*task).clone(),
        x: *x,
        y: *y,
        is_critical: next.contains_key(*task),
    };
    let edge = |from: usize, to: usize| Edge {
        from: tasks[from].clone(),
        to: tasks[to].clone(),
        is_critical: next.get(tasks[from]).is_some_and(|next| *next == Some(tasks[to])),
    };
    Layout {
        width: coordinates.width,
        height: coordinates.height,
        node_width: NODE_WIDTH,
        node_height: NODE_HEIGHT,
        nodes: tasks.iter().zip(&coordinates.nodes).map(node).collect(),
        edges: (0..graph.len())
            .flat_map(|to| graph.before(to).iter().map(move |from| (*from, to)))
            .map(|(from, to)| edge(from, to))
            .collect(),
        lanes: coordinates.lanes,
    }
}

/// Returns the dependencies between the tasks as a graph of their indexes in the table; ignores unknown tasks.
pub(crate) fn build_dependency_graph(rows: &Rows) -> Graph {
    let places: BTreeMap<&TaskId, usize> = rows.tasks.iter().map(|row| &row.id).zip(0..).collect();
    let mut graph = Graph::new(places.len());
    for detail in rows.task_details.iter() {
        let Some(later) = places.get(&detail.id) else { continue };
        for earlier in detail.depends_on.iter().filter_map(|id| places.get(id)) {
            graph.connect(*earlier, *later);
        }
    }
    graph
}
