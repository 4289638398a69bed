//! The access check of the loopback port: programs need the token, browsers the cookie that is made from it.
//!
//! Every user and every page of every site can reach a port on loopback. So the `Host` header must name this server (DNS
//! rebinding points a foreign name at 127.0.0.1), the client must have the token or the cookie, and requests of other
//! sites are refused.

mod attempt_limit;
mod caller_check;
mod peer;
mod security_headers;
mod shared_token;
mod socket_guard;
mod tcp_owner;
mod token_link;

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{
        HeaderMap, HeaderName, HeaderValue,
        header::{AUTHORIZATION, COOKIE, HOST, ORIGIN},
    },
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{
    Api,
    problem::{ApiError, shorten_client_text},
    problem_code::ProblemCode,
};
use attempt_limit::AttemptLimit;
use caller_check::{CallerCheck, is_change};
pub(crate) use peer::{ConnectionPeer, PeerStream};
pub(crate) use security_headers::add_security_headers;
pub(crate) use shared_token::{CONFIRMATION_VALID, SharedToken};
pub(crate) use socket_guard::check_socket_access;
pub(crate) use tcp_owner::ConnectionOwners;

/// Checks the requests to a port.
pub(crate) struct AccessGuard {
    api: Api,
    port: u16,
    attempt_limit: AttemptLimit,
}

/// How a client authenticated. Stored in the extensions of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Credential {
    /// A header, which a page of another site cannot set.
    Token,
    /// A cookie, which a browser adds by itself.
    Cookie,
}

impl AccessGuard {
    pub(crate) fn new(api: Api, port: u16) -> Self {
        Self { api, port, attempt_limit: AttemptLimit::new() }
    }

    /// Checks a request; returns its credential, or `None` for a file of the page, which needs none.
    fn check(&self, request: &Request) -> Result<Option<Credential>, ApiError> {
        self.check_host(request)?;
        if !is_api(request.uri().path()) {
            // The page contains no data of a run.
            return Ok(None);
        }
        let headers = request.headers();
        let has_origin = self.check_origin(headers)?;
        let credential = self.check_credential(headers)?;
        if credential == Credential::Cookie && is_change(request) && !has_origin {
            let hint = "Use a current browser, or send the token: authorization: Bearer TOKEN";
            let detail = "The request has a cookie, but no Origin or Sec-Fetch-Site header.";
            return Err(ApiError::new(ProblemCode::CrossOrigin, detail, hint));
        }
        Ok(Some(credential))
    }

    /// Checks that `Host` is a loopback address with this port: a foreign name that resolves to it is an attack.
    fn check_host(&self, request: &Request) -> Result<(), ApiError> {
        let mut hosts = request.headers().get_all(HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok());
        let is_own_host = hosts.next().is_none() && host.is_some_and(|host| self.is_own_host(host));
        let authority = request.uri().authority();
        if is_own_host && authority.is_none_or(|authority| self.is_own_host(authority.as_str())) {
            return Ok(());
        }
        let detail = match host {
            Some(host) => format!("'{}' is not the host of this server.", shorten_client_text(host)),
            None => "The request has no Host header.".to_owned(),
        };
        let hint = format!("Send the request to 127.0.0.1:{}.", self.port);
        Err(ApiError::new(ProblemCode::WrongHost, detail, hint))
    }

    fn is_own_host(&self, host: &str) -> bool {
        let names = ["127.0.0.1", "localhost", "[::1]"];
        let is = |name: &&str| host.strip_prefix(*name).is_some_and(|port| port == format!(":{}", self.port));
        names.iter().any(is)
    }

    /// Refuses requests of other sites. Returns whether the browser sent the origin.
    fn check_origin(&self, headers: &HeaderMap) -> Result<bool, ApiError> {
        let origin = single_header(headers, &ORIGIN)?;
        let is_own_origin =
            |origin: &str| origin.strip_prefix("http://").is_some_and(|host| self.is_own_host(host));
        let site = single_header(headers, &HeaderName::from_static("sec-fetch-site"))?;
        let is_same_origin = |site: &[u8]| site == b"same-origin" || site == b"none";
        let is_own = origin.is_none_or(|origin| origin.to_str().is_ok_and(is_own_origin));
        if is_own && site.is_none_or(|site| is_same_origin(site.as_bytes())) {
            return Ok(origin.is_some() || site.is_some());
        }
        let hint = "Only Jangdan's own page and programs with the token have access.";
        Err(ApiError::new(ProblemCode::CrossOrigin, "The request comes from a page of another site.", hint))
    }

    fn check_credential(&self, headers: &HeaderMap) -> Result<Credential, ApiError> {
        if headers.contains_key(AUTHORIZATION) {
            let is_valid =
                bearer_token(headers)?.is_some_and(|text| self.api.access.token().matches_token(text));
            return if is_valid { Ok(Credential::Token) } else { Err(self.invalid_token_error()) };
        }
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let cookies =
            cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let mut has_cookie = false;
        for (name, value) in cookies {
            if name == self.cookie_name() {
                has_cookie = true;
                // A page on another port can set a cookie of the same name, so check all.
                if self.api.access.token().matches_cookie(value) {
                    return Ok(Credential::Cookie);
                }
            }
        }
        if has_cookie { Err(self.invalid_token_error()) } else { Err(missing_token_error()) }
    }

    /// The port is part of the name: browsers share cookies between ports, and another server may set its own.
    fn cookie_name(&self) -> String {
        format!("jangdan_{}", self.port)
    }

    fn invalid_token_error(&self) -> ApiError {
        match self.attempt_limit.count_attempt() {
            Ok(()) => ApiError::new(
                ProblemCode::InvalidToken,
                "Missing or invalid token.",
                "Open the link that `jangdan link` prints.",
            ),
            Err(wait) => {
                let hint =
                    format!("Wait {} s, then open the link that `jangdan link` prints.", wait.as_secs() + 1);
                ApiError::new(ProblemCode::TooManyAttempts, "Too many invalid tokens were sent.", hint)
            }
        }
    }
}

/// Returns the token of the `Authorization` header, if there is one of the right kind.
fn bearer_token(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    let value = single_header(headers, &AUTHORIZATION)?.and_then(|value| value.to_str().ok());
    let parts = value.and_then(|value| value.split_once(' '));
    Ok(parts.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, token)| token.trim()))
}

/// Returns a header that must not occur twice: a program between client and server might check the other one.
fn single_header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a HeaderValue>, ApiError> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        let detail = format!("The request has several {name} headers.");
        return Err(ApiError::new(ProblemCode::BadRequest, detail, "Send it once."));
    }
    Ok(first)
}

fn missing_token_error() -> ApiError {
    let hint = "Open the link that `jangdan link` prints, or send the token: authorization: Bearer TOKEN";
    ApiError::new(ProblemCode::MissingToken, "Missing or invalid token.", hint)
}

/// Refuses requests without access; exchanges a token in the URL for a cookie.
pub(crate) async fn check_access(
    State(guard): State<Arc<AccessGuard>>,
    mut request: Request,
    next: Next,
) -> Response {
    match guard.check(&request) {
        Ok(Some(credential)) => {
            let call = CallerCheck::new(&request);
            if let Err(error) = call.refuse_sessions(&guard.api).await {
                return error.into_response();
            }
            call.grant_access();
            request.extensions_mut().insert(credential);
        }
        Ok(None) => {}
        Err(error) => return error.into_response(),
    }
    if let Some(redirect) = guard.redirect_with_cookie(&request) {
        return redirect;
    }
    next.run(request).await
}

fn is_api(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
}
