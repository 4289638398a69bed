//! Adjacency lists in contiguous memory.

/// The outgoing edges of each node; nodes are built one after another.
#[derive(Debug, Default)]
pub(crate) struct EdgeList {
    /// For each node, the end of its edges in `targets`.
    ends: Vec<usize>,
    targets: Vec<usize>,
}

impl EdgeList {
    pub(crate) fn with_capacity(n_nodes: usize, n_edges: usize) -> Self {
        Self { ends: Vec::with_capacity(n_nodes), targets: Vec::with_capacity(n_edges) }
    }

    pub(crate) fn extend(&mut self, targets: &[usize]) {
        self.targets.extend_from_slice(targets);
    }

    pub(crate) fn push(&mut self, target: usize) {
        self.targets.push(target);
    }

    /// Completes the current node; further edges belong to the next one.
    pub(crate) fn end_node(&mut self) {
        self.ends.push(self.targets.len());
    }

    pub(crate) fn n_nodes(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn n_edges(&self) -> usize {
        self.targets.len()
    }

    pub(crate) fn targets_of(&self, node: usize) -> &[usize] {
        let start = node.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(node).copied().unwrap_or(start);
        self.targets.get(start..end).unwrap_or_default()
    }

    /// Returns the graph with all edges reversed; each node's targets are in increasing order.
    pub(crate) fn reversed(&self) -> Self {
        let mut starts = vec![0; self.n_nodes() + 1];
        for &target in &self.targets {
            starts[target + 1] += 1;
        }
        for node in 0..self.n_nodes() {
            starts[node + 1] += starts[node];
        }
        let ends = starts[1..].to_vec();
        let mut targets = vec![0; self.targets.len()];
        for node in 0..self.n_nodes() {
            for &target in self.targets_of(node) {
                targets[starts[target]] = node;
                starts[target] += 1;
            }
        }
        Self { ends, targets }
    }
}

#[cfg(test)]
mod tests {
    use super::EdgeList;

    #[test]
    fn reversed_edges_point_back_to_their_sources() {
        let mut edges = EdgeList::default();
        for targets in [vec![1, 2], vec![2], vec![], vec![0, 0]] {
            edges.extend(&targets);
            edges.end_node();
        }
        let back = edges.reversed();
        let all: Vec<&[usize]> = (0..4).map(|node| back.targets_of(node)).collect();
        assert_eq!(all, [&[3, 3][..], &[0], &[0, 1], &[]]);
    }
}
