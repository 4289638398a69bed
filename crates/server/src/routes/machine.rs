//! What there is beside runs and plans: agents, the configuration, projects.

use axum::{Json, extract::State, response::Response};

use crate::{
    api::Api,
    bodies::ProjectRow,
    configured::{Configured, loaded},
    problem::{Failure, Problem},
    projects::projects,
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
    let listed = api.agents.get(api.host.data()).await?;
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
    api.ask(|host| {
        let Configured { whole, .. } = loaded(host.data())?;
        json(&config::rows(&whole))
    })
    .await
}

/// The projects that had a run, the last used first, and the one in whose folder the server was started.
#[utoipa::path(get, path = "/api/projects", responses((status = OK, body = [ProjectRow])))]
pub async fn all_projects(State(api): State<Api>) -> Result<Json<Vec<ProjectRow>>, Failure> {
    api.ask(|host| Ok(Json(projects(host)?))).await
}
