//! Diagrams of a run: the layout of its task graph and its schedule.

use axum::{Json, extract::State};
use domain::RunId;
use views::{Layout, Schedule, layout, schedule};

use crate::{
    api::{Api, now},
    extract::PathParams,
    problem::{ApiError, Problem},
};

/// Returns the layout of a run's task graph.
#[utoipa::path(
    get, path = "/api/runs/{run}/layout",
    params(("run" = String, Path, description = "id of the run")),
    responses(
        (status = OK, body = Layout),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn run_layout(
    State(api): State<Api>,
    PathParams(run): PathParams<RunId>,
) -> Result<Json<Layout>, ApiError> {
    api.run_blocking(move |host| Ok(Json(layout(host.run_snapshot(&run)?.views.rows(), now())))).await
}

/// Returns the past and predicted schedule of a run.
#[utoipa::path(
    get, path = "/api/runs/{run}/schedule",
    params(("run" = String, Path, description = "id of the run")),
    responses(
        (status = OK, body = Schedule),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn run_schedule(
    State(api): State<Api>,
    PathParams(run): PathParams<RunId>,
) -> Result<Json<Schedule>, ApiError> {
    api.run_blocking(move |host| Ok(Json(schedule(host.run_snapshot(&run)?.views.rows(), now())))).await
}
