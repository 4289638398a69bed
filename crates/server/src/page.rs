//! Serves the web page built from `web/` and embedded by the build script.
//!
//! Needs no state and no token: there is nothing of anybody in it. The guard adds the headers that every answer has.

mod assets;

use assets::Asset;
use axum::{
    Router,
    body::Bytes,
    http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};

use crate::{
    code::Code,
    problem::{Failure, echo},
};

/// What never changes under its name is asked for once.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// Anything else is asked for each time, and mostly answered with "as you have it".
const ASK_AGAIN: &str = "no-cache";

/// Returns what answers every path that nobody else does: a file of the page, or the page, which knows its addresses.
pub fn routes() -> Router {
    Router::new().fallback(respond)
}

async fn respond(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if !matches!(method, Method::GET | Method::HEAD) {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let path = uri.path().trim_start_matches('/');
    // A part of a page that was built since has gone; the page in its place would be a script that is none.
    let is_file = path.starts_with("assets/");
    let index = || if is_file { None } else { assets::find("index.html") };
    assets::find(path).or_else(index).map_or_else(|| missing(&uri), |asset| answer(asset, &headers))
}

fn missing(uri: &Uri) -> Response {
    let error = format!("there is no {}", echo(uri.path()));
    Failure::new(Code::UnknownPath, error, "load the page again: it has changed meanwhile").into_response()
}

fn answer(asset: &'static Asset, request: &HeaderMap) -> Response {
    let caching = if asset.is_immutable { FOR_EVER } else { ASK_AGAIN };
    let common =
        [(header::ETAG, asset.etag), (header::CACHE_CONTROL, caching), (header::VARY, "accept-encoding")];
    if is_known(asset, request) {
        return (StatusCode::NOT_MODIFIED, common).into_response();
    }
    let (bytes, encoding) = smallest(asset, request);
    let kind = [(header::CONTENT_TYPE, asset.content_type)];
    let mut response = (common, kind, Bytes::from_static(bytes)).into_response();
    if let Some(encoding) = encoding {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    response
}

/// Tells whether the client has it as it is.
fn is_known(asset: &Asset, request: &HeaderMap) -> bool {
    let marks = request.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    marks.split(',').any(|mark| mark.trim().trim_start_matches("W/") == asset.etag)
}

/// Returns the smallest form that the client reads.
fn smallest(asset: &'static Asset, request: &HeaderMap) -> (&'static [u8], Option<&'static str>) {
    let reads = |encoding: &str| {
        let said =
            request.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
        said.split(',').any(|part| {
            let (name, weight) = part.split_once(';').unwrap_or((part, ""));
            let is_refused = matches!(weight.trim().trim_start_matches("q="), "0" | "0.0" | "0.00" | "0.000");
            name.trim().eq_ignore_ascii_case(encoding) && !is_refused
        })
    };
    match (asset.brotli, asset.gzip) {
        (Some(bytes), _) if reads("br") => (bytes, Some("br")),
        (_, Some(bytes)) if reads("gzip") => (bytes, Some("gzip")),
        (Some(_) | None, Some(_) | None) => (asset.plain, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asset() -> &'static Asset {
        static ASSET: Asset = Asset {
            path: "assets/x.js",
            content_type: "text/javascript; charset=utf-8",
            etag: "\"1f\"",
            is_immutable: true,
            plain: b"plain",
            brotli: Some(b"brotli"),
            gzip: Some(b"gzip"),
        };
        &ASSET
    }

    fn asking(name: header::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn a_client_gets_the_smallest_form_that_it_reads() {
        for (said, wanted) in [
            ("gzip, deflate, br", Some("br")),
            ("gzip", Some("gzip")),
            ("BR;q=1.0", Some("br")),
            ("br;q=0, gzip;q=0.5", Some("gzip")),
            ("identity", None),
            ("", None),
        ] {
            assert_eq!(smallest(asset(), &asking(header::ACCEPT_ENCODING, said)).1, wanted, "{said}");
        }
    }

    #[test]
    fn what_a_client_has_is_not_sent_again() {
        for (said, status) in [("\"1f\"", 304), ("\"0\", W/\"1f\"", 304), ("\"0\"", 200), ("*", 200)] {
            let response = answer(asset(), &asking(header::IF_NONE_MATCH, said));
            assert_eq!(response.status().as_u16(), status, "{said}");
            assert_eq!(response.headers()[header::CACHE_CONTROL], FOR_EVER);
        }
    }

    #[tokio::test]
    async fn every_address_is_the_page_but_a_file_that_is_gone_is_not() {
        for (method, path, status) in [
            (Method::GET, "/", 200),
            (Method::GET, "/runs/r1/tasks/T1.1?tab=changes", 200),
            (Method::HEAD, "/new", 200),
            (Method::GET, "/assets/old-1234.js", 404),
            (Method::POST, "/", 405),
        ] {
            let response = respond(method, Uri::from_static(path), HeaderMap::new()).await;
            assert_eq!(response.status().as_u16(), status, "{path}");
            if status == 200 {
                assert_eq!(response.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
                assert_eq!(response.headers()[header::CACHE_CONTROL], ASK_AGAIN);
            }
        }
    }
}
