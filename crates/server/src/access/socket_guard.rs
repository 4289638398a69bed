//! The access check of the Unix socket: the token, and no caller of a session.

use axum::{
    extract::{Request, State},
    http::HeaderMap,
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::{Credential, bearer_token, caller_check::CallerCheck};
use crate::{Api, problem::ApiError, problem_code::ProblemCode};

/// Refuses requests without access.
pub(crate) async fn check_socket_access(
    State(api): State<Api>,
    mut request: Request,
    next: Next,
) -> Response {
    let call = CallerCheck::new(&request);
    let checked = call.refuse_sessions(&api).await.and_then(|()| check_token(&api, request.headers()));
    if let Err(error) = checked {
        return error.into_response();
    }
    call.grant_access();
    request.extensions_mut().insert(Credential::Token);
    next.run(request).await
}

fn check_token(api: &Api, headers: &HeaderMap) -> Result<(), ApiError> {
    let token = bearer_token(headers)?;
    if token.is_some_and(|token| api.access.token().matches_token(token)) {
        return Ok(());
    }
    let hint = "Send the content of the file token in the data directory: authorization: Bearer TOKEN";
    let code = if token.is_some() { ProblemCode::InvalidToken } else { ProblemCode::MissingToken };
    Err(ApiError::new(code, "Missing or invalid token.", hint))
}
