//! What came of a run: a task's changes, landing them, and cleaning up.

use axum::{
    Json,
    extract::State,
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};
use domain::{RunId, TaskId};
use runtime::{CleanupReport, LandReport};

use crate::{
    api::Api,
    problem::{Failure, Problem, echo},
    request::{Asked, Named, bad_query},
    routes::{known, tasks::unknown},
};

/// What a task has changed so far, as git shows it.
#[utoipa::path(
    get, path = "/api/runs/{run}/tasks/{task}/diff",
    params(("run" = String, Path, description = "the run"), ("task" = String, Path, description = "the task")),
    responses(
        (status = OK, body = String, content_type = "text/x-diff"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "the run has no worktrees", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn diff(
    State(api): State<Api>,
    Named((run, task)): Named<(RunId, TaskId)>,
) -> Result<Response, Failure> {
    let diff = api.ask(move |host| {
        if host.snapshot(&run)?.views.rows().tasks.get(&task).is_none() {
            return Err(unknown(&run, &task));
        }
        Ok(host.diff(&run, &task)?)
    });
    let diff = diff.await?;
    Ok(([(CONTENT_TYPE, "text/x-diff; charset=utf-8")], diff).into_response())
}

/// Brings what the gates of a run have let pass onto the branch that it started from.
#[utoipa::path(
    post, path = "/api/runs/{run}/land",
    params(
        ("run" = String, Path, description = "the run"),
        ("all" = Option<bool>, Query, description = "all that is merged, also of phases that have not passed their gate"),
    ),
    responses(
        (status = OK, description = "what came of it", body = LandReport),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn land(
    State(api): State<Api>,
    Named(run): Named<RunId>,
    Asked(pairs): Asked,
) -> Result<Json<LandReport>, Failure> {
    let mut is_all = false;
    for (name, value) in &pairs {
        match (name.as_str(), value.as_str()) {
            ("all", "true") => is_all = true,
            ("all", "false") => is_all = false,
            ("all", _) => return Err(bad_query(format!("all is true or false, not '{}'", echo(value)))),
            _ => return Err(bad_query(format!("landing can't be asked for by '{}'", echo(name)))),
        }
    }
    api.ask(move |host| known(host, &run).and_then(|()| Ok(Json(host.land(&run, is_all)?)))).await
}

/// Removes the worktrees of a run that nobody needs any more. What is in them is kept.
#[utoipa::path(
    post, path = "/api/runs/{run}/clean",
    params(("run" = String, Path, description = "the run")),
    responses(
        (status = OK, description = "what came of it", body = CleanupReport),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn clean(State(api): State<Api>, Named(run): Named<RunId>) -> Result<Json<CleanupReport>, Failure> {
    api.ask(move |host| known(host, &run).and_then(|()| Ok(Json(host.clean(&run)?)))).await
}
