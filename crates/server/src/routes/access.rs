//! Links to the page, and the replacement of the token. Only for clients with the token.

use axum::{Extension, Json, extract::State, http::StatusCode};

use crate::{
    access::{CONFIRMATION_VALID, Credential},
    api::Api,
    bodies::{ConfirmationCode, LinkRequest, PageLink},
    extract::{COMMAND_BYTES_MAX, JsonBody},
    problem::{ApiError, Problem},
    problem_code::ProblemCode,
};

const USE_TERMINAL: &str = "Use jangdan in a terminal";

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
    require_token(credential, USE_TERMINAL)?;
    let Some(address) = &api.address else { return Ok(Json(PageLink { link: None })) };
    let code = api.access.create_link_code().map_err(|_| ApiError::internal())?;
    let path = run.map_or_else(String::new, |run| format!("runs/{run}"));
    Ok(Json(PageLink { link: Some(format!("{address}/{path}?login={code}")) }))
}

/// Creates a code of six digits, valid once, for two minutes. Requires the token.
#[utoipa::path(
    post, path = "/api/codes",
    responses(
        (status = OK, body = ConfirmationCode),
        (status = UNAUTHORIZED, description = "a cookie is not enough", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn create_confirmation_code(
    State(api): State<Api>,
    credential: Option<Extension<Credential>>,
) -> Result<Json<ConfirmationCode>, ApiError> {
    require_token(credential, USE_TERMINAL)?;
    let code = api.access.create_confirmation_code().map_err(|_| ApiError::internal())?;
    Ok(Json(ConfirmationCode { code, valid_seconds: CONFIRMATION_VALID.as_secs() }))
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
    require_token(credential, USE_TERMINAL)?;
    let access = std::sync::Arc::clone(&api.access);
    api.run_blocking(move |_| access.rotate().map_err(|_| ApiError::internal())).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Refuses a cookie: browsers send it to every port of this machine. The alternative of a page is part of the hint.
pub(super) fn require_token(
    credential: Option<Extension<Credential>>,
    alternative: &str,
) -> Result<(), ApiError> {
    if credential.is_some_and(|Extension(credential)| credential == Credential::Cookie) {
        let hint = format!("{alternative}; a program sends the token: authorization: Bearer TOKEN");
        return Err(ApiError::new(ProblemCode::MissingToken, "A cookie is not enough for this.", hint));
    }
    Ok(())
}
