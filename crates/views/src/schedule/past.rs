//! Past times: every attempt, split where it was blocked.

use std::collections::BTreeMap;

use domain::{BlockReason, QuestionId, TaskId, Timestamp};

use super::{Bar, BarKind};
use crate::{
    Rows,
    rows::{AttemptRow, QuestionRow, QuestionState, TaskState},
};

/// A time in which a task was blocked.
#[derive(Debug)]
struct BlockedTime {
    from: Timestamp,
    to: Timestamp,
    reason: BlockReason,
    text: Option<String>,
    korean: Option<String>,
}

/// Returns the bars up to now.
pub(crate) fn past_bars(rows: &Rows, now: Timestamp) -> Vec<Bar> {
    let blocked_times = blocked_times(rows, now);
    let mut bars = Vec::new();
    let mut attempts = rows.attempts.iter().peekable();
    while let Some(attempt) = attempts.next() {
        // The end of an attempt may be recorded only when the next one starts.
        let next = attempts.peek().filter(|next| next.task == attempt.task).map(|next| next.started_at);
        let end = attempt.ended_at.unwrap_or(now).min(next.unwrap_or(now)).max(attempt.started_at);
        let of_task = blocked_times.get(&attempt.task).map(Vec::as_slice).unwrap_or_default();
        split_attempt(rows, attempt, of_task, end, &mut bars);
    }
    bars
}

/// Splits an attempt into working and blocked times.
fn split_attempt(
    rows: &Rows,
    attempt: &AttemptRow,
    blocked_times: &[BlockedTime],
    end: Timestamp,
    bars: &mut Vec<Bar>,
) {
    let bar = |kind, from, to, blocked_time: Option<&BlockedTime>| Bar {
        task: attempt.task.clone(),
        agent: Some(attempt.agent.clone()),
        kind,
        start_at: from,
        end_at: to,
        reason: blocked_time.map(|blocked_time| blocked_time.reason.clone()),
        text: blocked_time.and_then(|blocked_time| blocked_time.text.clone()),
        korean: blocked_time.and_then(|blocked_time| blocked_time.korean.clone()),
        is_critical: false,
    };
    let mut at = attempt.started_at;
    for blocked_time in blocked_times {
        let (from, to) = (blocked_time.from.clamp(at, end), blocked_time.to.clamp(at, end));
        if from >= to {
            continue;
        }
        if at < from {
            bars.push(bar(BarKind::Past, at, from, None));
        }
        bars.push(bar(BarKind::Blocked, from, to, Some(blocked_time)));
        at = to;
    }
    let is_at_work = rows.tasks.get(&attempt.task).is_some_and(|row| match row.state {
        TaskState::Running | TaskState::Checking | TaskState::Merging => row.attempt == attempt.number,
        TaskState::Waiting | TaskState::Ready | TaskState::Blocked => false,
        TaskState::Done | TaskState::Failed | TaskState::Skipped | TaskState::Cancelled => false,
    });
    if attempt.ended_at.is_none() && is_at_work {
        bars.push(bar(BarKind::Now, at, end, None));
    } else if at < end {
        bars.push(bar(BarKind::Past, at, end, None));
    }
}

/// Returns the blocked times of each task, the earliest first.
fn blocked_times(rows: &Rows, now: Timestamp) -> BTreeMap<TaskId, Vec<BlockedTime>> {
    let mut blocked_times: BTreeMap<TaskId, Vec<BlockedTime>> = BTreeMap::new();
    let mut add = |task: &TaskId, blocked_time: BlockedTime| {
        blocked_times.entry(task.clone()).or_default().push(blocked_time)
    };
    let last_event_times = last_question_event_times(rows);
    for row in rows.questions.iter() {
        let Some(task) = &row.task else { continue };
        let to = question_end(row, &last_event_times).unwrap_or(now);
        let reason = BlockReason::Question { question: row.id };
        let (text, korean) = (Some(row.text.clone()), row.korean.clone());
        add(task, BlockedTime { from: row.asked_at, to, reason, text, korean });
    }
    for row in rows.requests.iter() {
        let Some(task) = &row.task else { continue };
        let to = row.resolved_at.unwrap_or(now);
        let reason = BlockReason::Request { request: row.id };
        add(task, BlockedTime { from: row.asked_at, to, reason, text: Some(row.name.clone()), korean: None });
    }
    for row in rows.tasks.iter() {
        for blocked in &row.blocked {
            let (from, reason) = (blocked.since_at, blocked.reason.clone());
            let problem = match &reason {
                BlockReason::Escalated { escalation } => rows.escalations.get(escalation),
                // Already added, with their whole duration.
                BlockReason::Question { .. } | BlockReason::Request { .. } => continue,
                BlockReason::Invocation { .. }
                | BlockReason::Approval { .. }
                | BlockReason::RateLimited { .. }
                | BlockReason::Paused { .. } => None,
            };
            let text = problem.map(|row| row.title.clone());
            let korean = problem.and_then(|row| row.korean.clone());
            add(&row.id, BlockedTime { from, to: now, reason, text, korean });
        }
    }
    for blocked_times in blocked_times.values_mut() {
        blocked_times.sort_by_key(|blocked_time| (blocked_time.from, blocked_time.to));
    }
    blocked_times
}

/// Returns when the answer reached the session or the question was closed; `None` while it is open.
fn question_end(row: &QuestionRow, last_event_times: &BTreeMap<QuestionId, Timestamp>) -> Option<Timestamp> {
    match row.status {
        QuestionState::Asked | QuestionState::WithOrchestrator | QuestionState::Pending => None,
        QuestionState::Answered => None,
        QuestionState::Delivered | QuestionState::Resumed => row.delivered_at.or(row.answered_at),
        QuestionState::Withdrawn | QuestionState::Expired => {
            let last = last_event_times.get(&row.id).copied();
            last.or(row.delivered_at).or(row.answered_at).or(Some(row.asked_at))
        }
    }
}

/// Returns the time of the last event of each question.
fn last_question_event_times(rows: &Rows) -> BTreeMap<QuestionId, Timestamp> {
    rows.timeline.iter().filter_map(|row| Some((row.question?, row.happened_at))).collect()
}
