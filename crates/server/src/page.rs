//! Serves the web page built from `web/` and embedded by the build script.
//!
//! Needs no state and no token: the page contains no data of a run. Security headers are added by the access layer.

mod assets;

use assets::Asset;
use axum::{
    Router,
    body::Bytes,
    http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};

use crate::{
    problem::{ApiError, shorten_client_text},
    problem_code::ProblemCode,
};

/// For files whose name contains a hash of their content.
const CACHE_FOREVER: &str = "public, max-age=31536000, immutable";
/// For all other files: the browser revalidates them each time.
const REVALIDATE: &str = "no-cache";

/// Returns the routes of the page: its files, and the page itself for every other path (routes of the page).
pub(crate) fn routes() -> Router {
    Router::new().fallback(respond)
}

async fn respond(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if !matches!(method, Method::GET | Method::HEAD) {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let path = uri.path().trim_start_matches('/');
    // A missing script of an older page must be an error, not the HTML of the page.
    let is_file = path.starts_with("assets/");
    let index = || if is_file { None } else { assets::find("index.html") };
    assets::find(path)
        .or_else(index)
        .map_or_else(|| missing_file_response(&uri), |asset| respond_with_asset(asset, &headers))
}

fn missing_file_response(uri: &Uri) -> Response {
    let detail = format!("There is no {}.", shorten_client_text(uri.path()));
    ApiError::new(ProblemCode::UnknownPath, detail, "Reload the page: it has been updated.").into_response()
}

fn respond_with_asset(asset: &'static Asset, request: &HeaderMap) -> Response {
    let caching = if asset.is_immutable { CACHE_FOREVER } else { REVALIDATE };
    let common =
        [(header::ETAG, asset.etag), (header::CACHE_CONTROL, caching), (header::VARY, "accept-encoding")];
    if is_cached(asset, request) {
        return (StatusCode::NOT_MODIFIED, common).into_response();
    }
    let (bytes, encoding) = smallest_encoding(asset, request);
    let kind = [(header::CONTENT_TYPE, asset.content_type)];
    let mut response = (common, kind, Bytes::from_static(bytes)).into_response();
    if let Some(encoding) = encoding {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    response
}

/// Returns whether the client has the current version.
fn is_cached(asset: &Asset, request: &HeaderMap) -> bool {
    let etags = request.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    etags.split(',').any(|etag| etag.trim().trim_start_matches("W/") == asset.etag)
}

/// Returns the smallest encoding that the client accepts.
fn smallest_encoding(asset: &'static Asset, request: &HeaderMap) -> (&'static [u8], Option<&'static str>) {
    let accepts = |encoding: &str| {
        let accepted =
            request.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
        accepted.split(',').any(|part| {
            let (name, weight) = part.split_once(';').unwrap_or((part, ""));
            let is_refused = matches!(weight.trim().trim_start_matches("q="), "0" | "0.0" | "0.00" | "0.000");
            name.trim().eq_ignore_ascii_case(encoding) && !is_refused
        })
    };
    match (asset.brotli, asset.gzip) {
        (Some(bytes), _) if accepts("br") => (bytes, Some("br")),
        (_, Some(bytes)) if accepts("gzip") => (bytes, Some("gzip")),
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

    fn request_headers(name: header::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn client_gets_the_smallest_encoding_that_it_accepts() {
        for (accepted, encoding) in [
            ("gzip, deflate, br", Some("br")),
            ("gzip", Some("gzip")),
            ("BR;q=1.0", Some("br")),
            ("br;q=0, gzip;q=0.5", Some("gzip")),
            ("identity", None),
            ("", None),
        ] {
            assert_eq!(
                smallest_encoding(asset(), &request_headers(header::ACCEPT_ENCODING, accepted)).1,
                encoding,
                "{accepted}"
            );
        }
    }

    #[test]
    fn current_version_in_the_cache_is_not_sent_again() {
        for (etags, status) in [("\"1f\"", 304), ("\"0\", W/\"1f\"", 304), ("\"0\"", 200), ("*", 200)] {
            let response = respond_with_asset(asset(), &request_headers(header::IF_NONE_MATCH, etags));
            assert_eq!(response.status().as_u16(), status, "{etags}");
            assert_eq!(response.headers()[header::CACHE_CONTROL], CACHE_FOREVER);
        }
    }

    #[tokio::test]
    async fn every_path_is_the_page_except_missing_files() {
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
                assert_eq!(response.headers()[header::CACHE_CONTROL], REVALIDATE);
            }
        }
    }
}
