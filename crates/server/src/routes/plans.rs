//! Plans of a project: list, read, check, start.
//!
//! A run is prepared by the same code as that of `jangdan run`.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use axum::{Extension, Json, extract::State, http::StatusCode, response::Response};
use domain::{Locale, RunId};
use plan::{ParseOptions, PlanReport};
use runtime::prepare::{
    EarlierRun, LoadedPlan, PrepareError, PreparedRun, RepeatPolicy, RunOptions, StartRemark,
    earlier_runs_of_project, input::InputErrorKind,
};
use runtime::{Host, NewRun, error_chain};

use crate::{
    access::{Credential, SharedToken},
    api::Api,
    bodies::{
        PlanCheckRequest, PlanFile, PlanFileContent, PlanRunCreated, PlanStartPreview, PlanStartRemark,
        PlanStartRequest, ProblemDiagnostic,
    },
    extract::{
        JsonBody, PLAN_BYTES_MAX, PlanPermit, QueryPairs, QueryReader, RequestLocale, RequestOrigin,
        invalid_query_error,
    },
    problem::{ApiError, Problem, shorten_client_text},
    problem_code::ProblemCode,
    project_config,
    projects::check_project_listed,
    routes::runs::{check_person_name, json_response},
};

/// Diagnostics in an error response; `POST /api/plans/check` returns all.
const DIAGNOSTICS_MAX: usize = 50;

/// Length limit of a name, which error messages repeat.
const NAME_BYTES_MAX: usize = 200;

