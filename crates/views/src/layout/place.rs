//! Computes coordinates: columns from left to right, heights that keep edges straight, and the lanes around them.

use std::collections::BTreeMap;

use super::{
    Lane, NODE_HEIGHT, NODE_WIDTH,
    lanes::Lanes,
    order::{CellKey, Cells},
};
use crate::graph::Graph;

/// Vertical distance between two tasks.
const STEP: i64 = NODE_HEIGHT + 18;
/// Horizontal gap between layers, for edges.
const LAYER_GAP: i64 = 60;
/// Horizontal gap between columns of one layer; no edge crosses it.
const COLUMN_GAP: i64 = 24;
/// Space around the tasks of a lane.
const PADDING: i64 = 24;
/// Space above the tasks of a lane, for its title.
const HEAD: i64 = 44;
/// A layer with fewer tasks is never folded into columns.
const ROWS_MIN: usize = 6;
/// Number of passes that move tasks towards their neighbours.
const PASSES: usize = 3;

/// Coordinates of a whole diagram.
pub(crate) struct DiagramCoordinates {
    pub width: i64,
    pub height: i64,
    pub nodes: Vec<(i64, i64)>,
    pub lanes: Vec<Lane>,
}

pub(crate) fn place(graph: &Graph, lanes: &Lanes, cells: &Cells) -> DiagramCoordinates {
    let columns = columns(lanes, cells);
    let (xs, stacks) = horizontal_positions(lanes, &columns);
    let mut ys = vec![0; graph.len()];
    columns.iter().for_each(|column| center_column(&column.tasks, &mut ys));
    for _ in 0..PASSES {
        columns.iter().for_each(|column| {
            move_towards_neighbours(&column.tasks, &mut ys, |task| graph.before(task).iter().chain(&[]))
        });
        let back = columns.iter().rev();
        back.for_each(|column| {
            move_towards_neighbours(&column.tasks, &mut ys, |task| graph.after(task).iter().chain(&[]))
        });
    }
    columns.iter().for_each(|column| {
        move_towards_neighbours(&column.tasks, &mut ys, |task| {
            graph.before(task).iter().chain(graph.after(task))
        });
    });
    let (lanes, height) = place_phase_lanes(lanes, &stacks, &mut ys);
    let width = lanes.iter().map(|lane| lane.x + lane.width).max().unwrap_or(0);
    DiagramCoordinates { width, height, nodes: xs.into_iter().zip(ys).collect(), lanes }
}

/// Tasks below each other.
struct Column {
    cell: CellKey,
    /// Index of the column in its cell.
    part: usize,
    tasks: Vec<usize>,
}

/// Folds layers with very many tasks into several columns, so that the diagram does not become too high.
fn columns(lanes: &Lanes, cells: &Cells) -> Vec<Column> {
    let mut n_tasks = vec![0_usize; lanes.lanes.len()];
    lanes.lane_of.iter().for_each(|lane| n_tasks[*lane] += 1);
    let mut columns = Vec::new();
    for (cell, tasks) in cells {
        let rows_max = (n_tasks[cell.2].isqrt() * 5 / 4).max(ROWS_MIN);
        let n_parts = tasks.len().div_ceil(rows_max).max(1);
        // Dealt round-robin, so that the vertical order is kept.
        columns.extend((0..n_parts).map(|part| Column {
            cell: *cell,
            part,
            tasks: tasks.iter().skip(part).step_by(n_parts).copied().collect(),
        }));
    }
    columns
}

/// Returns the x of each task, and the x and width of each stack.
fn horizontal_positions(lanes: &Lanes, columns: &[Column]) -> (Vec<i64>, Vec<(i64, i64)>) {
    // A layer is as wide as its widest lane.
    let mut n_parts: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for Column { cell: (stack, layer, _), part, .. } in columns {
        let n_parts = n_parts.entry((*stack, *layer)).or_default();
        *n_parts = (*n_parts).max(part + 1);
    }
    let mut lefts = BTreeMap::new();
    let mut stacks = Vec::with_capacity(lanes.n_stacks);
    let mut x = 0;
    for stack in 0..lanes.n_stacks {
        let left = x;
        x += PADDING;
        let mut end = x + NODE_WIDTH;
        for ((_, layer), n_parts) in n_parts.range((stack, 0)..(stack + 1, 0)) {
            lefts.insert((stack, *layer), x);
            end = x + column_x_offset(*n_parts) - COLUMN_GAP;
            x = end + LAYER_GAP;
        }
        x = end + PADDING;
        stacks.push((left, x - left));
    }
    let mut xs = vec![0; lanes.lane_of.len()];
    for Column { cell: (stack, layer, _), part, tasks } in columns {
        let left = lefts.get(&(*stack, *layer)).copied().unwrap_or(0) + column_x_offset(*part);
        tasks.iter().for_each(|task| xs[*task] = left);
    }
    (xs, stacks)
}

fn column_x_offset(part: usize) -> i64 {
    i64::try_from(part).unwrap_or(0) * (NODE_WIDTH + COLUMN_GAP)
}

