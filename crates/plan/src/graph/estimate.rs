//! How long a run takes at least, and how many agents it could use.
//!
//! Both look at the same imagined run: no limit on agents, every task starts the moment nothing holds it up any more,
//! takes as long as its complexity says ([`Task::weight`](crate::Task::weight)), and ends. The gates of phases pass at
//! once, what is external counts as met, and what is done or optional is met from the beginning, whatever it waits for.

use super::TaskGraph;

impl TaskGraph {
    /// Returns the longest way through the plan by weight.
    ///
    /// Of several that are equally long it is the one whose first difference has the smaller id. Tasks that weigh
    /// nothing are not on it, nor is what is in a cycle or behind one.
    pub fn critical_path(&self) -> Vec<usize> {
        let order = self.node_order();
        let dependents = self.dependencies.reversed();
        let n_nodes = self.dependencies.n_nodes();
        // How long it takes from a node's start to the end, and the next task on that way.
        let mut lengths = vec![0_u64; n_nodes];
        let mut next: Vec<Option<usize>> = vec![None; n_nodes];
        let mut is_reached = vec![false; n_nodes];
        for &node in order.iter().rev() {
            let candidates = dependents.targets_of(node).iter().copied();
            let candidates = candidates.filter(|&dependent| is_reached[dependent] && !self.is_met(dependent));
            let (length, following) = self.longest_path_from(candidates, &lengths, &next);
            lengths[node] = length + u64::from(self.weight(node));
            next[node] = following;
            is_reached[node] = true;
        }
        let (_, mut at) = self.longest_path_from(order.into_iter(), &lengths, &next);
        let mut path = Vec::new();
        while let Some(task) = at {
            path.push(task);
            at = next[task];
        }
        path
    }

    /// Returns the longest way that begins with one of some nodes, and its first task that weighs something.
    fn longest_path_from(
        &self,
        nodes: impl Iterator<Item = usize>,
        lengths: &[u64],
        next: &[Option<usize>],
    ) -> (u64, Option<usize>) {
        let mut best: (u64, Option<usize>) = (0, None);
        for node in nodes {
            let first = if self.weight(node) > 0 { Some(node) } else { next[node] };
            let Some(first) = first else { continue };
            let is_smaller = best.1.is_none_or(|known| self.rank_of(first) < self.rank_of(known));
            if lengths[node] > best.0 || lengths[node] == best.0 && is_smaller {
                best = (lengths[node], Some(first));
            }
        }
        best
    }

    /// Tells whether a node is a task that a run would not start, so that nobody waits for it.
    fn is_met(&self, node: usize) -> bool {
        self.is_task(node) && self.weight(node) == 0
    }

    /// Returns the largest number of tasks that an unlimited run would have at once.
    pub fn max_parallel_tasks(&self) -> usize {
        let mut finish = vec![0_u64; self.dependencies.n_nodes()];
        let mut starts = Vec::new();
        let mut ends = Vec::new();
        for node in self.node_order() {
            let dependencies = if self.is_met(node) { &[] } else { self.dependencies.targets_of(node) };
            let start = dependencies.iter().map(|&dependency| finish[dependency]).max().unwrap_or(0);
            finish[node] = start + u64::from(self.weight(node));
            if self.weight(node) > 0 {
                starts.push(start);
                ends.push(finish[node]);
            }
        }
        starts.sort_unstable();
        ends.sort_unstable();
        let mut widest = 0;
        let mut n_ended = 0;
        for (n_started, &start) in (1..).zip(&starts) {
            // Who ends at this moment makes room for who begins.
            while ends.get(n_ended).is_some_and(|&end| end <= start) {
                n_ended += 1;
            }
            widest = widest.max(n_started - n_ended);
        }
        widest
    }
}
