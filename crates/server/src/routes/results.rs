//! Results of a run: the diff of a task, merging into the project's branch, removing worktrees.

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
    extract::{PathParams, QueryPairs, invalid_query_error},
    problem::{ApiError, Problem, shorten_client_text},
    routes::{check_run_exists, tasks::unknown_task_error},
};

/// Returns the changes of a task so far as a git diff.
#[utoipa::path(
    get, path = "/api/runs/{run}/tasks/{task}/diff",
    params(("run" = String, Path, description = "id of the run"), ("task" = String, Path, description = "id of the task")),
    responses(
        (status = OK, body = String, content_type = "text/x-diff"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "the run has no worktrees", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn diff(
    State(api): State<Api>,
    PathParams((run, task)): PathParams<(RunId, TaskId)>,
) -> Result<Response, ApiError> {
    let diff = api.run_blocking(move |host| {
        if host.run_snapshot(&run)?.views.rows().tasks.get(&task).is_none() {
            return Err(unknown_task_error(&task));
        }
        Ok(host.task_diff(&run, &task)?)
    });
    let diff = diff.await?;
    Ok(([(CONTENT_TYPE, "text/x-diff; charset=utf-8")], diff).into_response())
}

/// Merges the approved phases of a run into the branch that it started from.
#[utoipa::path(
    post, path = "/api/runs/{run}/land",
    params(
        ("run" = String, Path, description = "id of the run"),
        ("all" = Option<bool>, Query, description = "include unapproved phases"),
    ),
    responses(
        (status = OK, description = "the merge", body = LandReport),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn land_run(
    State(api): State<Api>,
    PathParams(run): PathParams<RunId>,
    QueryPairs(query): QueryPairs,
) -> Result<Json<LandReport>, ApiError> {
    let mut is_all = false;
    for (name, value) in &query {
        match (name.as_str(), value.as_str()) {
            ("all", "true") => is_all = true,
            ("all", "false") => is_all = false,
            ("all", _) => {
                return Err(invalid_query_error(format!(
                    "Invalid value '{}' of 'all': use true or false.",
                    shorten_client_text(value)
                )));
            }
            _ => {
                return Err(invalid_query_error(format!(
                    "Unknown query parameter '{}'.",
                    shorten_client_text(name)
                )));
            }
        }
    }
    api.run_blocking(move |host| {
        check_run_exists(host, &run).and_then(|()| Ok(Json(host.land(&run, is_all)?)))
    })
    .await
}

/// Removes the unused worktrees of a run. Their content is kept in git.
#[utoipa::path(
    post, path = "/api/runs/{run}/clean",
    params(("run" = String, Path, description = "id of the run")),
    responses(
        (status = OK, description = "removed and kept worktrees", body = CleanupReport),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn remove_finished_worktrees(
    State(api): State<Api>,
    PathParams(run): PathParams<RunId>,
) -> Result<Json<CleanupReport>, ApiError> {
    api.run_blocking(move |host| {
        check_run_exists(host, &run).and_then(|()| Ok(Json(host.remove_finished_worktrees(&run)?)))
    })
    .await
}
