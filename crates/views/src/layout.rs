//! Where the tasks of a run stand in a picture of its plan.
//!
//! Phases are lanes, one right of the other where one comes after the other, one below the other where they go on at
//! once. Within a lane tasks stand in layers, so that every edge goes to the right. The same rows make the same picture.

mod lanes;
mod order;
mod place;

use std::collections::BTreeMap;

use domain::{PhaseNumber, TaskId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Rows, graph::Graph, schedule::critical_path};

/// How wide a task is drawn.
pub const NODE_WIDTH: i64 = 200;
/// How high a task is drawn: its name, its title, and a line below.
pub const NODE_HEIGHT: i64 = 76;

/// A picture of a plan. All measures are in the same unit, a pixel where nobody zooms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Layout {
    /// How wide it is.
    pub width: i64,
    /// How high it is.
    pub height: i64,
    /// How wide a task is.
    pub node_width: i64,
    /// How high a task is.
    pub node_height: i64,
    /// The phases, by number.
    pub lanes: Vec<Lane>,
    /// The tasks, by name.
    pub nodes: Vec<Node>,
    /// Who waits for whom.
    pub edges: Vec<Edge>,
}

/// The place of a phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Lane {
    /// The phase.
    pub phase: PhaseNumber,
    /// Its name, or an empty text.
    pub title: String,
    /// Its left side.
    pub x: i64,
    /// Its upper side.
    pub y: i64,
    /// How wide it is.
    pub width: i64,
    /// How high it is.
    pub height: i64,
}

/// The place of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "PlacedTask"))]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// The task.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub task: TaskId,
    /// Its left side.
    pub x: i64,
    /// Its upper side.
    pub y: i64,
    /// Whether it is on the longest way through the plan.
    pub is_critical: bool,
}

/// One task that waits for another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Link"))]
#[serde(rename_all = "camelCase")]
pub struct Edge {
    /// The task that comes first.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub from: TaskId,
    /// The one that waits for it.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub to: TaskId,
    /// Whether it is on the longest way through the plan.
    pub is_critical: bool,
}

/// Draws the plan of a run.
pub fn layout(rows: &Rows, now: Timestamp) -> Layout {
    let tasks: Vec<&TaskId> = rows.tasks.iter().map(|row| &row.id).collect();
    let graph = of_tasks(rows);
    let lanes = lanes::Lanes::of(rows, &graph);
    let ordered = order::order(&graph, &lanes);
    let placed = place::place(&graph, &lanes, &ordered);
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
        width: placed.width,
        height: placed.height,
        node_width: NODE_WIDTH,
        node_height: NODE_HEIGHT,
        nodes: tasks.iter().zip(&placed.nodes).map(node).collect(),
        edges: (0..graph.len())
            .flat_map(|to| graph.before(to).iter().map(move |from| (*from, to)))
            .map(|(from, to)| edge(from, to))
            .collect(),
        lanes: placed.lanes,
    }
}

/// Returns the tasks as a graph: each by its place in the table, what the plan does not know left out.
pub(crate) fn of_tasks(rows: &Rows) -> Graph {
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
