//! Runs: list, start, rows, commands, inbox.

use std::collections::BTreeMap;

use axum::{
    Extension, Json,
    extract::State,
    http::{
        HeaderValue, StatusCode,
        header::{CONTENT_TYPE, LINK},
    },
    response::{IntoResponse, Response},
};
use domain::{AgentName, RunId, SessionId, TaskId, UserCommand};
use runtime::{CommandSender, DamagedRun, HostError, NewRun, ProvidedValue};
use serde::Serialize;
use utoipa::ToSchema;
use views::{QuestionState, RowKind, RowList, RowsByKind, RunRow, RunState, TurnRow, UsageRow};

use crate::{
    access::Credential,
    api::Api,
    bodies::{CommandAccepted, CommandRequest, DamagedRunEntry, InboxEntry, QuestionEntry, RunCreated},
    extract::{
        COMMAND_BYTES_MAX, JsonBody, PLAN_BYTES_MAX, PathParams, QueryPairs, QueryReader, RequestLocale,
        RequestOrigin, invalid_query_error,
    },
    problem::{ApiError, Problem, shorten_client_text},
    problem_code::ProblemCode,
    routes::access::require_token,
};

const RUNS_MAX: usize = 1000;
const PERSON_BYTES_MAX: usize = 200;

/// The rows of a run by kind, at a position of the log.
#[derive(Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct RunRows<'a> {
    /// Position in the log of all runs; a live stream that starts here misses no change.
    position: u64,
    /// Sequence number of the last event in the run.
    sequence: u64,
    /// The rows of the requested kinds.
    #[cfg_attr(feature = "typescript", ts(type = "{ [K in keyof RowOf]?: Array<RowOf[K]> }"))]
    #[schema(value_type = RowsByKind)]
    rows: BTreeMap<&'static str, ResponseRows<'a>>,
}

/// All rows of a kind, or selected turns. Borrowed, because the rows of a run may be large.
#[derive(Serialize)]
#[serde(untagged)]
enum ResponseRows<'a> {
    All(RowList<'a>),
    Turns(Vec<&'a TurnRow>),
}

/// Lists the runs, the oldest first, or a page of them, the newest first.
///
/// With `limit` or `before` the newest come first, and the header `link` has the URL of the next page, if any.
#[utoipa::path(
    get, path = "/api/runs",
    params(
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 1000, description = "page size; all runs if missing"),
        ("before" = Option<String>, Query, description = "id of a run: only runs that started before it, the newest first"),
    ),
    responses(
        (status = OK, description = "rows of the kind run", body = [RunRow]),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn list_runs(State(api): State<Api>, query: QueryPairs) -> Result<Response, ApiError> {
    let mut query = QueryReader::new(query);
    let before: Option<RunId> = query.take("before")?;
    let is_paged = before.is_some() || query.has("limit");
    let limit = query.take_limit(RUNS_MAX, RUNS_MAX)?;
    query.finish()?;
    api.run_blocking(move |host| {
        let mut runs = host.list_runs()?;
        if !is_paged {
            return json_response(&runs);
        }
        runs.reverse();
        if let Some(before) = before {
            let at = runs.iter().position(|run| run.id == before);
            let at = at.ok_or(HostError::UnknownRun { run: before })?;
            runs.drain(..=at);
        }
        let is_last = runs.len() <= limit;
        runs.truncate(limit);
        let mut response = json_response(&runs)?;
        if let Some(last) = runs.last().filter(|_| !is_last) {
            let link = format!("</api/runs?limit={limit}&before={}>; rel=\"next\"", last.id);
            let link = HeaderValue::try_from(link).map_err(|_| ApiError::internal())?;
            response.headers_mut().insert(LINK, link);
        }
        Ok(response)
    })
    .await
}

/// Lists the runs that cannot be continued or read, with what the user can do.
#[utoipa::path(
    get, path = "/api/damage",
    responses((status = OK, body = [DamagedRunEntry]))
)]
pub(super) async fn list_damaged_runs(
    State(api): State<Api>,
    RequestLocale(locale): RequestLocale,
) -> Result<Json<Vec<DamagedRunEntry>>, ApiError> {
    api.run_blocking(move |host| {
        let entry = |damaged: DamagedRun| DamagedRunEntry {
            cause: damaged.cause(locale),
            remedy: damaged.remedy(host.data_directory(), locale),
            run: damaged.run,
            sessions: damaged.sessions,
        };
        Ok(Json(host.damaged_runs()?.into_iter().map(entry).collect()))
    })
    .await
}

