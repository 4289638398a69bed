//! Past, present and predicted times of tasks, as bars.
//!
//! The prediction assumes that every task takes as long as estimated, gates pass at once, and questions are answered
//! at once. It ignores shared files and memory.

mod critical;
mod forecast;
mod pace;
mod past;

use std::collections::BTreeSet;

use domain::{AgentName, BlockReason, TaskId, Timestamp};
use serde::{Deserialize, Serialize};

pub(crate) use self::critical::GatedGraph;
use self::{forecast::forecast, pace::Pace, past::past_bars};
use crate::Rows;

/// Timeline of all tasks of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Schedule {
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub start_at: Timestamp,
    /// Time of the computation.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub now_at: Timestamp,
    /// Predicted end; `None` if nothing remains or a task cannot start.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<i64>))]
    pub end_at: Option<Timestamp>,
    /// Number of remaining tasks without an estimate; their size counts instead.
    pub n_guessed: u32,
    /// Number of tasks that cannot start, because a dependency failed or was cancelled.
    pub n_stuck: u32,
    /// Sorted by task and time.
    pub bars: Vec<Bar>,
}

/// An interval in the time of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Bar {
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub task: TaskId,
    /// The agent that did, does or is predicted to do it.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub agent: Option<AgentName>,
    pub kind: BarKind,
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub start_at: Timestamp,
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub end_at: Timestamp,
    /// Why the task was blocked.
    pub reason: Option<BlockReason>,
    /// The question, request or problem that blocked it.
    pub text: Option<String>,
    /// Korean text, if Jangdan wrote it.
    pub korean: Option<String>,
    /// Whether the task is on the critical path.
    pub is_critical: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum BarKind {
    /// Work was done.
    Past,
    /// Work in progress.
    Now,
    /// The task could not continue.
    Blocked,
    Predicted,
}

/// Computes the schedule of a run.
pub fn schedule(rows: &Rows, now: Timestamp) -> Schedule {
    let mut bars = past_bars(rows, now);
    let pace = Pace::of(rows, &bars);
    let critical: BTreeSet<TaskId> = critical::path(rows, &pace).into_iter().collect();
    let forecast = forecast(rows, &pace, now);
    bars.extend(forecast.bars);
    bars.iter_mut().for_each(|bar| bar.is_critical = critical.contains(&bar.task));
    bars.sort_by(|left, right| {
        (&left.task, left.start_at, left.kind).cmp(&(&right.task, right.start_at, right.kind))
    });
    let start_at = rows.run.get(&()).map_or(now, |run| run.started_at);
    Schedule {
        start_at,
        now_at: now,
        end_at: forecast.end_at,
        n_guessed: forecast.n_guessed,
        n_stuck: forecast.n_stuck,
        bars,
    }
}

/// Returns the tasks of the critical path, in order.
pub fn critical_path(rows: &Rows, now: Timestamp) -> Vec<TaskId> {
    critical::path(rows, &Pace::of(rows, &past_bars(rows, now)))
}

fn span_ms(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.0.saturating_sub(from.0)).unwrap_or(0)
}