/// Lists the files of a project that look like plans, the most likely first.
#[utoipa::path(
    get, path = "/api/plans",
    params(("project" = String, Query, description = "folder of a listed project")),
    responses(
        (status = OK, body = [PlanFile]),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn list_plans(
    State(api): State<Api>,
    query: QueryPairs,
) -> Result<Json<Vec<PlanFile>>, ApiError> {
    let mut query = QueryReader::new(query);
    let project = required_path(&mut query, "project")?;
    query.finish()?;
    api.run_blocking(move |host| {
        let files = runtime::prepare::find_plan_files(&check_project_listed(host, &project)?);
        Ok(Json(files.into_iter().map(|file| PlanFile { path: file.path, bytes: file.bytes }).collect()))
    })
    .await
}

/// Returns the text of a plan file.
#[utoipa::path(
    get, path = "/api/plans/text",
    params(
        ("project" = String, Query, description = "folder of a listed project"),
        ("path" = String, Query, description = "path of a plan that GET /api/plans lists"),
    ),
    responses(
        (status = OK, body = PlanFileContent),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn read_plan_text(State(api): State<Api>, query: QueryPairs) -> Result<Response, ApiError> {
    let mut query = QueryReader::new(query);
    let project = required_path(&mut query, "project")?;
    let path = required_path(&mut query, "path")?;
    query.finish()?;
    api.run_blocking(move |host| {
        let plan = load_listed(&check_project_listed(host, &project)?, &path)?;
        let text = String::from_utf8_lossy(&plan.source).into_owned();
        json_response(&PlanFileContent { path, text })
    })
    .await
}

/// Parses a plan and returns its tasks and diagnostics. Starts nothing.
#[utoipa::path(
    post, path = "/api/plans/check",
    request_body = PlanCheckRequest,
    responses(
        (status = OK, body = PlanReport),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = PAYLOAD_TOO_LARGE, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn check(
    State(api): State<Api>,
    RequestLocale(locale): RequestLocale,
    permit: PlanPermit,
    JsonBody(PlanCheckRequest { name: _, text }): JsonBody<PlanCheckRequest, PLAN_BYTES_MAX>,
) -> Result<Response, ApiError> {
    api.run_blocking(move |_| {
        let reading = plan::parse(text.as_bytes(), ParseOptions::default());
        let response = json_response(&PlanReport::new(&reading, text.as_bytes(), locale));
        permit.release();
        response
    })
    .await
}

/// Starts a run of a plan in a project, like `jangdan run`. It has been started when the response arrives.
#[utoipa::path(
    post, path = "/api/plans/start",
    request_body = PlanStartRequest,
    responses(
        (status = CREATED, body = PlanRunCreated),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = FORBIDDEN, description = "a pasted plan with commands needs a code", body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, description = "unknown project or plan", body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "the configuration, git or the agents do not allow the run", body = Problem, content_type = "application/problem+json"),
        (status = UNPROCESSABLE_ENTITY, description = "the plan has errors", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn start_plan(
    State(api): State<Api>,
    credential: Option<Extension<Credential>>,
    RequestOrigin(origin): RequestOrigin,
    RequestLocale(locale): RequestLocale,
    permit: PlanPermit,
    JsonBody(start): JsonBody<PlanStartRequest, PLAN_BYTES_MAX>,
) -> Result<(StatusCode, Json<PlanRunCreated>), ApiError> {
    let is_cookie = credential.is_some_and(|Extension(credential)| credential == Credential::Cookie);
    if let Some(text) = start.text.clone().filter(|_| is_cookie) {
        let (access, code) = (Arc::clone(&api.access), start.code.clone());
        api.run_blocking(move |_| check_pasted_commands(&access, &text, code.as_deref())).await?;
    }
    with_prepared_run(&api, start, locale, move |host, prepared| {
        permit.release();
        let run = host.start_run(NewRun { origin, ..prepared.new })?;
        let notes = prepared.remarks.iter().map(|remark| remark.sentence(locale)).collect();
        Ok((StatusCode::CREATED, Json(PlanRunCreated { run, notes })))
    })
    .await
}

/// Returns the remarks about a run that `POST /api/plans/start` would start, or why it would not. Starts nothing.
#[utoipa::path(
    post, path = "/api/plans/preview",
    request_body = PlanStartRequest,
    responses(
        (status = OK, body = PlanStartPreview),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, description = "unknown project or plan", body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "the configuration, git or the agents do not allow the run", body = Problem, content_type = "application/problem+json"),
        (status = UNPROCESSABLE_ENTITY, description = "the plan has errors", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn preview_start(
    State(api): State<Api>,
    RequestLocale(locale): RequestLocale,
    permit: PlanPermit,
    JsonBody(start): JsonBody<PlanStartRequest, PLAN_BYTES_MAX>,
) -> Result<Json<PlanStartPreview>, ApiError> {
    let is_including = start.include_changes;
    // Including the changes makes a commit.
    let start = PlanStartRequest { include_changes: false, ..start };
    with_prepared_run(&api, start, locale, move |_, prepared| {
        permit.release();
        let remarks = prepared.remarks.into_iter().map(|remark| {
            if is_including && let StartRemark::Uncommitted { files } = remark {
                return StartRemark::ChangesIncluded { files };
            }
            remark
        });
        let remarks = remarks
            .map(|remark| PlanStartRemark { text: remark.sentence(locale), run: remark.other_run().cloned() })
            .collect();
        Ok(Json(PlanStartPreview { remarks }))
    })
    .await
}

/// Prepares the run of a request, and calls `respond` with it.
async fn with_prepared_run<T: Send + 'static>(
    api: &Api,
    start: PlanStartRequest,
    locale: Locale,
    respond: impl FnOnce(&Host, PreparedRun) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    check_names(&start)?;
    api.run_blocking(move |host| respond(host, prepare(host, start, locale)?)).await
}

fn check_names(start: &PlanStartRequest) -> Result<(), ApiError> {
    check_person_name(&start.person)?;
    for (field, value) in [("agent", &start.agent), ("name", &start.name)] {
        if value.as_ref().is_some_and(|value| value.len() > NAME_BYTES_MAX) {
            let detail = format!("The field '{field}' has more than {NAME_BYTES_MAX} bytes.");
            return Err(ApiError::new(ProblemCode::BadRequest, detail, "Shorten it."));
        }
    }
    Ok(())
}

/// Requires a code for a pasted plan with commands: a browser sends its cookie to every port of this machine, also to a
/// server that an agent started, so a cookie alone must not start arbitrary commands.
fn check_pasted_commands(access: &SharedToken, text: &str, code: Option<&str>) -> Result<(), ApiError> {
    let plan = plan::parse(text.as_bytes(), ParseOptions::default()).plan;
    let has_commands = plan.tasks.iter().any(|task| task.verify.is_some())
        || plan.phases.iter().any(|phase| phase.verify.is_some());
    if !has_commands || code.is_some_and(|code| access.redeem_confirmation_code(code)) {
        return Ok(());
    }
    let detail = match code {
        None => "The pasted plan has commands (Verify), which are run on this machine.",
        Some(_) => "The code is wrong, was used, or is older than two minutes.",
    };
    let hint = "Enter the code that `jangdan link --code` prints, or save the plan in the project.";
    Err(ApiError::new(ProblemCode::CodeRequired, detail, hint))
}

/// Prepares the run of a request.
fn prepare(host: &Host, start: PlanStartRequest, locale: Locale) -> Result<PreparedRun, ApiError> {
    let project = check_project_listed(host, &start.project)?;
    let plan = match (&start.path, start.text) {
        (Some(path), None) => load_listed(&project, path)?,
        (None, Some(text)) => {
            LoadedPlan::from_text(start.name.as_deref().unwrap_or("plan"), text, ParseOptions::default())
        }
        (Some(_), Some(_)) | (None, None) => {
            let hint = "Send the path of a plan of the project, or the text of a plan.";
            let detail = "Exactly one of 'path' and 'text' is required.";
            return Err(ApiError::new(ProblemCode::BadRequest, detail, hint));
        }
    };
    let loaded = project_config::load(&project, host.data_directory())?.effective;
    let options = RunOptions {
        with_optional: start.optional,
        agent: start.agent,
        in_place: start.in_place,
        include_changes: start.include_changes,
        repeat: match (start.open, start.again) {
            (_, true) => RepeatPolicy::Again,
            (true, false) => RepeatPolicy::LeaveOut,
            (false, false) => RepeatPolicy::RefuseAll,
        },
        earlier_runs: earlier_runs(host, &project, &plan)?,
        person: start.person,
    };
    runtime::prepare::prepare_run(&project, &loaded.config, &plan, &options)
        .map_err(|error| api_error_from_prepare(&error, &plan, locale))
}

/// Returns the earlier runs of a project, the newest first.
fn earlier_runs(host: &Host, project: &Path, plan: &LoadedPlan) -> Result<Vec<EarlierRun>, ApiError> {
    let tasks_of = |run: &RunId| {
        let snapshot = host.run_snapshot(run).ok()?;
        Some(snapshot.views.rows().tasks.iter().cloned().collect())
    };
    let (runs, data) = (host.list_runs()?, host.data_directory());
    Ok(earlier_runs_of_project(&runs, data, project, plan.file.as_deref(), tasks_of))
}

fn required_path(query: &mut QueryReader, name: &'static str) -> Result<PathBuf, ApiError> {
    query.take(name)?.ok_or_else(|| invalid_query_error(format!("The query parameter '{name}' is missing.")))
}

/// Reads a plan of a project. Only listed plans are readable, whatever the path resolves to.
fn load_listed(project: &Path, path: &Path) -> Result<LoadedPlan, ApiError> {
    LoadedPlan::load_listed(project, path, ParseOptions::default()).map_err(|error| match error {
        PrepareError::Input(error) if matches!(error.kind, InputErrorKind::TooLarge { .. }) => {
            ApiError::new(ProblemCode::TooLarge, error.to_string(), error.hint())
        }
        PrepareError::Input(_)
        | PrepareError::NoPlan { .. }
        | PrepareError::SeveralPlans { .. }
        | PrepareError::PlanMistakes { .. }
        | PrepareError::UnknownAgent { .. }
        | PrepareError::InvalidAgent { .. }
        | PrepareError::NoAgent
        | PrepareError::NotInstalled { .. }
        | PrepareError::SignedOut { .. }
        | PrepareError::CheckProgram { .. }
        | PrepareError::AlreadyDone { .. }
        | PrepareError::NothingOpen { .. }
        | PrepareError::NoScript { .. }
        | PrepareError::AgentName(_)
        | PrepareError::NoRepository { .. }
        | PrepareError::Git(_)
        | PrepareError::Unborn { .. }
        | PrepareError::Submodule { .. }
        | PrepareError::LfsProgram
        | PrepareError::LfsFilter
        | PrepareError::Template { .. } => {
            let detail =
                format!("The project has no plan '{}'.", shorten_client_text(&path.display().to_string()));
            ApiError::new(
                ProblemCode::UnknownPlan,
                detail,
                "GET /api/plans lists its plans; or send the text.",
            )
        }
    })
}

/// Returns the error for a run that cannot be prepared.
fn api_error_from_prepare(error: &PrepareError, plan: &LoadedPlan, locale: Locale) -> ApiError {
    let (code, hint) = match error {
        PrepareError::Input(_) | PrepareError::NoPlan { .. } | PrepareError::SeveralPlans { .. } => {
            (ProblemCode::UnknownPlan, error.hint())
        }
        PrepareError::PlanMistakes { .. } => (ProblemCode::InvalidPlan, error.hint()),
        PrepareError::UnknownAgent { task: None, .. }
        | PrepareError::InvalidAgent { .. }
        | PrepareError::AgentName(_) => {
            (ProblemCode::BadRequest, "Check the name in the list of agents.".to_owned())
        }
        PrepareError::UnknownAgent { task: Some(_), .. } => (ProblemCode::InvalidPlan, error.hint()),
        PrepareError::NoAgent | PrepareError::NotInstalled { .. } | PrepareError::SignedOut { .. } => {
            (ProblemCode::NoAgent, error.hint())
        }
        PrepareError::AlreadyDone { run, .. } | PrepareError::NothingOpen { run } => {
            let hint = format!("Merge the work of run {run}, or run all tasks again.");
            (ProblemCode::PlanDone, hint)
        }
        PrepareError::NoRepository { .. } => {
            let hint = "Create one (git init, then commit), or work in the project folder (inPlace).";
            (ProblemCode::GitFailed, hint.to_owned())
        }
        PrepareError::Git(_)
        | PrepareError::Unborn { .. }
        | PrepareError::Submodule { .. }
        | PrepareError::LfsProgram
        | PrepareError::LfsFilter => (ProblemCode::GitFailed, error.hint()),
        PrepareError::NoScript { .. } | PrepareError::CheckProgram { .. } | PrepareError::Template { .. } => {
            (ProblemCode::InvalidConfiguration, error.hint())
        }
    };
    let mut api_error = ApiError::new(code, error_chain(error), hint);
    if matches!(error, PrepareError::PlanMistakes { .. }) {
        let report = PlanReport::new(&plan.reading, &plan.source, locale);
        api_error.problem.diagnostics =
            report.diagnostics.iter().take(DIAGNOSTICS_MAX).map(ProblemDiagnostic::from_diagnostic).collect();
    }
    api_error
}
