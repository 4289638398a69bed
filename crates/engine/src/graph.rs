//! The dependency graph of tasks, and the critical path of each node.
//!
//! Invariant: the graph has no cycle. `Graph::connect` rejects an edge that would close one.

use smallvec::SmallVec;

/// A node of the graph: a task, the gate of a phase or an external dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(u32);

impl Node {
    /// Returns the node with this index.
    pub fn from_index(index: usize) -> Self {
        // Saturates: a plan has far fewer than four billion tasks.
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// Returns the index of the node, in the order in which nodes were added.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A rejected edge that would close a cycle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the dependency would close a cycle of {} nodes", path.len().saturating_sub(1))]
pub struct CycleError {
    /// The cycle, from a node back to itself.
    pub path: Vec<Node>,
}

/// Nodes, their dependencies and their durations.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Graph {
    links: Vec<Links>,
}

/// Most tasks have few neighbours: storing them inline keeps large plans fast.
type Neighbours = SmallVec<[Node; 4]>;

#[derive(Debug, Clone, PartialEq, Default)]
struct Links {
    dependencies: Neighbours,
    dependents: Neighbours,
    duration: u64,
    /// Sum of durations along the longest path to the end, this node included.
    critical_path: u64,
}

impl Graph {
    /// Builds a graph from durations (in a unit of the caller's choice) and edges (earlier, later).
    pub fn new(durations: &[u64], edges: &[(usize, usize)]) -> Result<Self, CycleError> {
        let links =
            durations.iter().map(|duration| Links { duration: *duration, ..Links::default() }).collect();
        let mut graph = Self { links };
        let mut edges = edges.to_vec();
        edges.sort_unstable();
        edges.dedup();
        for (earlier, later) in edges {
            graph.link(Node::from_index(earlier), Node::from_index(later));
        }
        graph.update_critical_paths()?;
        Ok(graph)
    }

    pub fn add_node(&mut self, duration: u64) -> Node {
        self.links.push(Links { duration, critical_path: duration, ..Links::default() });
        Node::from_index(self.links.len() - 1)
    }

    /// Returns all nodes, in the order in which they were added.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + use<> {
        (0..self.links.len()).map(Node::from_index)
    }

    /// Returns the nodes that a node depends on.
    pub fn dependencies(&self, node: Node) -> &[Node] {
        self.links.get(node.index()).map_or(&[], |links| &links.dependencies)
    }

    /// Returns the nodes that depend on a node.
    pub fn dependents(&self, node: Node) -> &[Node] {
        self.links.get(node.index()).map_or(&[], |links| &links.dependents)
    }

    /// Returns the sum of durations along the longest path from a node to the end, the node included.
    pub fn critical_path(&self, node: Node) -> u64 {
        self.links.get(node.index()).map_or(0, |links| links.critical_path)
    }

    /// Makes `later` depend on `earlier`; an existing edge is left unchanged.
    pub fn connect(&mut self, earlier: Node, later: Node) -> Result<(), CycleError> {
        if self.dependencies(later).contains(&earlier) {
            return Ok(());
        }
        if let Some(path) = self.find_path(later, earlier) {
            return Err(CycleError { path: [&[earlier], path.as_slice()].concat() });
        }
        self.link(earlier, later);
        self.update_critical_paths()
    }

    /// Removes an edge and returns whether it existed.
    pub fn disconnect(&mut self, earlier: Node, later: Node) -> bool {
        if !self.dependencies(later).contains(&earlier) {
            return false;
        }
        if let Some(links) = self.links.get_mut(later.index()) {
            links.dependencies.retain(|node| *node != earlier);
        }
        if let Some(links) = self.links.get_mut(earlier.index()) {
            links.dependents.retain(|node| *node != later);
        }
        self.update_critical_paths().is_ok()
    }

    /// Changes the estimated durations of nodes.
    pub fn set_durations(&mut self, durations: impl IntoIterator<Item = (Node, u64)>) {
        for (node, duration) in durations {
            if let Some(links) = self.links.get_mut(node.index()) {
                links.duration = duration;
            }
        }
        // Durations do not affect cycles: this cannot fail.
        let _ = self.update_critical_paths();
    }

