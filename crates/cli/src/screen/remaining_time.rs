//! Estimates the remaining time of a run. Without an estimate for every task there is none.

use std::collections::{BTreeMap, HashMap};

use domain::{PhaseNumber, TaskId, Timestamp};
use views::{TaskRow, TaskState};

use super::{amounts::elapsed_ms, board::Board};

/// A task, or the end of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum PlanNode<'a> {
    Task(&'a TaskId),
    Phase(PhaseNumber),
}

/// Returns the length of the critical path of the open tasks; `None` if one has no estimate.
pub(super) fn remaining_ms(board: &Board, now: Timestamp) -> Option<u64> {
    let mut own = HashMap::new();
    let mut successors: BTreeMap<PlanNode<'_>, Vec<PlanNode<'_>>> = BTreeMap::new();
    let mut n_before: BTreeMap<PlanNode<'_>, usize> = BTreeMap::new();
    let mut edge = |earlier, later| {
        successors.entry(earlier).or_default().push(later);
        *n_before.entry(later).or_default() += 1;
        n_before.entry(earlier).or_default();
    };
    for task in board.tasks.values().filter(|task| !task.state.is_final()) {
        let detail = board.details.get(&task.id)?;
        let node = PlanNode::Task(&task.id);
        own.insert(node, detail.estimate_ms?.saturating_sub(time_since_start_ms(task, now)));
        edge(node, PlanNode::Phase(task.phase));
        let is_open = |id: &&TaskId| board.tasks.get(*id).is_some_and(|task| !task.state.is_final());
        detail.depends_on.iter().filter(is_open).for_each(|earlier| edge(PlanNode::Task(earlier), node));
        let after = board.phases.get(&task.phase).map(|phase| phase.after.as_slice()).unwrap_or_default();
        after.iter().for_each(|phase| edge(PlanNode::Phase(*phase), node));
    }
    longest_path_ms(&own, &successors, n_before)
}

/// Returns the time since a started task began.
fn time_since_start_ms(task: &TaskRow, now: Timestamp) -> u64 {
    match task.state {
        TaskState::Running | TaskState::Blocked | TaskState::Checking | TaskState::Merging => {
            task.started_at.map_or(0, |at| elapsed_ms(at, now))
        }
        TaskState::Waiting | TaskState::Ready => 0,
        TaskState::Done | TaskState::Failed | TaskState::Skipped | TaskState::Cancelled => 0,
    }
}

/// Visits the nodes in topological order and returns the latest end.
fn longest_path_ms<'a>(
    own: &HashMap<PlanNode<'a>, u64>,
    successors: &BTreeMap<PlanNode<'a>, Vec<PlanNode<'a>>>,
    mut n_before: BTreeMap<PlanNode<'a>, usize>,
) -> Option<u64> {
    let mut free: Vec<_> = n_before.iter().filter(|(_, n)| **n == 0).map(|(node, _)| *node).collect();
    let mut begins: HashMap<PlanNode<'a>, u64> = HashMap::new();
    let mut latest = None;
    while let Some(node) = free.pop() {
        let begin = begins.get(&node).copied().unwrap_or(0);
        let end = begin.saturating_add(own.get(&node).copied().unwrap_or(0));
        latest = latest.max(Some(end));
        for later in successors.get(&node).into_iter().flatten() {
            let begin = begins.entry(*later).or_default();
            *begin = end.max(*begin);
            if let Some(n) = n_before.get_mut(later) {
                *n -= 1;
                if *n == 0 {
                    free.push(*later);
                }
            }
        }
    }
    latest
}