/// Centres the tasks of a column vertically.
fn center_column(tasks: &[usize], ys: &mut [i64]) {
    let n_tasks = i64::try_from(tasks.len()).unwrap_or(0);
    for (index, task) in (0..).zip(tasks) {
        ys[*task] = (2 * index - (n_tasks - 1)) * STEP / 2;
    }
}

/// Moves the tasks of a column towards their neighbours, keeping their order and distance.
fn move_towards_neighbours<'a, N: Iterator<Item = &'a usize>>(
    tasks: &[usize],
    ys: &mut [i64],
    neighbours: impl Fn(usize) -> N,
) {
    let preferred_height = |task: &usize| {
        let (sum, n) = neighbours(*task).fold((0, 0), |(sum, n), other| (sum + ys[*other], n + 1));
        if n == 0 { ys[*task] } else { sum / n }
    };
    let preferred_heights: Vec<i64> = tasks.iter().map(preferred_height).collect();
    for (task, y) in tasks.iter().zip(separate_heights(&preferred_heights)) {
        ys[*task] = y;
    }
}

/// Returns heights at least one step apart, in order, as near to the preferred ones as possible.
///
/// Tasks that would overlap are merged into a block, placed at the average of their preferred heights.
fn separate_heights(preferred_heights: &[i64]) -> Vec<i64> {
    let mut blocks: Vec<(i64, i64)> = Vec::new();
    for (index, height) in (0..).zip(preferred_heights) {
        let mut block = (height - index * STEP, 1);
        while let Some((sum, n)) = blocks.pop_if(|(sum, n)| sum.div_euclid(*n) >= block.0.div_euclid(block.1))
        {
            block = (block.0 + sum, block.1 + n);
        }
        blocks.push(block);
    }
    let tops = blocks.iter().flat_map(|(sum, n)| (0..*n).map(|_| sum.div_euclid(*n)));
    (0..).zip(tops).map(|(index, top)| top + index * STEP).collect()
}

/// Places the lanes around the tasks and moves the tasks into them. Returns the lanes and the height of the diagram.
fn place_phase_lanes(lanes: &Lanes, stacks: &[(i64, i64)], ys: &mut [i64]) -> (Vec<Lane>, i64) {
    let mut extents: Vec<Option<(i64, i64)>> = vec![None; lanes.lanes.len()];
    for (lane, y) in lanes.lane_of.iter().zip(&*ys) {
        let (top, bottom) = extents[*lane].unwrap_or((*y, *y));
        extents[*lane] = Some((top.min(*y), bottom.max(*y)));
    }
    let mut n_lanes = vec![0; stacks.len()];
    lanes.lanes.iter().for_each(|lane| n_lanes[lane.stack] += 1);
    // Lanes without another lane in their stack share one height, so that edges between them stay straight.
    let is_alone = |lane: usize| n_lanes[lanes.lanes[lane].stack] == 1;
    let alone = (0..extents.len()).filter(|lane| is_alone(*lane)).filter_map(|lane| extents[lane]);
    let common = alone.reduce(|(top, bottom), (other, below)| (top.min(other), bottom.max(below)));
    let mut ends = vec![0; stacks.len()];
    let mut shifts = vec![0; extents.len()];
    let mut placed = Vec::with_capacity(extents.len());
    for (number, lane) in lanes.lanes.iter().enumerate() {
        let extent = if is_alone(number) { common } else { extents[number] };
        let (top, bottom) = extent.unwrap_or((0, 0));
        let y = ends[lane.stack];
        shifts[number] = y + HEAD + PADDING / 2 - top;
        let height = HEAD + PADDING / 2 + (bottom - top) + NODE_HEIGHT + PADDING;
        ends[lane.stack] = y + height;
        let (x, width) = stacks[lane.stack];
        placed.push(Lane { phase: lane.phase, title: lane.title.clone(), x, y, width, height });
    }
    for (lane, y) in lanes.lane_of.iter().zip(ys) {
        *y += shifts[*lane];
    }
    let height = ends.iter().copied().max().unwrap_or(0);
    // The last lane of each stack extends to the bottom.
    for (lane, phase_lane) in placed.iter_mut().zip(&lanes.lanes) {
        if lane.y + lane.height == ends[phase_lane.stack] {
            lane.height = height - lane.y;
        }
    }
    (placed, height)
}

#[cfg(test)]
mod tests {
    use super::{STEP, separate_heights};

    #[test]
    fn tasks_keep_preferred_heights_unless_they_overlap() {
        let check = |preferred_heights: &[i64], expected: &[i64]| {
            assert_eq!(separate_heights(preferred_heights), expected)
        };
        check(&[], &[]);
        check(&[7], &[7]);
        check(&[0, 5 * STEP], &[0, 5 * STEP]);
        check(&[0, 0], &[-STEP / 2, STEP / 2]);
        check(&[10, 10, 10], &[10 - STEP, 10, 10 + STEP]);
    }
}