    fn link(&mut self, earlier: Node, later: Node) {
        if let Some(links) = self.links.get_mut(later.index()) {
            links.dependencies.push(earlier);
        }
        if let Some(links) = self.links.get_mut(earlier.index()) {
            links.dependents.push(later);
        }
    }

    /// Recomputes all critical paths, from the end backwards. Fails if the graph has a cycle.
    fn update_critical_paths(&mut self) -> Result<(), CycleError> {
        let mut open_dependents: Vec<usize> = self.links.iter().map(|links| links.dependents.len()).collect();
        let mut ends: Vec<Node> = self.nodes().filter(|node| self.dependents(*node).is_empty()).collect();
        let mut n_measured = 0;
        while let Some(node) = ends.pop() {
            n_measured += 1;
            let longest = self
                .dependents(node)
                .iter()
                .map(|dependent| self.critical_path(*dependent))
                .max()
                .unwrap_or(0);
            let Some(links) = self.links.get_mut(node.index()) else { continue };
            links.critical_path = links.duration.saturating_add(longest);
            for dependency in &links.dependencies {
                if let Some(open) = open_dependents.get_mut(dependency.index()) {
                    *open -= 1;
                    if *open == 0 {
                        ends.push(*dependency);
                    }
                }
            }
        }
        if n_measured == self.links.len() { Ok(()) } else { Err(self.find_cycle(&open_dependents)) }
    }

    /// Finds a cycle among the nodes without a critical path: each of them has a dependent among them.
    fn find_cycle(&self, open_dependents: &[usize]) -> CycleError {
        let is_open = |node: &Node| open_dependents.get(node.index()).is_some_and(|open| *open > 0);
        let mut path: Vec<Node> = self.nodes().find(is_open).into_iter().collect();
        while let Some(last) = path.last().copied() {
            let Some(next) = self.dependents(last).iter().copied().find(is_open) else { break };
            if let Some(start) = path.iter().position(|node| *node == next) {
                path.drain(..start);
                path.push(next);
                break;
            }
            path.push(next);
        }
        CycleError { path }
    }

    /// Finds a path along the edges.
    fn find_path(&self, from: Node, to: Node) -> Option<Vec<Node>> {
        let mut predecessors: Vec<Option<Node>> = vec![None; self.links.len()];
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            if node == to {
                let mut path = vec![node];
                let mut current = node;
                while current != from {
                    current = predecessors.get(current.index()).copied().flatten()?;
                    path.push(current);
                }
                path.reverse();
                return Some(path);
            }
            for next in self.dependents(node) {
                let slot = predecessors.get_mut(next.index())?;
                if slot.is_none() && *next != from {
                    *slot = Some(node);
                    open.push(*next);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{CycleError, Graph, Node};

    #[test]
    fn edge_that_closes_a_cycle_is_rejected_with_its_path() {
        let mut graph = Graph::new(&[1, 2, 3], &[(0, 1), (1, 2)]).unwrap();
        let [a, b, c] = [0, 1, 2].map(Node::from_index);
        assert_eq!(graph.connect(c, a), Err(CycleError { path: vec![c, a, b, c] }));
        assert_eq!(graph.connect(a, a), Err(CycleError { path: vec![a, a] }));
        assert_eq!(graph.dependencies(a), []);
        let cycle = Graph::new(&[1, 1, 1], &[(0, 1), (1, 2), (2, 1)]).unwrap_err();
        assert_eq!(cycle.path.len(), 3);
    }

    #[test]
    fn critical_paths_follow_every_change() {
        let mut graph = Graph::new(&[1, 2, 4], &[(0, 1), (0, 2)]).unwrap();
        let [a, b, c] = [0, 1, 2].map(Node::from_index);
        let remaining = |graph: &Graph| [a, b, c].map(|node| graph.critical_path(node));
        assert_eq!(remaining(&graph), [5, 2, 4]);
        graph.connect(b, c).unwrap();
        assert_eq!(remaining(&graph), [7, 6, 4]);
        graph.set_durations([(c, 10)]);
        assert_eq!(remaining(&graph), [13, 12, 10]);
        assert!(graph.disconnect(b, c));
        assert!(!graph.disconnect(b, c));
        assert_eq!(remaining(&graph), [11, 2, 10]);
    }
}
