//! Runs: their list, their beginning, their rows, and commands of people.

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
use domain::{AgentName, RunId, TaskId};
use runtime::{HostError, NewRun};
use serde::Serialize;
use utoipa::ToSchema;
use views::{QuestionState, RowKind, RowList, RowsByKind, RunRow, RunState, TurnRow, UsageRow};

use crate::{
    api::Api,
    bodies::{Accepted, CommandRequest, InboxItem, PendingQuestion, Started},
    code::Code,
    guard::Known,
    problem::{Failure, Problem, echo},
    request::{Asked, Named, PLAN_BYTES_MAX, Pairs, Sent, WORD_BYTES_MAX, bad_query},
};

/// How many runs are in a page at most.
const RUNS_MAX: usize = 1000;
/// How long the name of a person can be.
const PERSON_BYTES_MAX: usize = 200;

/// The rows of a run by their kinds, and the place in the log that they stand for.
#[derive(Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RunRows<'a> {
    /// The place among all runs; listening from here on misses nothing.
    position: u64,
    /// The place of the last event in the run.
    sequence: u64,
    /// The rows of the kinds that were asked for.
    #[cfg_attr(feature = "typescript", ts(type = "{ [K in keyof RowOf]?: Array<RowOf[K]> }"))]
    #[schema(value_type = RowsByKind)]
    rows: BTreeMap<&'static str, SelectedRows<'a>>,
}

