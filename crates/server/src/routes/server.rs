//! The server itself: who it is, and its end.

use axum::{Json, extract::State, http::StatusCode};

use crate::{
    api::Api,
    bodies::{Status, StopRequest},
    problem::{Failure, Problem},
    request::{Sent, WORD_BYTES_MAX},
};

/// Who serves, since when, and from where.
#[utoipa::path(get, path = "/api/status", responses((status = OK, body = Status)))]
pub async fn status(State(api): State<Api>) -> Json<Status> {
    Json(Status {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pid: std::process::id(),
        started_at: api.started_at,
        data: api.host.data().to_owned(),
        address: api.address.clone(),
        person: runtime::prepare::user_name(),
    })
}

/// Ends the server. Agents work on, or end and go on with the next start.
#[utoipa::path(
    post, path = "/api/stop",
    request_body = StopRequest,
    responses((status = ACCEPTED, description = "it ends now"), (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"))
)]
pub async fn stop(
    State(api): State<Api>,
    Sent(StopRequest { agents }): Sent<StopRequest, WORD_BYTES_MAX>,
) -> Result<StatusCode, Failure> {
    api.stop(agents);
    Ok(StatusCode::ACCEPTED)
}
