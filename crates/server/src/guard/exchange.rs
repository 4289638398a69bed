//! A token in the address becomes a cookie, once, and is gone from the address.

use axum::{
    extract::Request,
    http::{
        Method, StatusCode,
        header::{CACHE_CONTROL, LOCATION, SET_COOKIE},
    },
    response::{IntoResponse, Response},
};

use super::{Guard, is_api};

impl Guard {
    /// Answers a request that carries a token in its address; no other one.
    pub(super) fn exchange(&self, request: &Request) -> Option<Response> {
        let (uri, method) = (request.uri(), request.method());
        if is_api(uri.path()) || !matches!(*method, Method::GET | Method::HEAD) {
            return None;
        }
        let query = uri.query()?;
        let token = query.split('&').find_map(|pair| pair.strip_prefix("token="))?;
        if !self.token.is(token) {
            return Some(self.wrong().into_response());
        }
        let rest: Vec<_> = query.split('&').filter(|pair| !pair.starts_with("token=")).collect();
        let name = self.cookie_name();
        let cookie = format!("{name}={}; Path=/; HttpOnly; SameSite=Strict", self.token.cookie());
        let headers = [
            (LOCATION, place(uri.path(), &rest)),
            (SET_COOKIE, cookie),
            (CACHE_CONTROL, "no-store".to_owned()),
        ];
        Some((StatusCode::SEE_OTHER, headers).into_response())
    }
}

/// Returns where to go without the token; never to another host, which two slashes would name.
fn place(path: &str, query: &[&str]) -> String {
    let path = path.trim_start_matches(['/', '\\']);
    let mark = if query.is_empty() { "" } else { "?" };
    format!("/{path}{mark}{}", query.join("&"))
}
