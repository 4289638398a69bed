//! Serves the web page that the crate `page` holds.
//!
//! Needs no state and no token: there is nothing of anybody in it. Paths below `/api` are never its own.

use axum::{
    Router,
    body::Bytes,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse, Response},
    routing::get,
};
use page::Asset;

/// Everything that the page does comes from here: no script, style, font or picture of anybody else's, and nothing
/// inline. Pictures as `data:` are the sign of the tab, which counts what waits.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; \
     img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// What never changes under its name is asked for once.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// Anything else is asked for each time, and mostly answered with "as you have it".
const ASK_AGAIN: &str = "no-cache";

/// Returns the routes of the page: its files, and its addresses, each of which is the page itself.
pub fn routes() -> Router {
    let mut router = Router::new();
    for asset in page::all() {
        router = router.route(&format!("/{}", asset.path), get(file));
    }
    for address in ["/", "/new", "/runs/{*rest}"] {
        router = router.route(address, get(index));
    }
    router
}

async fn file(uri: Uri, headers: HeaderMap) -> Response {
    page::find(uri.path().trim_start_matches('/')).map_or_else(missing, |asset| answer(asset, &headers))
}

async fn index(headers: HeaderMap) -> Response {
    page::find("index.html").map_or_else(missing, |asset| answer(asset, &headers))
}

fn missing() -> Response {
    StatusCode::NOT_FOUND.into_response()
}

fn answer(asset: &'static Asset, request: &HeaderMap) -> Response {
    let caching = if asset.is_immutable { FOR_EVER } else { ASK_AGAIN };
    let common = [
        (header::ETAG, asset.etag),
        (header::CACHE_CONTROL, caching),
        (header::VARY, "accept-encoding"),
        (header::CONTENT_SECURITY_POLICY, CONTENT_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    if is_known(asset, request) {
        return (StatusCode::NOT_MODIFIED, common).into_response();
    }
    let (bytes, encoding) = smallest(asset, request);
    let mut response =
        (common, [(header::CONTENT_TYPE, asset.content_type)], Bytes::from_static(bytes)).into_response();
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

    fn asking(name: HeaderName, value: &'static str) -> HeaderMap {
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
    async fn every_address_is_the_page_and_may_not_be_kept_unasked() {
        let response = index(HeaderMap::new()).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
        assert_eq!(response.headers()[header::CACHE_CONTROL], ASK_AGAIN);
        assert_eq!(response.headers()[header::CONTENT_SECURITY_POLICY], CONTENT_POLICY);
    }
}
