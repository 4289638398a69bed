//! A directed graph whose nodes are indexes; the caller knows what they stand for.
//!
//! Nodes in a cycle are not an error: they come last, in index order.

use std::collections::VecDeque;

#[derive(Debug, Clone, Default)]
pub(crate) struct Graph {
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
}

impl Graph {
    /// Creates a graph without edges.
    pub(crate) fn new(n_nodes: usize) -> Self {
        Self { before: vec![Vec::new(); n_nodes], after: vec![Vec::new(); n_nodes] }
    }

    /// Adds an edge. Ignores duplicates and self-loops.
    pub(crate) fn connect(&mut self, earlier: usize, later: usize) {
        if earlier != later && !self.before[later].contains(&earlier) {
            self.before[later].push(earlier);
            self.after[earlier].push(later);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.before.len()
    }

    /// Returns the direct predecessors of a node.
    pub(crate) fn before(&self, node: usize) -> &[usize] {
        &self.before[node]
    }

    /// Returns the direct successors of a node.
    pub(crate) fn after(&self, node: usize) -> &[usize] {
        &self.after[node]
    }

    /// Returns the nodes in topological order.
    pub(crate) fn topological_order(&self) -> Vec<usize> {
        let mut n_before: Vec<usize> = self.before.iter().map(Vec::len).collect();
        let mut free: VecDeque<usize> = (0..self.len()).filter(|node| n_before[*node] == 0).collect();
        let mut order = Vec::with_capacity(self.len());
        while let Some(node) = free.pop_front() {
            order.push(node);
            for later in self.after(node) {
                n_before[*later] -= 1;
                if n_before[*later] == 0 {
                    free.push_back(*later);
                }
            }
        }
        order.extend((0..self.len()).filter(|node| n_before[*node] > 0));
        order
    }

    /// Returns the length of the longest path to each node, in edges.
    pub(crate) fn levels(&self) -> Vec<usize> {
        let mut levels = vec![0; self.len()];
        for node in self.topological_order() {
            let level = self.before(node).iter().map(|earlier| levels[*earlier] + 1).max();
            levels[node] = level.unwrap_or(0);
        }
        levels
    }

    /// Returns the strongly connected component of each node, identified by its smallest node.
    pub(crate) fn strongly_connected_components(&self) -> Vec<usize> {
        // Kosaraju's algorithm: backward from the node finished last, only nodes of its component are reachable.
        let mut circles: Vec<Option<usize>> = vec![None; self.len()];
        for start in self.depth_first_finish_order().into_iter().rev() {
            let mut members = Vec::new();
            let mut open = vec![start];
            while let Some(node) = open.pop() {
                if circles[node].is_none() {
                    circles[node] = Some(start);
                    members.push(node);
                    open.extend(self.before(node));
                }
            }
            let name = members.iter().min().copied();
            members.into_iter().for_each(|node| circles[node] = name);
        }
        circles.into_iter().enumerate().map(|(node, circle)| circle.unwrap_or(node)).collect()
    }

    /// Returns the nodes in the order in which a depth-first search finishes them.
    fn depth_first_finish_order(&self) -> Vec<usize> {
        let mut is_seen = vec![false; self.len()];
        let mut ends = Vec::with_capacity(self.len());
        for start in 0..self.len() {
            let mut open = vec![(start, 0)];
            while let Some((node, n_taken)) = open.pop() {
                if n_taken == 0 && std::mem::replace(&mut is_seen[node], true) {
                    continue;
                }
                match self.after(node).get(n_taken) {
                    Some(next) => open.extend([(node, n_taken + 1), (*next, 0)]),
                    None => ends.push(node),
                }
            }
        }
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::Graph;

    fn graph_with_edges(n_nodes: usize, edges: &[(usize, usize)]) -> Graph {
        let mut graph = Graph::new(n_nodes);
        edges.iter().for_each(|(earlier, later)| graph.connect(*earlier, *later));
        graph
    }

    #[test]
    fn levels_are_longest_path_lengths() {
        assert_eq!(graph_with_edges(5, &[(0, 1), (1, 2), (0, 2), (3, 2)]).levels(), [0, 1, 2, 0, 0]);
    }

    #[test]
    fn components_are_identified_by_their_smallest_node() {
        assert_eq!(
            graph_with_edges(6, &[(0, 1), (1, 2), (2, 1), (2, 3), (4, 3), (3, 5), (5, 4)])
                .strongly_connected_components(),
            [0, 1, 1, 3, 3, 3]
        );
        assert_eq!(graph_with_edges(3, &[(0, 1), (0, 2), (1, 2)]).strongly_connected_components(), [0, 1, 2]);
    }

    #[test]
    fn nodes_of_a_cycle_come_last_in_topological_order() {
        assert_eq!(graph_with_edges(4, &[(0, 1), (1, 0), (2, 3)]).topological_order(), [2, 3, 0, 1]);
    }
}
