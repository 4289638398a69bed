//! Orders the tasks of each layer with few crossings, by sweeping back and forth (barycenter heuristic).

use std::collections::BTreeMap;

use super::lanes::Lanes;
use crate::graph::Graph;

/// More sweeps hardly ever improve the result.
const SWEEPS_MAX: usize = 12;

/// Tasks of one layer of one lane, from top to bottom.
pub(crate) type Cell = Vec<usize>;
/// Stack, layer and lane of a cell; sorts from left to right.
pub(crate) type CellKey = (usize, usize, usize);
pub(crate) type Cells = BTreeMap<CellKey, Cell>;

/// Orders the tasks of each cell and returns the order with the fewest crossings that the sweeps found.
pub(crate) fn order(graph: &Graph, lanes: &Lanes) -> Cells {
    let mut cells = Cells::new();
    for task in 0..graph.len() {
        let lane = lanes.lane_of[task];
        let key = (lanes.lanes[lane].stack, lanes.layer_of[task], lane);
        cells.entry(key).or_default().push(task);
    }
    let mut heights = vec![0; graph.len()];
    cells.values().for_each(|cell| record_heights(cell, &mut heights));
    let edges = Edges::of(graph, &cells);
    let mut best = (edges.cost(&heights), cells.clone());
    for sweep in 0..SWEEPS_MAX {
        if sweep % 2 == 0 {
            cells
                .values_mut()
                .for_each(|cell| sort_by_neighbours(cell, &mut heights, |task| graph.before(task)));
        } else {
            cells
                .values_mut()
                .rev()
                .for_each(|cell| sort_by_neighbours(cell, &mut heights, |task| graph.after(task)));
        }
        let cost = edges.cost(&heights);
        if cost < best.0 {
            best = (cost, cells.clone());
        }
    }
    best.1
}

/// Sorts a cell by the average height of the neighbours; a task without neighbours stays.
fn sort_by_neighbours<'a>(cell: &mut Cell, heights: &mut [i64], neighbours: impl Fn(usize) -> &'a [usize]) {
    cell.sort_by_cached_key(|task| {
        scaled_mean_height(neighbours(*task), heights).unwrap_or(heights[*task] * FINE)
    });
    record_heights(cell, heights);
}

/// Fixed-point factor of averages, so that they compare the same on every machine.
const FINE: i64 = 1_000;

fn scaled_mean_height(tasks: &[usize], heights: &[i64]) -> Option<i64> {
    let sum: i64 = tasks.iter().map(|task| heights[*task]).sum();
    (sum * FINE).checked_div(i64::try_from(tasks.len()).unwrap_or(i64::MAX))
}

/// Records the heights of a cell's tasks, centred on 0.
fn record_heights(cell: &Cell, heights: &mut [i64]) {
    let n_tasks = i64::try_from(cell.len()).unwrap_or(i64::MAX);
    for (place, task) in (0..).zip(cell) {
        heights[*task] = 2 * place - (n_tasks - 1);
    }
}

/// Edges grouped by the two cells that they connect.
struct Edges(Vec<Vec<(usize, usize)>>);

impl Edges {
    fn of(graph: &Graph, cells: &Cells) -> Self {
        let mut cell_of = vec![0; graph.len()];
        for (number, cell) in cells.values().enumerate() {
            cell.iter().for_each(|task| cell_of[*task] = number);
        }
        let mut edges: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
        for later in 0..graph.len() {
            for earlier in graph.before(later) {
                edges.entry((cell_of[*earlier], cell_of[later])).or_default().push((*earlier, later));
            }
        }
        Self(edges.into_values().collect())
    }

    /// Returns the number of crossings between edges of the same two cells, then the total length of the edges.
    fn cost(&self, heights: &[i64]) -> (u64, u64) {
        let mut cost = (0, 0);
        for edges in &self.0 {
            let mut ends: Vec<(i64, i64)> =
                edges.iter().map(|(from, to)| (heights[*from], heights[*to])).collect();
            cost.1 += ends.iter().map(|(from, to)| from.abs_diff(*to)).sum::<u64>();
            ends.sort_unstable();
            let mut ends: Vec<i64> = ends.into_iter().map(|(_, to)| to).collect();
            cost.0 += sort_and_count_inversions(&mut ends);
        }
        cost
    }
}

/// Sorts numbers and returns the number of inversions.
fn sort_and_count_inversions(numbers: &mut [i64]) -> u64 {
    if numbers.len() < 2 {
        return 0;
    }
    let (left, right) = numbers.split_at_mut(numbers.len() / 2);
    let mut n_inversions = sort_and_count_inversions(left) + sort_and_count_inversions(right);
    let mut sorted = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (&*left, &*right);
    while let ([first, more @ ..], [other, others @ ..]) = (left, right) {
        if first <= other {
            sorted.push(*first);
            left = more;
        } else {
            n_inversions += left.len() as u64;
            sorted.push(*other);
            right = others;
        }
    }
    sorted.extend_from_slice(left);
    sorted.extend_from_slice(right);
    numbers.copy_from_slice(&sorted);
    n_inversions
}

#[cfg(test)]
mod tests {
    use super::sort_and_count_inversions;

    #[test]
    fn inversions_are_counted() {
        for (numbers, expected) in [(vec![], 0), (vec![1, 1], 0), (vec![2, 1], 1), (vec![3, 1, 2, 0], 5)] {
            let mut sorted = numbers.clone();
            assert_eq!(sort_and_count_inversions(&mut sorted), expected, "{numbers:?}");
            assert!(sorted.is_sorted());
        }
    }
}
