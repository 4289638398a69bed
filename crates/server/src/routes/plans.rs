//! Plans: those that a project has, what a plan means, and a run of one.
//!
//! A run is made ready by the same crate as that of `jangdan run`, so that it is the same run.

use std::path::{Path, PathBuf};

use axum::{Json, extract::State, http::StatusCode, response::Response};
use plan::{ParseOptions, PlanReport};
use runtime::prepare::{LoadedPlan, PrepareError, RunOptions, input::InputErrorKind};

use crate::{
    api::Api,
    bodies::{PlanContent, PlanFile, PlanMistake, PlanStart, PlanStarted, PlanText},
    code::Code,
    configured,
    problem::{Failure, Problem, chain, echo},
    projects::known_project,
    request::{Asked, PLAN_BYTES_MAX, Pairs, Sent, bad_query},
    routes::runs::{check_person, json},
};

/// How many mistakes are told with a problem; `POST /api/plans/check` tells all.
const MISTAKES_MAX: usize = 50;

/// How long a name can be: it is said back where something is wrong.
const WORD_MAX: usize = 200;

/// The files of a project that look like plans, the likeliest first.
#[utoipa::path(
    get, path = "/api/plans",
    params(("project" = String, Query, description = "the folder of a project that is known")),
    responses(
        (status = OK, body = [PlanFile]),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn list(State(api): State<Api>, asked: Asked) -> Result<Json<Vec<PlanFile>>, Failure> {
    let mut pairs = Pairs::new(asked);
    let project = needed(&mut pairs, "project")?;
    pairs.done()?;
    api.ask(move |host| {
        let found = runtime::prepare::find_plan_files(&known_project(host, &project)?);
        Ok(Json(found.into_iter().map(|found| PlanFile { path: found.path, bytes: found.bytes }).collect()))
    })
    .await
}

/// The text of a plan of a project.
#[utoipa::path(
    get, path = "/api/plans/text",
    params(
        ("project" = String, Query, description = "the folder of a project that is known"),
        ("path" = String, Query, description = "one of its plans, as GET /api/plans lists them"),
    ),
    responses(
        (status = OK, body = PlanContent),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn text(State(api): State<Api>, asked: Asked) -> Result<Response, Failure> {
    let mut pairs = Pairs::new(asked);
    let project = needed(&mut pairs, "project")?;
    let path = needed(&mut pairs, "path")?;
    pairs.done()?;
    api.ask(move |host| {
        let plan = listed(&known_project(host, &project)?, &path)?;
        let text = String::from_utf8_lossy(&plan.source).into_owned();
        json(&PlanContent { path, text })
    })
    .await
}

/// Reads a plan and says what it means and what is wrong with it. Nothing begins.
#[utoipa::path(
    post, path = "/api/plans/check",
    request_body = PlanText,
    responses(
        (status = OK, body = PlanReport),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = PAYLOAD_TOO_LARGE, body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn check(
    State(api): State<Api>,
    Sent(PlanText { name: _, text }): Sent<PlanText, PLAN_BYTES_MAX>,
) -> Result<Response, Failure> {
    api.ask(move |_| {
        let reading = plan::parse(text.as_bytes(), ParseOptions { format: None });
        json(&PlanReport::new(&reading, text.as_bytes()))
    })
    .await
}

/// Begins a run of a plan in a project, as `jangdan run` does there. It has begun when the answer comes.
#[utoipa::path(
    post, path = "/api/plans/start",
    request_body = PlanStart,
    responses(
        (status = CREATED, body = PlanStarted),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, description = "there is no such project or plan", body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "the configuration, git or the agents are not ready for it", body = Problem, content_type = "application/problem+json"),
        (status = UNPROCESSABLE_ENTITY, description = "the plan has mistakes", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn start(
    State(api): State<Api>,
    Sent(start): Sent<PlanStart, PLAN_BYTES_MAX>,
) -> Result<(StatusCode, Json<PlanStarted>), Failure> {
    check_person(&start.person)?;
    for (field, word) in [("agent", &start.agent), ("name", &start.name)] {
        if word.as_ref().is_some_and(|word| word.len() > WORD_MAX) {
            let what = format!("{field} has more than {WORD_MAX} bytes");
            return Err(Failure::new(Code::BadRequest, what, "say it in less"));
        }
    }
    api.ask(move |host| {
        let project = known_project(host, &start.project)?;
        let plan = match (&start.path, start.text) {
            (Some(path), None) => listed(&project, path)?,
            (None, Some(text)) => LoadedPlan::of_text(start.name.as_deref().unwrap_or("plan"), text, None),
            (Some(_), Some(_)) | (None, None) => {
                let hint = "send the path of a plan of the project, or else its text";
                return Err(Failure::new(Code::BadRequest, "a plan has either a path or a text", hint));
            }
        };
        let loaded = configured::of(&project, host.data())?.whole;
        let wanted = RunOptions {
            with_optional: start.optional,
            agent: start.agent,
            in_place: start.in_place,
            person: start.person,
        };
        let prepared = runtime::prepare::prepare(&project, &loaded.config, &plan, &wanted)
            .map_err(|error| refused(&error, &plan))?;
        let run = host.start(prepared.new)?;
        Ok((StatusCode::CREATED, Json(PlanStarted { run, notes: prepared.notes })))
    })
    .await
}

fn needed(pairs: &mut Pairs, name: &'static str) -> Result<PathBuf, Failure> {
    pairs.take(name)?.ok_or_else(|| bad_query(format!("{name} is missing")))
}

/// Reads a plan of a project. Whatever is not in the list of its plans is not there, wherever it would lead.
fn listed(project: &Path, path: &Path) -> Result<LoadedPlan, Failure> {
    LoadedPlan::listed(project, path, None).map_err(|error| match error {
        PrepareError::Input(error) if matches!(error.kind, InputErrorKind::TooLarge { .. }) => {
            Failure::new(Code::TooLarge, error.to_string(), error.hint())
        }
        _ => {
            let what = format!("the project has no plan {}", echo(&path.display().to_string()));
            Failure::new(Code::UnknownPlan, what, "GET /api/plans lists those that it has; or send the text")
        }
    })
}

/// Says why a run can't begin.
fn refused(error: &PrepareError, plan: &LoadedPlan) -> Failure {
    let (code, hint) = match error {
        PrepareError::Input(_) | PrepareError::NoPlan { .. } | PrepareError::SeveralPlans { .. } => {
            (Code::UnknownPlan, error.hint())
        }
        PrepareError::PlanMistakes { .. } => (Code::BadPlan, error.hint()),
        PrepareError::UnknownAgent { .. } | PrepareError::AgentName(_) => {
            (Code::BadRequest, "GET /api/agents lists all".to_owned())
        }
        PrepareError::NoAgent => (Code::NoAgent, error.hint()),
        PrepareError::NoRepository { .. } => {
            let hint =
                "make one (git init, then commit), or let all agents work in the folder itself: inPlace";
            (Code::Git, hint.to_owned())
        }
        PrepareError::Git(_)
        | PrepareError::Unborn { .. }
        | PrepareError::Submodule { .. }
        | PrepareError::LfsProgram
        | PrepareError::LfsFilter => (Code::Git, error.hint()),
        PrepareError::Template { .. } => (Code::BadConfiguration, error.hint()),
    };
    let mut failure = Failure::new(code, chain(error), hint);
    if matches!(error, PrepareError::PlanMistakes { .. }) {
        let report = PlanReport::new(&plan.reading, &plan.source);
        failure.problem.mistakes =
            report.diagnostics.iter().take(MISTAKES_MAX).map(PlanMistake::of).collect();
    }
    failure
}
