//! Names of changes on the live stream, for changes that mean more than "a row changed".

use domain::{Event, QuestionRoute, Role, TaskId, events};

use crate::{Row, RowKind};

/// A session was opened.
pub const SESSION_START: &str = "session.start";
/// A session ended.
pub const SESSION_END: &str = "session.end";
/// A session that works on a task was opened.
pub const WORKER_SPAWN: &str = "worker.spawn";
/// The task of a worker is done.
pub const WORKER_COMPLETE: &str = "worker.complete";
/// A worker reported its progress.
pub const WORKER_PROGRESS: &str = "worker.progress";
/// A test round failed, or testing ended.
pub const WORKER_FEEDBACK: &str = "worker.feedback";
/// A session sent a message to another session.
pub const DIRECT_MESSAGE: &str = "direct.message";
/// A problem was reported.
pub const ESCALATION_NEW: &str = "escalation.new";
/// A problem was resolved.
pub const ESCALATION_RESOLVED: &str = "escalation.resolved";
/// A question reached the user.
pub const HUMAN_QUERY_REQUESTED: &str = "human_query_requested";
/// A question that reached the user was answered.
pub const HUMAN_QUERY_ANSWERED: &str = "human_query_answered";
/// A task resumed with the answer of the user.
pub const TASK_RESUMED_AFTER_HUMAN_QUERY: &str = "task_resumed_after_human_query";

/// Returns the names of a change; empty if the row only changed.
pub(crate) fn change_names(event: &Event, kind: RowKind, row: Option<&Row>) -> &'static [&'static str] {
    match kind {
        RowKind::Session => session_change_names(event, row),
        RowKind::Task if matches!(event, Event::TaskDone(_)) => match row {
            // Tasks that depend on it change too, but are not done.
            Some(Row::Task(row)) if Some(&row.id) == completed_task_id(event) => &[WORKER_COMPLETE],
            Some(_) | None => &[],
        },
        RowKind::Progress => &[WORKER_PROGRESS],
        RowKind::Loop if matches!(event, Event::LoopRoundFailed(_) | Event::LoopEnded(_)) => {
            &[WORKER_FEEDBACK]
        }
        RowKind::DirectMessage if matches!(event, Event::DirectMessageSent(_)) => &[DIRECT_MESSAGE],
        RowKind::Escalation if matches!(event, Event::EscalationRaised(_)) => &[ESCALATION_NEW],
        RowKind::Escalation if matches!(event, Event::EscalationResolved(_)) => &[ESCALATION_RESOLVED],
        RowKind::Question => match row {
            Some(Row::Question(row)) if row.reached_person_at.is_some() => question_change_names(event),
            Some(_) | None => &[],
        },
        RowKind::Run
        | RowKind::Phase
        | RowKind::Task
        | RowKind::TaskDetail
        | RowKind::Attempt
        | RowKind::Agent
        | RowKind::Request
        | RowKind::Invocation
        | RowKind::Result
        | RowKind::Channel
        | RowKind::DirectMessage
        | RowKind::Loop
        | RowKind::Escalation
        | RowKind::Gate
        | RowKind::Checkpoint
        | RowKind::Receipt
        | RowKind::Landing
        | RowKind::Cleanup
        | RowKind::Overlap
        | RowKind::Turn
        | RowKind::Chat
        | RowKind::Timeline
        | RowKind::PlanOffer
        | RowKind::Inbox
        | RowKind::Usage => &[],
    }
}

fn session_change_names(event: &Event, row: Option<&Row>) -> &'static [&'static str] {
    let Some(Row::Session(row)) = row else { return &[] };
    if matches!(event, Event::SessionOpened(events::SessionOpened { session, .. }) if *session == row.id) {
        return if row.role == Role::Worker { &[SESSION_START, WORKER_SPAWN] } else { &[SESSION_START] };
    }
    let has_ended = matches!(event, Event::SessionEnded(_) | Event::SessionLost(_));
    // A session without an agent has no process that could end later.
    let is_dismissed_without_process = row.ended_at.is_some()
        && matches!(event, Event::SessionDismissed(events::SessionDismissed { session }) if *session == row.id);
    if has_ended || is_dismissed_without_process { &[SESSION_END] } else { &[] }
}

fn completed_task_id(event: &Event) -> Option<&TaskId> {
    if let Event::TaskDone(events::TaskDone { task, .. }) = event { Some(task) } else { None }
}

fn question_change_names(event: &Event) -> &'static [&'static str] {
    if matches!(event, Event::QuestionRouted(events::QuestionRouted { to: QuestionRoute::Person, .. })) {
        return &[HUMAN_QUERY_REQUESTED];
    }
    if matches!(event, Event::QuestionAnswered(_)) {
        return &[HUMAN_QUERY_ANSWERED];
    }
    if matches!(event, Event::QuestionResumed(_)) {
        return &[TASK_RESUMED_AFTER_HUMAN_QUERY];
    }
    &[]
}
