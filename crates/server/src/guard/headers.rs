//! What every answer tells the browser: no foreign script, no frame, no guess at what something is.

use axum::{
    http::StatusCode,
    http::{
        HeaderName, HeaderValue,
        header::{
            CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, WWW_AUTHENTICATE,
            X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
        },
    },
    response::Response,
};

/// Scripts, styles, fonts and connections of our own alone, and nothing inline; pictures may be drawn by the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
     connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Adds what every answer has.
pub async fn protect(mut answer: Response) -> Response {
    let is_unknown = answer.status() == StatusCode::UNAUTHORIZED;
    let headers = answer.headers_mut();
    let fixed = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // The page says itself what of it may be kept; what it asks for may not.
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if is_unknown {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    answer
}
