//! Pictures of a run: where its tasks stand in its plan, and when they were, are and will be worked at.

use axum::{Json, extract::State};
use domain::RunId;
use views::{Layout, Schedule, layout, schedule};

use crate::{
    api::{Api, now},
    problem::{Failure, Problem},
    request::Named,
};

/// Where the tasks and phases of a run stand in a picture of its plan.
#[utoipa::path(
    get, path = "/api/runs/{run}/layout",
    params(("run" = String, Path, description = "the run")),
    responses(
        (status = OK, body = Layout),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn plan(State(api): State<Api>, Named(run): Named<RunId>) -> Result<Json<Layout>, Failure> {
    api.ask(move |host| Ok(Json(layout(host.snapshot(&run)?.views.rows(), now())))).await
}

/// When the tasks of a run were worked at, are, and are thought to be.
#[utoipa::path(
    get, path = "/api/runs/{run}/schedule",
    params(("run" = String, Path, description = "the run")),
    responses(
        (status = OK, body = Schedule),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn time(State(api): State<Api>, Named(run): Named<RunId>) -> Result<Json<Schedule>, Failure> {
    api.ask(move |host| Ok(Json(schedule(host.snapshot(&run)?.views.rows(), now())))).await
}
