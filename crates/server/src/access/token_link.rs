//! Exchanges the token in a link for a cookie and redirects to the URL without the token.

use axum::{
    extract::Request,
    http::{
        Method, StatusCode,
        header::{CACHE_CONTROL, LOCATION, SET_COOKIE},
    },
    response::{IntoResponse, Response},
};

use super::{AccessGuard, is_api};

impl AccessGuard {
    /// Returns the redirect for a request with a token in its URL; `None` for any other request.
    pub(super) fn redirect_with_cookie(&self, request: &Request) -> Option<Response> {
        let (uri, method) = (request.uri(), request.method());
        if is_api(uri.path()) || !matches!(*method, Method::GET | Method::HEAD) {
            return None;
        }
        let query = uri.query()?;
        let token = query.split('&').find_map(|pair| pair.strip_prefix("token="))?;
        if !self.token.matches_token(token) {
            return Some(self.invalid_token_error().into_response());
        }
        let rest: Vec<_> = query.split('&').filter(|pair| !pair.starts_with("token=")).collect();
        let name = self.cookie_name();
        let cookie = format!("{name}={}; Path=/; HttpOnly; SameSite=Strict", self.token.cookie());
        let headers = [
            (LOCATION, url_without_token(uri.path(), &rest)),
            (SET_COOKIE, cookie),
            (CACHE_CONTROL, "no-store".to_owned()),
        ];
        Some((StatusCode::SEE_OTHER, headers).into_response())
    }
}

/// Returns the URL without the token. Never leads to another host, which two slashes would name.
fn url_without_token(path: &str, query: &[&str]) -> String {
    let path = path.trim_start_matches(['/', '\\']);
    let mark = if query.is_empty() { "" } else { "?" };
    format!("/{path}{mark}{}", query.join("&"))
}
