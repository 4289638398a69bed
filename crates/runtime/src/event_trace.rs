//! Lines of the server's log about recorded events: their names and ids, and why something failed.
//!
//! Words of agents and users appear at level `debug` only: at the default level the log has none of them.

use domain::{AttemptFailure, RunId, Sequence};
use tracing::{Span, debug, field::display, info, info_span, warn};
use views::{Row, TimelineRow, ViewChange};

/// Events whose sentence consists of Jangdan's own words, and is logged with them.
const OWN_SENTENCES: &[&str] = &[
    "CheckpointFinished",
    "DiskBudgetExhausted",
    "EffectFinished",
    "EffectPostponed",
    "MergeFinished",
    "RunEnded",
    "SessionEnded",
    "SessionLost",
];

/// Events that need attention.
const PROBLEMS: &[&str] = &[
    "AttemptFailed",
    "DiskBudgetExhausted",
    "EffectFinished",
    "EffectPostponed",
    "EscalationRaised",
    "SessionLost",
    "TaskFailed",
];

/// The span of everything that happens on the thread of a run's loop.
pub(crate) fn run_span(run: &RunId) -> Span {
    info_span!("run", %run)
}

/// Logs a recorded event.
pub(crate) fn trace_event(sequence: Sequence, changes: &[ViewChange]) {
    let rows = || changes.iter().filter_map(|change| change.row.as_ref());
    let sentence = rows().find_map(|row| if let Row::Timeline(row) = row { Some(row) } else { None });
    let Some(event) = sentence else { return debug!(%sequence, "internal event") };
    let kind = event.kind.as_str();
    let is_problem = PROBLEMS.contains(&kind);
    let mut reason = OWN_SENTENCES.contains(&kind).then(|| event.text.clone());
    if is_problem && reason.is_none() {
        reason = rows().find_map(describe_problem);
    }
    let TimelineRow { task, phase, session, question, id, .. } = &**event;
    let (task, session, question) = (task.as_ref().map(display), session.map(display), question.map(display));
    if is_problem {
        warn!(%sequence, task, session, phase, question, id, reason, "{kind}");
    } else {
        info!(%sequence, task, session, phase, question, id, reason, "{kind}");
    }
    debug!(%sequence, text = event.text, "{kind}");
}

/// Returns what the row of a failed attempt or of an escalation says about the problem.
fn describe_problem(row: &Row) -> Option<String> {
    if let Row::Escalation(escalation) = row {
        return Some(format!("{:?}, severity {:?}", escalation.kind, escalation.severity).to_lowercase());
    }
    if let Row::Attempt(attempt) = row { attempt.failure.as_ref().map(describe_failure) } else { None }
}

/// Returns why an attempt failed, without the words of its agent.
fn describe_failure(failure: &AttemptFailure) -> String {
    match failure {
        AttemptFailure::Reported { .. } => "its agent reported a failure".to_owned(),
        AttemptFailure::Error { .. } => "its agent reported an error".to_owned(),
        AttemptFailure::Exited { exit_status: Some(status) } => {
            format!("its process exited with status {status}")
        }
        AttemptFailure::Exited { exit_status: None } => "its process was ended by a signal".to_owned(),
        AttemptFailure::Lost { reason } => format!("its process was lost: {reason}"),
        AttemptFailure::Checks => "its checks failed".to_owned(),
        AttemptFailure::Merge { reason } => format!("not merged: {reason}"),
        AttemptFailure::MarkedFailed => "a user marked it as failed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use domain::Event;

    use super::*;

    #[test]
    fn listed_events_exist() {
        for name in OWN_SENTENCES.iter().chain(PROBLEMS) {
            assert!(Event::NAMES.contains(name), "{name}");
        }
    }
}
