//! Why an attempt failed, in English: for hints, and for the history that agents read.

use domain::AttemptFailure;

pub(crate) fn failure_text(failure: &AttemptFailure) -> String {
    match failure {
        AttemptFailure::Reported { reason } => reason.clone(),
        AttemptFailure::Exited { exit_status: Some(status) } => {
            format!("the agent exited with status {status}")
        }
        AttemptFailure::Exited { exit_status: None } => "the agent was killed by a signal".to_owned(),
        AttemptFailure::Lost { reason } => format!("the agent was lost: {reason}"),
        AttemptFailure::Checks => "its checks failed".to_owned(),
        AttemptFailure::Merge { reason } => format!("it could not be merged: {reason}"),
        AttemptFailure::Error { message } => message.clone(),
        AttemptFailure::MarkedFailed => "it was marked as failed".to_owned(),
    }
}
