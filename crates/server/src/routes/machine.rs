//! What there is beside runs and plans: agents, the configuration, projects.

use std::path::PathBuf;

use axum::{Json, extract::State, response::Response};
use config::KeyRow;
use sessions::detect::AgentListing;

use crate::{
    api::Api,
    bodies::ProjectRow,
    configured::{Configured, folder, of},
    problem::{Failure, Problem},
    projects::projects,
    request::{Asked, Pairs},
    routes::runs::json,
};

/// The agents that are known here: which are installed, which version, logged in or not.
#[utoipa::path(
    get, path = "/api/agents",
    params(("project" = Option<String>, Query, description = "the folder of a project that is known, for its own agents; else that in which the server was started")),
    responses(
        (status = OK, body = [AgentListing]),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, description = "there is no such project", body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "the configuration has mistakes", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn agents(State(api): State<Api>, asked: Asked) -> Result<Response, Failure> {
    let project = project(asked)?;
    let folder = api.ask(move |host| folder(host, project.as_deref())).await?;
    let listed = api.agents.get(folder, api.host.data()).await?;
    json(&*listed)
}

/// The configuration as it holds in a project: every key, its value, and where that comes from.
#[utoipa::path(
    get, path = "/api/config",
    params(("project" = Option<String>, Query, description = "the folder of a project that is known; else that in which the server was started")),
    responses(
        (status = OK, body = [KeyRow]),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, description = "there is no such project", body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "the configuration has mistakes", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn config(State(api): State<Api>, asked: Asked) -> Result<Response, Failure> {
    let project = project(asked)?;
    api.ask(move |host| {
        let Configured { whole, .. } = of(&folder(host, project.as_deref())?, host.data())?;
        json(&config::rows(&whole))
    })
    .await
}

/// The projects that had a run, the last used first, and the one in whose folder the server was started.
#[utoipa::path(get, path = "/api/projects", responses((status = OK, body = [ProjectRow])))]
pub async fn all_projects(State(api): State<Api>) -> Result<Json<Vec<ProjectRow>>, Failure> {
    api.ask(|host| Ok(Json(projects(host)?))).await
}

fn project(asked: Asked) -> Result<Option<PathBuf>, Failure> {
    let mut pairs = Pairs::new(asked);
    let project = pairs.take("project")?;
    pairs.done()?;
    Ok(project)
}
