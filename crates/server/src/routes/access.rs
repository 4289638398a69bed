//! Links to the page, and the replacement of the token. Only for clients with the token.

use axum::{Extension, Json, extract::State, http::StatusCode};

use crate::{
    access::Credential,
    api::Api,
    bodies::{LinkRequest, PageLink},
    extract::{COMMAND_BYTES_MAX, JsonBody},
    problem::{ApiError, Problem},
    problem_code::ProblemCode,
};

/// Creates a link that opens the page once, within ten minutes. Requires the token.
#[utoipa::path(
    post, path = "/api/links",
    request_body = LinkRequest,
    responses(
        (status = OK, body = PageLink),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = UNAUTHORIZED, description = "a cookie is not enough", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn create_link(
    State(api): State<Api>,
    credential: Option<Extension<Credential>>,
    JsonBody(LinkRequest { run }): JsonBody<LinkRequest, COMMAND_BYTES_MAX>,
) -> Result<Json<PageLink>, ApiError> {
    require_token(credential)?;
    let Some(address) = &api.address else { return Ok(Json(PageLink { link: None })) };
    let code = api.access.create_link_code().map_err(|_| ApiError::internal())?;
    let path = run.map_or_else(String::new, |run| format!("runs/{run}"));
    Ok(Json(PageLink { link: Some(format!("{address}/{path}?login={code}")) }))
}

/// Replaces the token: every browser and program needs the new one. Requires the token.
#[utoipa::path(
    post, path = "/api/token/rotate",
    responses(
        (status = NO_CONTENT, description = "the file token has the new token"),
        (status = UNAUTHORIZED, description = "a cookie is not enough", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn rotate_token(
    State(api): State<Api>,
    credential: Option<Extension<Credential>>,
) -> Result<StatusCode, ApiError> {
    require_token(credential)?;
    let access = std::sync::Arc::clone(&api.access);
    api.run_blocking(move |_| access.rotate().map_err(|_| ApiError::internal())).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Refuses a cookie: browsers send it to every port of this machine.
pub(super) fn require_token(credential: Option<Extension<Credential>>) -> Result<(), ApiError> {
    if credential.is_some_and(|Extension(credential)| credential == Credential::Cookie) {
        let hint = "Use jangdan in a terminal, or send the token: authorization: Bearer TOKEN";
        return Err(ApiError::new(ProblemCode::MissingToken, "A cookie is not enough for this.", hint));
    }
    Ok(())
}
