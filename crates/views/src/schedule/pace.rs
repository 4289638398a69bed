//! Durations of tasks: measured, estimated, or derived from size and the pace of this run.

use std::collections::BTreeMap;

use domain::TaskId;

use super::{Bar, BarKind, span_ms};
use crate::{
    Rows,
    rows::{TaskRow, TaskState},
};

/// Default duration of a small task; the scheduler uses the same.
const SMALL_TASK_MS: u64 = 5 * 60_000;
/// Part of the estimate that an overdue task is assumed to need still.
const OVERDUE_PART: u64 = 10;

/// Measured pace of a run.
#[derive(Debug)]
pub(crate) struct Pace {
    /// Time worked on each task so far.
    worked_ms: BTreeMap<TaskId, u64>,
    small_task_ms: u64,
}

impl Pace {
    pub(crate) fn of(rows: &Rows, past: &[Bar]) -> Self {
        let mut worked_ms: BTreeMap<TaskId, u64> = BTreeMap::new();
        let is_work = |bar: &&Bar| match bar.kind {
            BarKind::Past | BarKind::Now => true,
            BarKind::Blocked | BarKind::Predicted => false,
        };
        for bar in past.iter().filter(is_work) {
            *worked_ms.entry(bar.task.clone()).or_default() += span_ms(bar.start_at, bar.end_at);
        }
        let done = rows.tasks.iter().filter(|row| row.state == TaskState::Done);
        let (mut all_ms, mut weights) = (0_u64, 0_u64);
        for (row, worked) in done.filter_map(|row| Some((row, worked_ms.get(&row.id)?))) {
            all_ms = all_ms.saturating_add(*worked);
            weights += weight(rows, &row.id);
        }
        let small_task_ms = all_ms.checked_div(weights).unwrap_or(SMALL_TASK_MS).max(1);
        Self { worked_ms, small_task_ms }
    }

    /// Returns whether a task has no estimate.
    pub(crate) fn has_no_estimate(rows: &Rows, task: &TaskId) -> bool {
        rows.task_details.get(task).is_none_or(|detail| detail.estimate_ms.is_none())
    }

    /// Returns the time worked and remaining.
    pub(crate) fn whole_ms(&self, rows: &Rows, row: &TaskRow) -> u64 {
        self.worked_ms(row).saturating_add(self.left_ms(rows, row))
    }

    /// Returns the estimated remaining time of a task.
    pub(crate) fn left_ms(&self, rows: &Rows, row: &TaskRow) -> u64 {
        if row.state.is_final() {
            return 0;
        }
        let estimate = rows.task_details.get(&row.id).and_then(|detail| detail.estimate_ms);
        let whole = estimate.unwrap_or_else(|| self.small_task_ms.saturating_mul(weight(rows, &row.id)));
        // A task that waits for its next attempt starts over.
        let worked = if row.state == TaskState::Waiting { 0 } else { self.worked_ms(row) };
        whole.saturating_sub(worked).max(whole / OVERDUE_PART).max(1)
    }

    fn worked_ms(&self, row: &TaskRow) -> u64 {
        self.worked_ms.get(&row.id).copied().unwrap_or(0)
    }
}

fn weight(rows: &Rows, task: &TaskId) -> u64 {
    let complexity = rows.task_details.get(task).and_then(|detail| detail.complexity);
    complexity.map_or(1, |complexity| u64::from(complexity.weight()))
}
