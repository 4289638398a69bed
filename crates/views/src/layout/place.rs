//! The measures of the picture: columns from left to right, heights that keep edges straight, lanes around them.

use std::collections::BTreeMap;

use super::{
    Lane, NODE_HEIGHT, NODE_WIDTH,
    lanes::Lanes,
    order::{CellKey, Cells},
};
use crate::graph::Graph;

/// From one task to the one below.
const STEP: i64 = NODE_HEIGHT + 18;
/// Between the layers of a lane: room for edges.
const LAYER_GAP: i64 = 60;
/// Between the columns of one layer, which no edge connects.
const COLUMN_GAP: i64 = 24;
/// Around the tasks of a lane.
const PADDING: i64 = 24;
/// Above the tasks of a lane: room for its title.
const HEAD: i64 = 44;
/// A layer of a small lane is not folded into columns before it has so many tasks.
const ROWS_MIN: usize = 6;
/// How often tasks are moved towards their neighbours.
const PASSES: usize = 3;

/// Where everything is.
pub struct Placed {
    pub width: i64,
    pub height: i64,
    pub nodes: Vec<(i64, i64)>,
    pub lanes: Vec<Lane>,
}

/// Gives everything its place.
pub fn place(graph: &Graph, lanes: &Lanes, cells: &Cells) -> Placed {
    let columns = columns(lanes, cells);
    let (xs, stacks) = across(lanes, &columns);
    let mut ys = vec![0; graph.len()];
    columns.iter().for_each(|column| spread(&column.tasks, &mut ys));
    for _ in 0..PASSES {
        columns
            .iter()
            .for_each(|column| pull(&column.tasks, &mut ys, |task| graph.before(task).iter().chain(&[])));
        let back = columns.iter().rev();
        back.for_each(|column| pull(&column.tasks, &mut ys, |task| graph.after(task).iter().chain(&[])));
    }
    columns.iter().for_each(|column| {
        pull(&column.tasks, &mut ys, |task| graph.before(task).iter().chain(graph.after(task)));
    });
    let (lanes, height) = down(lanes, &stacks, &mut ys);
    let width = lanes.iter().map(|lane| lane.x + lane.width).max().unwrap_or(0);
    Placed { width, height, nodes: xs.into_iter().zip(ys).collect(), lanes }
}

/// Tasks that stand one below the other.
struct Column {
    /// The cell that it is a part of.
    cell: CellKey,
    /// Which part.
    part: usize,
    tasks: Vec<usize>,
}

/// Folds layers with very many tasks into several columns, so that a picture is not all height.
fn columns(lanes: &Lanes, cells: &Cells) -> Vec<Column> {
    let mut n_tasks = vec![0_usize; lanes.lanes.len()];
    lanes.lane_of.iter().for_each(|lane| n_tasks[*lane] += 1);
    let mut columns = Vec::new();
    for (cell, tasks) in cells {
        let rows_max = (n_tasks[cell.2].isqrt() * 5 / 4).max(ROWS_MIN);
        let n_parts = tasks.len().div_ceil(rows_max).max(1);
        // Dealt out in turn, so that what is above in the order stays above.
        columns.extend((0..n_parts).map(|part| Column {
            cell: *cell,
            part,
            tasks: tasks.iter().skip(part).step_by(n_parts).copied().collect(),
        }));
    }
    columns
}

/// Returns for each task its left side, and for each stack its left side and its width.
fn across(lanes: &Lanes, columns: &[Column]) -> (Vec<i64>, Vec<(i64, i64)>) {
    // A layer is as wide as the lane of its stack that needs most.
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
            end = x + part_left(*n_parts) - COLUMN_GAP;
            x = end + LAYER_GAP;
        }
        x = end + PADDING;
        stacks.push((left, x - left));
    }
    let mut xs = vec![0; lanes.lane_of.len()];
    for Column { cell: (stack, layer, _), part, tasks } in columns {
        let left = lefts.get(&(*stack, *layer)).copied().unwrap_or(0) + part_left(*part);
        tasks.iter().for_each(|task| xs[*task] = left);
    }
    (xs, stacks)
}

