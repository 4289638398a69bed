//! Results of a run: the diffs of a task and of a phase, merging into the project's branch, removing worktrees.

use axum::{
    Json,
    extract::State,
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};
use domain::{CleanupReport, LandReport, Locale, PhaseNumber, RunId, TaskId};
use engine::Rejection;
use runtime::{CommandSender, LandOptions, PhaseDiffScope, prepare::user_name};
use views::translate_engine_text;

use crate::{
    api::Api,
    extract::{PathParams, QueryPairs, RequestLocale, RequestOrigin, invalid_query_error},
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

/// Returns the changes of the merged tasks of a phase as a git diff.
#[utoipa::path(
    get, path = "/api/runs/{run}/phases/{phase}/diff",
    params(
        ("run" = String, Path, description = "id of the run"),
        ("phase" = u32, Path, description = "number of the phase"),
        ("sinceRejection" = Option<bool>, Query, description = "only changes since the last round of its gate that failed or was rejected, if there is one"),
    ),
    responses(
        (status = OK, body = String, content_type = "text/x-diff"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "the run has no worktrees", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn phase_diff(
    State(api): State<Api>,
    PathParams((run, phase)): PathParams<(RunId, PhaseNumber)>,
    QueryPairs(query): QueryPairs,
) -> Result<Response, ApiError> {
    let mut scope = PhaseDiffScope::All;
    for (name, value) in &query {
        match name.as_str() {
            "sinceRejection" if parse_flag(name, value)? => scope = PhaseDiffScope::SinceRejection,
            "sinceRejection" => {}
            _ => {
                return Err(invalid_query_error(format!(
                    "Unknown query parameter '{}'.",
                    shorten_client_text(name)
                )));
            }
        }
    }
    let diff = api.run_blocking(move |host| {
        if host.run_snapshot(&run)?.views.rows().phases.get(&phase).is_none() {
            return Err(Rejection::UnknownPhase { phase }.into());
        }
        Ok(host.phase_diff(&run, phase, scope)?)
    });
    let diff = diff.await?;
    Ok(([(CONTENT_TYPE, "text/x-diff; charset=utf-8")], diff).into_response())
}

/// Merges the approved phases of a run into a branch: with a merge commit if the branch has moved on, after the run's
/// check has passed on the merged result.
#[utoipa::path(
    post, path = "/api/runs/{run}/land",
    params(
        ("run" = String, Path, description = "id of the run"),
        ("all" = Option<bool>, Query, description = "include unapproved phases"),
        ("into" = Option<String>, Query, description = "target branch [default: the branch that the run started from]"),
        ("squash" = Option<bool>, Query, description = "make one commit"),
        ("dryRun" = Option<bool>, Query, description = "report what would happen, and change nothing"),
    ),
    responses(
        (status = OK, description = "the merge", body = LandReport),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn land_run(
    State(api): State<Api>,
    RequestOrigin(origin): RequestOrigin,
    PathParams(run): PathParams<RunId>,
    QueryPairs(query): QueryPairs,
) -> Result<Json<LandReport>, ApiError> {
    let mut options = LandOptions::default();
    for (name, value) in &query {
        match name.as_str() {
            "all" => options.is_all = parse_flag(name, value)?,
            "squash" => options.is_squash = parse_flag(name, value)?,
            "dryRun" => options.is_dry_run = parse_flag(name, value)?,
            "into" => options.into = Some(value.clone()),
            _ => return Err(unknown_parameter_error(name)),
        }
    }
    api.run_blocking(move |host| {
        check_run_exists(host, &run)?;
        Ok(Json(host.land(&run, CommandSender { person: &user_name(), origin }, &options)?))
    })
    .await
}

fn unknown_parameter_error(name: &str) -> ApiError {
    invalid_query_error(format!("Unknown query parameter '{}'.", shorten_client_text(name)))
}

fn parse_flag(name: &str, value: &str) -> Result<bool, ApiError> {
    value.parse().map_err(|_| {
        invalid_query_error(format!(
            "Invalid value '{}' of '{name}': use true or false.",
            shorten_client_text(value)
        ))
    })
}

/// Removes the unused worktrees of a run. Their content is kept in git.
#[utoipa::path(
    post, path = "/api/runs/{run}/clean",
    params(
        ("run" = String, Path, description = "id of the run"),
        ("refs" = Option<bool>, Query, description = "also delete branches and refs of a run that has ended, if their work is in a branch of the user, and saved states that are old"),
    ),
    responses(
        (status = OK, description = "removed and kept worktrees", body = CleanupReport),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn remove_finished_worktrees(
    State(api): State<Api>,
    RequestLocale(locale): RequestLocale,
    RequestOrigin(origin): RequestOrigin,
    PathParams(run): PathParams<RunId>,
    QueryPairs(query): QueryPairs,
) -> Result<Json<CleanupReport>, ApiError> {
    let mut is_with_refs = false;
    for (name, value) in &query {
        match name.as_str() {
            "refs" => is_with_refs = parse_flag(name, value)?,
            _ => return Err(unknown_parameter_error(name)),
        }
    }
    api.run_blocking(move |host| {
        check_run_exists(host, &run)?;
        let mut report = host.remove_finished_worktrees(
            &run,
            CommandSender { person: &user_name(), origin },
            is_with_refs,
        )?;
        if locale == Locale::Ko {
            let tasks = report.kept_tasks.iter_mut().map(|(_, why)| why);
            for why in tasks.chain(report.kept_sessions.iter_mut().map(|(_, why)| why)) {
                *why = translate_engine_text(why);
            }
        }
        Ok(Json(report))
    })
    .await
}
