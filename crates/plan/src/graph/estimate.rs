//! Lower bound of a run's duration and upper bound of its parallelism.
//!
//! Both assume an ideal run: unlimited agents, every task starts as soon as its dependencies are done and takes as
//! long as its complexity says ([`Task::weight`](crate::Task::weight)), gates pass at once, external dependencies are
//! met, and done or optional tasks are met from the start.

use super::TaskGraph;

impl TaskGraph {
    /// Returns the tasks of the longest path by weight.
    ///
    /// Among equally long paths the one with the smaller id at the first difference is chosen. Tasks of weight 0 are
    /// not part of it, nor are tasks in a cycle or behind one.
    pub fn critical_path(&self) -> Vec<usize> {
        let order = self.node_order();
        let dependents = self.dependencies.reversed();
        let n_nodes = self.dependencies.n_nodes();
        // For each node: the remaining duration from its start, and the next task on that path.
        let mut lengths = vec![0_u64; n_nodes];
        let mut next: Vec<Option<usize>> = vec![None; n_nodes];
        let mut is_reached = vec![false; n_nodes];
        for &node in order.iter().rev() {
            let candidates = dependents.targets_of(node).iter().copied();
            let candidates = candidates
                .filter(|&dependent| is_reached[dependent] && !self.is_task_without_work(dependent));
            let (length, following) = self.longest_path_from_any(candidates, &lengths, &next);
            lengths[node] = length + u64::from(self.weight(node));
            next[node] = following;
            is_reached[node] = true;
        }
        let (_, mut at) = self.longest_path_from_any(order.into_iter(), &lengths, &next);
        let mut path = Vec::new();
        while let Some(task) = at {
            path.push(task);
            at = next[task];
        }
        path
    }

    /// Returns the length of the longest path that starts at one of the nodes, and its first task with a weight.
    fn longest_path_from_any(
        &self,
        nodes: impl Iterator<Item = usize>,
        lengths: &[u64],
        next: &[Option<usize>],
    ) -> (u64, Option<usize>) {
        let mut best: (u64, Option<usize>) = (0, None);
        for node in nodes {
            let first = if self.weight(node) > 0 { Some(node) } else { next[node] };
            let Some(first) = first else { continue };
            let is_smaller = best.1.is_none_or(|known| self.sort_rank_of(first) < self.sort_rank_of(known));
            if lengths[node] > best.0 || lengths[node] == best.0 && is_smaller {
                best = (lengths[node], Some(first));
            }
        }
        best
    }

    /// Tells whether a node is a task that a run would not start; its dependents need not wait for it.
    fn is_task_without_work(&self, node: usize) -> bool {
        self.is_task(node) && self.weight(node) == 0
    }

    /// Returns the largest number of tasks that run at the same time with unlimited agents.
    pub fn max_parallel_tasks(&self) -> usize {
        let mut finish = vec![0_u64; self.dependencies.n_nodes()];
        let mut starts = Vec::new();
        let mut ends = Vec::new();
        for node in self.node_order() {
            let dependencies =
                if self.is_task_without_work(node) { &[] } else { self.dependencies.targets_of(node) };
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
            // A task that ends at this moment frees its slot for one that starts.
            while ends.get(n_ended).is_some_and(|&end| end <= start) {
                n_ended += 1;
            }
            widest = widest.max(n_started - n_ended);
        }
        widest
    }
}