fn part_left(part: usize) -> i64 {
    i64::try_from(part).unwrap_or(0) * (NODE_WIDTH + COLUMN_GAP)
}

/// Puts the tasks of a column around the middle.
fn spread(tasks: &[usize], ys: &mut [i64]) {
    let n_tasks = i64::try_from(tasks.len()).unwrap_or(0);
    for (place, task) in (0..).zip(tasks) {
        ys[*task] = (2 * place - (n_tasks - 1)) * STEP / 2;
    }
}

/// Moves the tasks of a column to where their neighbours are, as far as their order and their heights let them.
fn pull<'a, N: Iterator<Item = &'a usize>>(tasks: &[usize], ys: &mut [i64], neighbours: impl Fn(usize) -> N) {
    let wish = |task: &usize| {
        let (sum, n) = neighbours(*task).fold((0, 0), |(sum, n), other| (sum + ys[*other], n + 1));
        if n == 0 { ys[*task] } else { sum / n }
    };
    let wishes: Vec<i64> = tasks.iter().map(wish).collect();
    for (task, y) in tasks.iter().zip(settle(&wishes)) {
        ys[*task] = y;
    }
}

/// Returns heights at least a step apart, in order, that are as near to the wished ones as that lets them be.
///
/// Tasks that would come too near are moved as one block, which stands where its tasks want to be on average.
fn settle(wishes: &[i64]) -> Vec<i64> {
    let mut blocks: Vec<(i64, i64)> = Vec::new();
    for (place, wish) in (0..).zip(wishes) {
        let mut block = (wish - place * STEP, 1);
        while let Some((sum, n)) = blocks.pop_if(|(sum, n)| sum.div_euclid(*n) >= block.0.div_euclid(block.1))
        {
            block = (block.0 + sum, block.1 + n);
        }
        blocks.push(block);
    }
    let tops = blocks.iter().flat_map(|(sum, n)| (0..*n).map(|_| sum.div_euclid(*n)));
    (0..).zip(tops).map(|(place, top)| top + place * STEP).collect()
}

/// Puts lanes around the tasks, and moves the tasks into them. Returns the lanes and the height of the picture.
fn down(lanes: &Lanes, stacks: &[(i64, i64)], ys: &mut [i64]) -> (Vec<Lane>, i64) {
    let mut extents: Vec<Option<(i64, i64)>> = vec![None; lanes.lanes.len()];
    for (lane, y) in lanes.lane_of.iter().zip(&*ys) {
        let (top, bottom) = extents[*lane].unwrap_or((*y, *y));
        extents[*lane] = Some((top.min(*y), bottom.max(*y)));
    }
    let mut n_lanes = vec![0; stacks.len()];
    lanes.lanes.iter().for_each(|lane| n_lanes[lane.stack] += 1);
    // Lanes that have their stack for themselves have one height in common, so that edges between them stay straight.
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
    // The last of each stack goes down to the end.
    for (lane, known) in placed.iter_mut().zip(&lanes.lanes) {
        if lane.y + lane.height == ends[known.stack] {
            lane.height = height - lane.y;
        }
    }
    (placed, height)
}

#[cfg(test)]
mod tests {
    use super::{STEP, settle};

    #[test]
    fn tasks_stand_where_they_want_to_unless_another_is_there() {
        let check = |wishes: &[i64], expected: &[i64]| assert_eq!(settle(wishes), expected);
        check(&[], &[]);
        check(&[7], &[7]);
        check(&[0, 5 * STEP], &[0, 5 * STEP]);
        check(&[0, 0], &[-STEP / 2, STEP / 2]);
        check(&[10, 10, 10], &[10 - STEP, 10, 10 + STEP]);
    }
}
