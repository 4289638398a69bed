//! Edges of a graph in one piece of memory.

/// For each node the nodes it leads to.
#[derive(Debug, Default)]
pub(crate) struct EdgeList {
    /// Where the edges of each node end.
    ends: Vec<usize>,
    targets: Vec<usize>,
}

impl EdgeList {
    pub(crate) fn with_capacity(n_nodes: usize, n_edges: usize) -> Self {
        Self { ends: Vec::with_capacity(n_nodes), targets: Vec::with_capacity(n_edges) }
    }

    /// Adds edges of the node that is being built.
    pub(crate) fn extend(&mut self, targets: &[usize]) {
        self.targets.extend_from_slice(targets);
    }

    /// Adds one edge of the node that is being built.
    pub(crate) fn push(&mut self, target: usize) {
        self.targets.push(target);
    }

    /// Ends the node that is being built; the next edges are the next node's.
    pub(crate) fn end_node(&mut self) {
        self.ends.push(self.targets.len());
    }

    pub(crate) fn n_nodes(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn n_edges(&self) -> usize {
        self.targets.len()
    }

    /// Returns the nodes that a node leads to.
    pub(crate) fn targets_of(&self, node: usize) -> &[usize] {
        let start = node.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(node).copied().unwrap_or(start);
        self.targets.get(start..end).unwrap_or_default()
    }

    /// Returns the same edges from the other side, each node's in the order of the nodes they come from.
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
    fn reversed_edges_lead_back() {
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
