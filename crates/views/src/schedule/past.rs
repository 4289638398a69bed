//! What happened: every try at a task, cut where it could not go on.

use std::collections::BTreeMap;

use domain::{BlockReason, QuestionId, TaskId, Timestamp};

use super::{Bar, BarKind};
use crate::{
    Rows,
    rows::{AttemptRow, QuestionRow, QuestionState, TaskState},
};

/// A time in which a task could not go on.
#[derive(Debug)]
struct Wait {
    from: Timestamp,
    to: Timestamp,
    reason: BlockReason,
    text: Option<String>,
    korean: Option<String>,
}

/// Returns the bars up to now.
pub fn past(rows: &Rows, now: Timestamp) -> Vec<Bar> {
    let waits = waits(rows, now);
    let mut bars = Vec::new();
    let mut attempts = rows.attempts.iter().peekable();
    while let Some(attempt) = attempts.next() {
        // That a try was over may be known only when the next one goes on.
        let next = attempts.peek().filter(|next| next.task == attempt.task).map(|next| next.started_at);
        let end = attempt.ended_at.unwrap_or(now).min(next.unwrap_or(now)).max(attempt.started_at);
        let of_task = waits.get(&attempt.task).map(Vec::as_slice).unwrap_or_default();
        cut(rows, attempt, of_task, end, &mut bars);
    }
    bars
}

/// Cuts a try up to its end into what was done and what was waited for.
fn cut(rows: &Rows, attempt: &AttemptRow, waits: &[Wait], end: Timestamp, bars: &mut Vec<Bar>) {
    let bar = |kind, from, to, wait: Option<&Wait>| Bar {
        task: attempt.task.clone(),
        agent: Some(attempt.agent.clone()),
        kind,
        start_at: from,
        end_at: to,
        reason: wait.map(|wait| wait.reason.clone()),
        text: wait.and_then(|wait| wait.text.clone()),
        korean: wait.and_then(|wait| wait.korean.clone()),
        is_critical: false,
    };
    let mut at = attempt.started_at;
    for wait in waits {
        let (from, to) = (wait.from.clamp(at, end), wait.to.clamp(at, end));
        if from >= to {
            continue;
        }
        if at < from {
            bars.push(bar(BarKind::Past, at, from, None));
        }
        bars.push(bar(BarKind::Blocked, from, to, Some(wait)));
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

/// Returns what each task waited for, the earliest first.
fn waits(rows: &Rows, now: Timestamp) -> BTreeMap<TaskId, Vec<Wait>> {
    let mut waits: BTreeMap<TaskId, Vec<Wait>> = BTreeMap::new();
    let mut add = |task: &TaskId, wait: Wait| waits.entry(task.clone()).or_default().push(wait);
    let last_words = last_words(rows);
    for row in rows.questions.iter() {
        let Some(task) = &row.task else { continue };
        let to = end_of(row, &last_words).unwrap_or(now);
        let reason = BlockReason::Question { question: row.id };
        let (text, korean) = (Some(row.text.clone()), row.korean.clone());
        add(task, Wait { from: row.asked_at, to, reason, text, korean });
    }
    for row in rows.requests.iter() {
        let Some(task) = &row.task else { continue };
        let to = row.resolved_at.unwrap_or(now);
        let reason = BlockReason::Request { request: row.id };
        add(task, Wait { from: row.asked_at, to, reason, text: Some(row.name.clone()), korean: None });
    }
    for row in rows.tasks.iter() {
        for blocked in &row.blocked {
            let (from, reason) = (blocked.since_at, blocked.reason.clone());
            let problem = match &reason {
                BlockReason::Escalated { escalation } => rows.escalations.get(escalation),
                // These are there already, with their whole time.
                BlockReason::Question { .. } | BlockReason::Request { .. } => continue,
                BlockReason::Invocation { .. }
                | BlockReason::Approval { .. }
                | BlockReason::RateLimited { .. }
                | BlockReason::Paused { .. } => None,
            };
            let text = problem.map(|row| row.title.clone());
            let korean = problem.and_then(|row| row.korean.clone());
            add(&row.id, Wait { from, to: now, reason, text, korean });
        }
    }
    for waits in waits.values_mut() {
        waits.sort_by_key(|wait| (wait.from, wait.to));
    }
    waits
}

/// Returns when the answer reached the session, or nobody needed it any more; none while it is waited for.
fn end_of(row: &QuestionRow, last_words: &BTreeMap<QuestionId, Timestamp>) -> Option<Timestamp> {
    match row.status {
        QuestionState::Asked | QuestionState::WithOrchestrator | QuestionState::Pending => None,
        QuestionState::Answered => None,
        QuestionState::Delivered | QuestionState::Resumed => row.delivered_at.or(row.answered_at),
        QuestionState::Withdrawn | QuestionState::Expired => {
            let last = last_words.get(&row.id).copied();
            last.or(row.delivered_at).or(row.answered_at).or(Some(row.asked_at))
        }
    }
}

/// Returns when something was last said about each question.
fn last_words(rows: &Rows) -> BTreeMap<QuestionId, Timestamp> {
    rows.timeline.iter().filter_map(|row| Some((row.question?, row.happened_at))).collect()
}
