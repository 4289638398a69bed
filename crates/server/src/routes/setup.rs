//! Agents, configuration and projects.

use std::path::PathBuf;

use axum::{Json, extract::State, response::Response};
use config::KeyRow;
use sessions::detect::AgentListing;

use crate::{
    api::Api,
    bodies::ProjectRow,
    extract::{QueryPairs, QueryReader},
    problem::{ApiError, Problem},
    project_config::{ProjectConfig, load, project_folder},
    projects::projects,
    routes::runs::json_response,
};

/// Lists the agents: whether installed, version, login state.
#[utoipa::path(
    get, path = "/api/agents",
    params(("project" = Option<String>, Query, description = "folder of a listed project; the folder in which the server was started if missing")),
    responses(
        (status = OK, body = [AgentListing]),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, description = "unknown project", body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "the configuration has errors", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn agents(State(api): State<Api>, query: QueryPairs) -> Result<Response, ApiError> {
    let project = take_project(query)?;
    let folder = api.run_blocking(move |host| project_folder(host, project.as_deref())).await?;
    let agents = api.agents.get(folder, api.host.data_directory()).await?;
    json_response(&*agents)
}

/// Lists every key of a project's configuration with its value and origin.
#[utoipa::path(
    get, path = "/api/config",
    params(("project" = Option<String>, Query, description = "folder of a listed project; the folder in which the server was started if missing")),
    responses(
        (status = OK, body = [KeyRow]),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, description = "unknown project", body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "the configuration has errors", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn config(State(api): State<Api>, query: QueryPairs) -> Result<Response, ApiError> {
    let project = take_project(query)?;
    api.run_blocking(move |host| {
        let ProjectConfig { effective, .. } =
            load(&project_folder(host, project.as_deref())?, host.data_directory())?;
        json_response(&config::rows(&effective))
    })
    .await
}

/// Lists the projects with runs, the last used first, and the one in whose folder the server was started.
#[utoipa::path(get, path = "/api/projects", responses((status = OK, body = [ProjectRow])))]
pub(super) async fn list_projects(State(api): State<Api>) -> Result<Json<Vec<ProjectRow>>, ApiError> {
    api.run_blocking(|host| Ok(Json(projects(host)?))).await
}

fn take_project(query: QueryPairs) -> Result<Option<PathBuf>, ApiError> {
    let mut query = QueryReader::new(query);
    let project = query.take("project")?;
    query.finish()?;
    Ok(project)
}
