//! When what was done, what goes on, and what is thought to come: a bar for each piece of a task's time.
//!
//! What is to come is imagined: every task takes as long as it is thought to, gates pass at once, and whoever is asked
//! answers now. What tasks touch and the memory they need is not looked at.

mod critical;
mod forecast;
mod pace;
mod past;

use std::collections::BTreeSet;

use domain::{AgentName, BlockReason, TaskId, Timestamp};
use serde::{Deserialize, Serialize};

use self::{forecast::forecast, pace::Pace, past::past};
use crate::Rows;

/// The time of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Schedule {
    /// When the run began.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub start_at: Timestamp,
    /// The moment that it stands for.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub now_at: Timestamp,
    /// When everything is thought to be done; none where nothing is to come, or something can't.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<i64>))]
    pub end_at: Option<Timestamp>,
    /// How many tasks are to come that nobody has an estimate for, so that they count by their size.
    pub n_guessed: u32,
    /// How many tasks can't start by themselves: something that they wait for failed or was called off.
    pub n_stuck: u32,
    /// The bars, by task and time.
    pub bars: Vec<Bar>,
}

/// A piece of a task's time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Bar {
    /// The task.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub task: TaskId,
    /// Who did it, does it, or is thought to.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub agent: Option<AgentName>,
    /// What kind of time it is.
    pub kind: BarKind,
    /// When it begins.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub start_at: Timestamp,
    /// When it ends.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub end_at: Timestamp,
    /// Why the task did not go on, in time that it was blocked.
    pub reason: Option<BlockReason>,
    /// The question, what was asked for, or what went wrong, in that time.
    pub text: Option<String>,
    /// The same in Korean, where Jangdan itself says it.
    pub korean: Option<String>,
    /// Whether the task is on the longest way through the plan.
    pub is_critical: bool,
}

/// What kind of time a bar is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum BarKind {
    /// Somebody worked at it.
    Past,
    /// Somebody works at it, since then.
    Now,
    /// It could not go on.
    Blocked,
    /// Somebody is thought to work at it then.
    Predicted,
}

/// Returns the time of a run.
pub fn schedule(rows: &Rows, now: Timestamp) -> Schedule {
    let mut bars = past(rows, now);
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

/// Returns the tasks on the longest way through the plan, from its beginning to its end.
pub fn critical_path(rows: &Rows, now: Timestamp) -> Vec<TaskId> {
    critical::path(rows, &Pace::of(rows, &past(rows, now)))
}

fn span_ms(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.0.saturating_sub(from.0)).unwrap_or(0)
}
