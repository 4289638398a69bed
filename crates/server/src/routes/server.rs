//! The status of the server, and its shutdown.

use axum::{Json, extract::State, http::StatusCode};

use crate::{
    api::Api,
    bodies::{ServerStatus, StopRequest},
    extract::{COMMAND_BYTES_MAX, JsonBody},
    problem::{ApiError, Problem},
};

/// Returns version, process, start time and addresses of the server.
#[utoipa::path(get, path = "/api/status", responses((status = OK, body = ServerStatus)))]
pub(super) async fn status(State(api): State<Api>) -> Json<ServerStatus> {
    Json(ServerStatus {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pid: std::process::id(),
        started_at: api.started_at,
        data: api.host.data_directory().to_owned(),
        address: api.address.clone(),
        person: runtime::prepare::user_name(),
    })
}

/// Stops the server. Agents keep working, or end and resume with the next start.
#[utoipa::path(
    post, path = "/api/stop",
    request_body = StopRequest,
    responses((status = ACCEPTED, description = "the server is stopping"), (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"))
)]
pub(super) async fn stop_server(
    State(api): State<Api>,
    JsonBody(StopRequest { agents }): JsonBody<StopRequest, COMMAND_BYTES_MAX>,
) -> Result<StatusCode, ApiError> {
    api.request_stop(agents);
    Ok(StatusCode::ACCEPTED)
}
