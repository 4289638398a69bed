//! The HTTP status and the title of each rejection. Its code, sentence and hint are in the engine.

use axum::http::StatusCode;
use engine::Rejection;

/// Returns the status and the title for people.
///
/// 404: the command names an object that does not exist. 409: the state of the run does not allow it now. 422: it
/// could not be carried out in any state.
#[rustfmt::skip] // A table is read by its columns.
pub(crate) fn status_and_title(rejection: &Rejection) -> (StatusCode, &'static str) {
    match rejection {
        Rejection::UnknownTask { .. } => (StatusCode::NOT_FOUND, "Unknown task"),
        Rejection::UnknownPhase { .. } => (StatusCode::NOT_FOUND, "Unknown phase"),
        Rejection::UnknownAgent { .. } => (StatusCode::NOT_FOUND, "Unknown agent"),
        Rejection::UnknownObject { .. } => (StatusCode::NOT_FOUND, "Unknown object"),
        Rejection::NotStarted => (StatusCode::CONFLICT, "The run has not started"),
        Rejection::AlreadyStarted => (StatusCode::CONFLICT, "The run has already started"),
        Rejection::Cancelled => (StatusCode::CONFLICT, "The run was cancelled"),
        Rejection::UnknownSession { .. } => (StatusCode::CONFLICT, "The session is not running"),
        Rejection::NoWorktrees => (StatusCode::CONFLICT, "The run has no worktrees"),
        Rejection::WrongTaskState { .. } => (StatusCode::CONFLICT, "The state of the task does not allow this"),
        Rejection::WrongRunState { .. } => (StatusCode::CONFLICT, "The state of the run does not allow this"),
        Rejection::AlreadyAnswered { .. } => (StatusCode::CONFLICT, "The question is already answered"),
        Rejection::QuestionNotPending { .. } => (StatusCode::CONFLICT, "The question does not wait for an answer"),
        Rejection::NoPendingQuestion => (StatusCode::CONFLICT, "No question is pending"),
        Rejection::SeveralPendingQuestions { .. } => (StatusCode::CONFLICT, "Several questions are pending"),
        Rejection::RequestSettled { .. } => (StatusCode::CONFLICT, "The request is already settled"),
        Rejection::RequestRequired { .. } => (StatusCode::CONFLICT, "The request cannot be skipped"),
        Rejection::EscalationResolved { .. } => (StatusCode::CONFLICT, "The problem is already resolved"),
        Rejection::UnsuitableAction { .. } => (StatusCode::CONFLICT, "The action does not resolve the problem"),
        Rejection::StaleReport => (StatusCode::CONFLICT, "The report is outdated"),
        Rejection::TooMany { .. } => (StatusCode::CONFLICT, "A limit is reached"),
        Rejection::InvalidPlan { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "The plan has errors"),
        Rejection::NotAnOption { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "The answer is not an option"),
        Rejection::UnsuitablePattern { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "The pattern does not fit"),
        Rejection::EmptyAnswer => (StatusCode::UNPROCESSABLE_ENTITY, "The text is empty"),
        Rejection::WrongResourceKind { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "Another kind of resource is requested"),
        Rejection::DependencyCycle { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "The dependencies form a cycle"),
    }
}

#[cfg(test)]
mod tests;