/// Starts a run with any folder, agents and commands, so it requires the token. It has been started when the response
/// arrives.
#[utoipa::path(
    post, path = "/api/runs",
    request_body = NewRun,
    responses(
        (status = CREATED, body = RunCreated),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = UNAUTHORIZED, description = "a cookie is not enough", body = Problem, content_type = "application/problem+json"),
        (status = UNPROCESSABLE_ENTITY, description = "the plan cannot be run", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn start_run(
    State(api): State<Api>,
    credential: Option<Extension<Credential>>,
    RequestOrigin(origin): RequestOrigin,
    JsonBody(new): JsonBody<NewRun, PLAN_BYTES_MAX>,
) -> Result<(StatusCode, Json<RunCreated>), ApiError> {
    check_person_name(&new.person)?;
    // CSRF: a cookie alone must not start arbitrary commands.
    require_token(credential, "A page starts plans of listed projects with POST /api/plans/start")?;
    let run = api.run_blocking(move |host| Ok(host.start_run(NewRun { origin, ..new })?)).await?;
    Ok((StatusCode::CREATED, Json(RunCreated { run })))
}

/// Returns the row of a run.
#[utoipa::path(
    get, path = "/api/runs/{run}",
    params(("run" = String, Path, description = "id of the run")),
    responses((status = OK, description = "a row of the kind run", body = RunRow), (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"))
)]
pub(super) async fn get_run(
    State(api): State<Api>,
    PathParams(run): PathParams<RunId>,
) -> Result<Json<RunRow>, ApiError> {
    api.run_blocking(move |host| Ok(Json(host.run_row(&run)?))).await
}

/// Returns the rows of a run, of all kinds or some, with their position in the log.
#[utoipa::path(
    get, path = "/api/runs/{run}/rows",
    params(
        ("run" = String, Path, description = "id of the run"),
        ("kind" = Option<Vec<String>>, Query, description = "kind of row; may be repeated"),
        ("task" = Option<String>, Query, description = "only the turns of this task; requires kind=turn"),
        ("session" = Option<String>, Query, description = "only the turns of this session; requires kind=turn"),
    ),
    responses(
        (status = OK, body = RunRows),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn rows(
    State(api): State<Api>,
    PathParams(run): PathParams<RunId>,
    query: QueryPairs,
) -> Result<Response, ApiError> {
    let mut query = QueryReader::new(query);
    let task: Option<TaskId> = query.take("task")?;
    let session: Option<SessionId> = query.take("session")?;
    let kinds = take_row_kinds(query)?;
    for (name, is_given) in [("task", task.is_some()), ("session", session.is_some())] {
        if is_given && kinds != [RowKind::Turn] {
            return Err(invalid_query_error(format!("The query parameter '{name}' requires kind=turn.")));
        }
    }
    api.run_blocking(move |host| {
        let shown = host.run_snapshot(&run)?;
        let all = shown.views.rows();
        let is_selected = |turn: &&TurnRow| {
            (task.is_none() || turn.task == task) && session.is_none_or(|session| turn.session == session)
        };
        let of = |kind: &RowKind| match (&task, session) {
            (None, None) => ResponseRows::All(all.list(*kind)),
            _ => ResponseRows::Turns(all.turns.iter().filter(is_selected).collect()),
        };
        let rows = kinds.iter().map(|kind| (kind.name(), of(kind))).collect();
        json_response(&RunRows { position: shown.position.0, sequence: shown.sequence.0, rows })
    })
    .await
}

/// Sends a command to a run. It has been carried out and is durable when the response arrives.
#[utoipa::path(
    post, path = "/api/runs/{run}/commands",
    params(("run" = String, Path, description = "id of the run")),
    request_body = CommandRequest,
    responses(
        (status = OK, body = CommandAccepted),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, description = "the run, or an object that the command names, does not exist", body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "the state of the run does not allow the command", body = Problem, content_type = "application/problem+json"),
        (status = UNPROCESSABLE_ENTITY, description = "the command could not be carried out in any state", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn execute_command(
    State(api): State<Api>,
    PathParams(run): PathParams<RunId>,
    credential: Option<Extension<Credential>>,
    RequestOrigin(origin): RequestOrigin,
    JsonBody(request): JsonBody<CommandRequest, COMMAND_BYTES_MAX>,
) -> Result<Json<CommandAccepted>, ApiError> {
    let CommandRequest { person, command, values, not_secret } = request;
    check_person_name(&person)?;
    let mut provided_values = Vec::new();
    for (name, value) in values {
        let is_secret = !not_secret.contains(&name);
        provided_values.push(ProvidedValue::new(&name, value.into_value(), is_secret)?);
    }
    if matches!(&command, UserCommand::AddTask(task) if task.verify.is_some()) {
        require_token(credential, "Add the task without its check, or with a program that has the token")?;
    }
    let sequence = api.run_blocking(move |host| {
        let sender = CommandSender { person: &person, origin };
        if provided_values.is_empty() {
            return Ok(host.execute_command(&run, sender, command)?);
        }
        let UserCommand::Provide { request, provided } = command else {
            let detail = "Only the command provide has values.";
            return Err(ApiError::new(ProblemCode::BadRequest, detail, "Leave out the field values."));
        };
        Ok(host.provide_values(&run, sender, (request, provided), &provided_values)?)
    });
    let sequence = sequence.await?;
    Ok(Json(CommandAccepted { sequence }))
}

/// Lists the questions that wait for a person in all active runs, the oldest first.
#[utoipa::path(
    get, path = "/api/questions",
    params(
        ("run" = Option<String>, Query, description = "only questions of this run"),
        ("agent" = Option<String>, Query, description = "only questions of this agent"),
    ),
    responses(
        (status = OK, description = "rows of the kind question, each with its run", body = [QuestionEntry]),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn questions(
    State(api): State<Api>,
    query: QueryPairs,
) -> Result<Json<Vec<QuestionEntry>>, ApiError> {
    let mut query = QueryReader::new(query);
    let selected: Option<RunId> = query.take("run")?;
    let agent: Option<AgentName> = query.take("agent")?;
    query.finish()?;
    api.run_blocking(move |host| {
        let runs = match selected {
            Some(run) => vec![run],
            None => host.list_runs()?.into_iter().filter(is_active).map(|run| run.id).collect(),
        };
        let mut questions = Vec::new();
        for run in runs {
            let shown = host.run_snapshot(&run)?;
            let pending = shown.views.rows().questions.iter().filter(|row| {
                row.status == QuestionState::Pending && (agent.is_none() || row.agent == agent)
            });
            questions.extend(pending.map(|row| QuestionEntry { run: run.clone(), row: row.clone() }));
        }
        questions.sort_by_key(|question| question.row.asked_at);
        Ok(Json(questions))
    })
    .await
}

/// Returns the tokens and the cost of a run, its phases, agents and tasks.
#[utoipa::path(
    get, path = "/api/runs/{run}/usage",
    params(("run" = String, Path, description = "id of the run")),
    responses(
        (status = OK, description = "rows of the kind usage", body = [UsageRow]),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn usage(
    State(api): State<Api>,
    PathParams(run): PathParams<RunId>,
) -> Result<Json<Vec<UsageRow>>, ApiError> {
    api.run_blocking(move |host| {
        Ok(Json(host.run_snapshot(&run)?.views.rows().usage.iter().cloned().collect()))
    })
    .await
}

/// Lists the questions, requests, approvals and problems that wait for a person in all active runs, the most urgent first.
#[utoipa::path(
    get, path = "/api/inbox",
    responses((status = OK, description = "rows of the kind inbox, each with its run", body = [InboxEntry]))
)]
pub(super) async fn inbox(State(api): State<Api>) -> Result<Json<Vec<InboxEntry>>, ApiError> {
    api.run_blocking(|host| {
        let mut items = Vec::new();
        for run in host.list_runs()?.into_iter().filter(is_active) {
            let shown = host.run_snapshot(&run.id)?;
            let inbox = shown.views.inbox().into_iter().cloned();
            items.extend(inbox.map(|row| InboxEntry { run: run.id.clone(), row }));
        }
        items.sort_by(|left, right| left.row.cmp_urgency(&right.row));
        Ok(Json(items))
    })
    .await
}

fn is_active(run: &RunRow) -> bool {
    match run.status {
        RunState::Running | RunState::Paused => true,
        RunState::Done | RunState::Failed | RunState::Cancelled => false,
    }
}

/// Takes the requested kinds; all if none is named.
fn take_row_kinds(mut query: QueryReader) -> Result<Vec<RowKind>, ApiError> {
    let mut kinds = Vec::new();
    while let Some(name) = query.take::<String>("kind")? {
        kinds.push(parse_row_kind(&name)?);
    }
    query.finish()?;
    Ok(if kinds.is_empty() { RowKind::ALL.to_vec() } else { kinds })
}

/// Parses the name of a kind of row.
pub(super) fn parse_row_kind(name: &str) -> Result<RowKind, ApiError> {
    let found = RowKind::ALL.iter().find(|kind| kind.name() == name);
    found.copied().ok_or_else(|| {
        let names: Vec<_> = RowKind::ALL.iter().map(|kind| kind.name()).collect();
        let detail = format!("There is no kind '{}'.", shorten_client_text(name));
        ApiError::new(ProblemCode::BadRequest, detail, format!("The kinds are {}.", names.join(", ")))
    })
}

/// Checks the name of a person.
pub(super) fn check_person_name(person: &str) -> Result<(), ApiError> {
    if person.trim().is_empty() || person.len() > PERSON_BYTES_MAX {
        let detail = format!("The name of the person must have 1 to {PERSON_BYTES_MAX} bytes.");
        return Err(ApiError::new(ProblemCode::BadRequest, detail, "Set the field: \"person\":\"ana\""));
    }
    Ok(())
}

/// Serializes a response on the thread that built it: it may be large.
pub(super) fn json_response(body: &(impl Serialize + ?Sized)) -> Result<Response, ApiError> {
    let text = serde_json::to_vec(body).map_err(|_| ApiError::internal())?;
    Ok(([(CONTENT_TYPE, "application/json")], text).into_response())
}
