//! What there is beside runs: agents, the configuration, projects, and plans that are only read.

use std::collections::BTreeMap;

use axum::{Json, extract::State, response::Response};
use plan::{Options, Report};

use crate::{
    api::Api,
    bodies::{PlanText, ProjectRow},
    configured::{Configured, loaded},
    problem::{Failure, Problem},
    request::{PLAN_BYTES_MAX, Sent},
    routes::runs::json,
};

/// The agents that are known here: which are installed, which version, logged in or not.
#[utoipa::path(
    get, path = "/api/agents",
    responses(
        (status = OK, description = "name, title, program, version, login, missing, works, chosen", body = [Object]),
        (status = CONFLICT, description = "the configuration has mistakes", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn agents(State(api): State<Api>) -> Result<Response, Failure> {
    let listed = api.agents.get().await?;
    json(&*listed)
}

/// The configuration as this server sees it: every key, its value, and where that comes from.
#[utoipa::path(
    get, path = "/api/config",
    responses(
        (status = OK, description = "key, value, origins, about", body = [Object]),
        (status = CONFLICT, description = "the configuration has mistakes", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn config(State(api): State<Api>) -> Result<Response, Failure> {
    api.ask(|_| {
        let Configured { whole, .. } = loaded()?;
        json(&config::rows(&whole))
    })
    .await
}

/// The projects that had a run, the last used first.
#[utoipa::path(get, path = "/api/projects", responses((status = OK, body = [ProjectRow])))]
pub async fn projects(State(api): State<Api>) -> Result<Json<Vec<ProjectRow>>, Failure> {
    api.ask(|host| {
        let mut projects: BTreeMap<_, ProjectRow> = BTreeMap::new();
        // The oldest first, so that the last one is the newest.
        for run in host.list()? {
            let folder = host.outfit(&run.id).ok().map(|outfit| outfit.project);
            let row = projects.entry((run.project.clone(), folder.clone())).or_insert_with(|| ProjectRow {
                name: run.project.clone(),
                folder,
                n_runs: 0,
                last_run: run.id.clone(),
                last_started_at: run.started_at,
            });
            row.n_runs = row.n_runs.saturating_add(1);
            (row.last_run, row.last_started_at) = (run.id, run.started_at);
        }
        let mut projects: Vec<_> = projects.into_values().collect();
        projects.sort_by_key(|project| std::cmp::Reverse(project.last_started_at));
        Ok(Json(projects))
    })
    .await
}

/// Reads a plan and says what it means and what is wrong with it. Nothing begins.
#[utoipa::path(
    post, path = "/api/plans/check",
    request_body = PlanText,
    responses(
        (status = OK, description = "format, title, phases, tasks, criticalPath, widest, and diagnostics in their places", body = Object),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = PAYLOAD_TOO_LARGE, body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn check_plan(
    State(api): State<Api>,
    Sent(PlanText { name: _, text }): Sent<PlanText, PLAN_BYTES_MAX>,
) -> Result<Response, Failure> {
    api.ask(move |_| {
        let reading = plan::read(text.as_bytes(), Options { format: None });
        json(&Report::new(&reading, text.as_bytes()))
    })
    .await
}
