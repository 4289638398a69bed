//! Exchanges the one-time code in a link for a cookie, and redirects to the URL without the code.
//!
//! A link remains in the history of the browser and in logs: its code is void after its use.

use axum::{
    extract::Request,
    http::{
        Method, StatusCode,
        header::{CACHE_CONTROL, LOCATION, SET_COOKIE},
    },
    response::{IntoResponse, Response},
};

use super::{AccessGuard, Credential, is_api};

/// Time until a browser forgets the cookie: it cannot use its link again.
const COOKIE_AGE_S: u32 = 30 * 24 * 3600;

impl AccessGuard {
    /// Returns the redirect for a request with a code in its URL; `None` for any other request.
    pub(super) fn redirect_with_cookie(&self, request: &Request) -> Option<Response> {
        let uri = request.uri();
        // A program that looks at a link beforehand must not use it up.
        let is_prefetch = request.headers().contains_key("sec-purpose");
        if is_api(uri.path()) || request.method() != Method::GET || is_prefetch {
            return None;
        }
        let query = uri.query()?;
        let code = query.split('&').find_map(|pair| pair.strip_prefix("login="))?;
        let rest: Vec<_> = query.split('&').filter(|pair| !pair.starts_with("login=")).collect();
        let location = (LOCATION, url_without_code(uri.path(), &rest));
        let no_store = (CACHE_CONTROL, "no-store".to_owned());
        if self.api.access.redeem_link_code(code) {
            let (name, token) = (self.cookie_name(), self.api.access.token());
            let cookie = token.cookie();
            let cookie =
                format!("{name}={cookie}; Path=/; Max-Age={COOKIE_AGE_S}; HttpOnly; SameSite=Strict");
            return Some((StatusCode::SEE_OTHER, [location, no_store, (SET_COOKIE, cookie)]).into_response());
        }
        // The browser opens the link a second time, or restores its tab.
        if self.check_credential(request.headers()).is_ok_and(|credential| credential == Credential::Cookie) {
            return Some((StatusCode::SEE_OTHER, [location, no_store]).into_response());
        }
        Some(self.invalid_token_error().into_response())
    }
}

/// Returns the URL without the code. Never leads to another host, which two slashes would name.
fn url_without_code(path: &str, query: &[&str]) -> String {
    let path = path.trim_start_matches(['/', '\\']);
    let mark = if query.is_empty() { "" } else { "?" };
    format!("/{path}{mark}{}", query.join("&"))
}