/// The rows of a kind, or some of them. Borrowed from the rows of the run, which may be large.
#[derive(Serialize)]
#[serde(untagged)]
enum SelectedRows<'a> {
    All(RowList<'a>),
    Turns(Vec<&'a TurnRow>),
}

/// Runs, the oldest first, or a page of them, the newest first.
///
/// With a `limit` the newest come first, and the header `link` has the address of the next page, where there is one.
#[utoipa::path(
    get, path = "/api/runs",
    params(
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 1000, description = "how many; all without it"),
        ("before" = Option<String>, Query, description = "a run; only those that began before it, the newest first"),
    ),
    responses(
        (status = OK, description = "rows of the kind run", body = [RunRow]),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn list(State(api): State<Api>, asked: Asked) -> Result<Response, Failure> {
    let mut pairs = Pairs::new(asked);
    let before: Option<RunId> = pairs.take("before")?;
    let is_paged = before.is_some() || pairs.has("limit");
    let limit = pairs.take_limit(RUNS_MAX, RUNS_MAX)?;
    pairs.done()?;
    api.ask(move |host| {
        let mut runs = host.list()?;
        if !is_paged {
            return json(&runs);
        }
        runs.reverse();
        if let Some(before) = before {
            let at = runs.iter().position(|run| run.id == before);
            let at = at.ok_or(HostError::UnknownRun { run: before })?;
            runs.drain(..=at);
        }
        let is_last = runs.len() <= limit;
        runs.truncate(limit);
        let mut answer = json(&runs)?;
        if let Some(last) = runs.last().filter(|_| !is_last) {
            let link = format!("</api/runs?limit={limit}&before={}>; rel=\"next\"", last.id);
            let link = HeaderValue::try_from(link).map_err(|_| Failure::ours())?;
            answer.headers_mut().insert(LINK, link);
        }
        Ok(answer)
    })
    .await
}

/// Begins a run of any folder, agents and commands, so that a browser's cookie is not enough. It has begun when the answer
/// comes.
#[utoipa::path(
    post, path = "/api/runs",
    request_body = NewRun,
    responses(
        (status = CREATED, body = Started),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = UNAUTHORIZED, description = "a browser's cookie is not enough", body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "the plan can't be run", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn start(
    State(api): State<Api>,
    known: Option<Extension<Known>>,
    Sent(new): Sent<NewRun, PLAN_BYTES_MAX>,
) -> Result<(StatusCode, Json<Started>), Failure> {
    check_person(&new.person)?;
    if known.is_some_and(|Extension(known)| known == Known::Cookie) {
        // Whoever tricked a page has not got the token, and so runs no command of their own.
        let hint = "a page begins the plans of known projects: POST /api/plans/start; a program sends the token: authorization: Bearer TOKEN";
        return Err(Failure::new(
            Code::NoToken,
            "a browser's cookie is not enough to say all of a run",
            hint,
        ));
    }
    let run = api.ask(move |host| Ok(host.start(new)?)).await?;
    Ok((StatusCode::CREATED, Json(Started { run })))
}

/// How a run stands.
#[utoipa::path(
    get, path = "/api/runs/{run}",
    params(("run" = String, Path, description = "the run")),
    responses((status = OK, description = "a row of the kind run", body = RunRow), (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"))
)]
pub async fn one(State(api): State<Api>, Named(run): Named<RunId>) -> Result<Json<RunRow>, Failure> {
    api.ask(move |host| Ok(Json(host.run_row(&run)?))).await
}

/// The rows of a run, all kinds or some, and the place in the log that they stand for.
#[utoipa::path(
    get, path = "/api/runs/{run}/rows",
    params(
        ("run" = String, Path, description = "the run"),
        ("kind" = Option<Vec<String>>, Query, description = "a kind of row; may stand there several times"),
        ("task" = Option<String>, Query, description = "only the turns of this task, where kind is turn"),
    ),
    responses(
        (status = OK, body = RunRows),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn rows(
    State(api): State<Api>,
    Named(run): Named<RunId>,
    asked: Asked,
) -> Result<Response, Failure> {
    let mut pairs = Pairs::new(asked);
    let task: Option<TaskId> = pairs.take("task")?;
    let kinds = kinds(pairs)?;
    if task.is_some() && kinds != [RowKind::Turn] {
        return Err(bad_query("only turns can be asked for by their task".to_owned()));
    }
    api.ask(move |host| {
        let shown = host.snapshot(&run)?;
        let all = shown.views.rows();
        let of = |kind: &RowKind| match &task {
            Some(task) => SelectedRows::Turns(all.turns.iter().filter(|turn| turn.task == *task).collect()),
            None => SelectedRows::All(all.list(*kind)),
        };
        let rows = kinds.iter().map(|kind| (kind.name(), of(kind))).collect();
        json(&RunRows { position: shown.position.0, sequence: shown.sequence.0, rows })
    })
    .await
}

/// Sends a command to a run. It has been carried out and is durable when the response arrives.
#[utoipa::path(
    post, path = "/api/runs/{run}/commands",
    params(("run" = String, Path, description = "the run")),
    request_body = CommandRequest,
    responses(
        (status = OK, body = Accepted),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "the rules say no", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn execute_command(
    State(api): State<Api>,
    Named(run): Named<RunId>,
    Sent(CommandRequest { person, command }): Sent<CommandRequest, WORD_BYTES_MAX>,
) -> Result<Json<Accepted>, Failure> {
    check_person(&person)?;
    let sequence = api.ask(move |host| Ok(host.execute(&run, &person, command)?)).await?;
    Ok(Json(Accepted { sequence }))
}

/// The questions that wait for the person, of all runs that go on, the oldest first.
#[utoipa::path(
    get, path = "/api/questions",
    params(
        ("run" = Option<String>, Query, description = "only those of this run"),
        ("agent" = Option<String>, Query, description = "only those of this agent"),
    ),
    responses(
        (status = OK, description = "rows of the kind question, each with its run", body = [PendingQuestion]),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn questions(State(api): State<Api>, asked: Asked) -> Result<Json<Vec<PendingQuestion>>, Failure> {
    let mut pairs = Pairs::new(asked);
    let only: Option<RunId> = pairs.take("run")?;
    let agent: Option<AgentName> = pairs.take("agent")?;
    pairs.done()?;
    api.ask(move |host| {
        let runs = match only {
            Some(run) => vec![run],
            None => host.list()?.into_iter().filter(goes_on).map(|run| run.id).collect(),
        };
        let mut questions = Vec::new();
        for run in runs {
            let shown = host.snapshot(&run)?;
            let pending = shown.views.rows().questions.iter().filter(|row| {
                row.status == QuestionState::Pending && (agent.is_none() || row.agent == agent)
            });
            questions.extend(pending.map(|row| PendingQuestion { run: run.clone(), row: row.clone() }));
        }
        questions.sort_by_key(|question| question.row.asked_at);
        Ok(Json(questions))
    })
    .await
}

/// The tokens and the cost of a run, of its phases, agents and tasks.
#[utoipa::path(
    get, path = "/api/runs/{run}/usage",
    params(("run" = String, Path, description = "the run")),
    responses(
        (status = OK, description = "rows of the kind usage", body = [UsageRow]),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn usage(State(api): State<Api>, Named(run): Named<RunId>) -> Result<Json<Vec<UsageRow>>, Failure> {
    api.ask(move |host| Ok(Json(host.snapshot(&run)?.views.rows().usage.iter().cloned().collect()))).await
}

/// What waits for the person in all runs that go on, the most urgent first.
#[utoipa::path(
    get, path = "/api/inbox",
    responses((status = OK, description = "rows of the kind inbox, each with its run", body = [InboxItem]))
)]
pub async fn inbox(State(api): State<Api>) -> Result<Json<Vec<InboxItem>>, Failure> {
    api.ask(|host| {
        let mut items = Vec::new();
        for run in host.list()?.into_iter().filter(goes_on) {
            let shown = host.snapshot(&run.id)?;
            let inbox = shown.views.inbox().into_iter().cloned();
            items.extend(inbox.map(|row| InboxItem { run: run.id.clone(), row }));
        }
        items.sort_by(|left, right| left.row.cmp_urgency(&right.row));
        Ok(Json(items))
    })
    .await
}

fn goes_on(run: &RunRow) -> bool {
    match run.status {
        RunState::Running | RunState::Paused => true,
        RunState::Done | RunState::Failed | RunState::Cancelled => false,
    }
}

/// Returns the kinds that are asked for; all where none is named.
fn kinds(mut pairs: Pairs) -> Result<Vec<RowKind>, Failure> {
    let mut kinds = Vec::new();
    while let Some(word) = pairs.take::<String>("kind")? {
        kinds.push(kind(&word)?);
    }
    pairs.done()?;
    Ok(if kinds.is_empty() { RowKind::ALL.to_vec() } else { kinds })
}

/// Returns the kind of row that a word names.
pub(super) fn kind(word: &str) -> Result<RowKind, Failure> {
    let known = RowKind::ALL.iter().find(|kind| kind.name() == word);
    known.copied().ok_or_else(|| {
        let names: Vec<_> = RowKind::ALL.iter().map(|kind| kind.name()).collect();
        let error = format!("there is no kind '{}'", echo(word));
        Failure::new(Code::BadRequest, error, format!("there are {}", names.join(", ")))
    })
}

/// Refuses a person without a name.
pub(super) fn check_person(person: &str) -> Result<(), Failure> {
    if person.trim().is_empty() || person.len() > PERSON_BYTES_MAX {
        let error = format!("the person's name must have 1 to {PERSON_BYTES_MAX} bytes");
        return Err(Failure::new(Code::BadRequest, error, "say who sends it: \"person\":\"ana\""));
    }
    Ok(())
}

/// Writes an answer where it is made, away from everybody else: it may be large.
pub(super) fn json(answer: &(impl Serialize + ?Sized)) -> Result<Response, Failure> {
    let text = serde_json::to_vec(answer).map_err(|_| Failure::ours())?;
    Ok(([(CONTENT_TYPE, "application/json")], text).into_response())
}
