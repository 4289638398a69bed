//! Extractors for bodies, path parameters and queries. Limits their size and time; errors are problem documents.

use std::{convert::Infallible, time::Duration};

use axum::{
    body::{Body, Bytes},
    extract::{FromRequest, FromRequestParts, Path, Query, Request},
    http::{
        header::{ACCEPT_LANGUAGE, CONTENT_TYPE},
        request::Parts,
    },
};
use domain::{CommandOrigin, Locale};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use tokio::{sync::OwnedSemaphorePermit, time::timeout};

use crate::{
    access::{ConnectionPeer, Credential},
    api::Api,
    problem::{ApiError, UNKNOWN_RUN_HINT, shorten_client_text},
    problem_code::ProblemCode,
};

/// Time limit for receiving a body.
pub(crate) const BODY_WAIT_MAX: Duration = Duration::from_secs(10);
/// Size limit of a command: enough for a pasted log.
pub(crate) const COMMAND_BYTES_MAX: usize = 1 << 20;
/// Size limit of a plan: one with 5,000 tasks has about 5 MB.
pub(crate) const PLAN_BYTES_MAX: usize = 32 << 20;

/// A JSON body of at most `BYTES_MAX` bytes.
pub(crate) struct JsonBody<T, const BYTES_MAX: usize>(pub T);

impl<T: DeserializeOwned, S: Send + Sync, const BYTES_MAX: usize> FromRequest<S> for JsonBody<T, BYTES_MAX> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _state: &S) -> Result<Self, ApiError> {
        // CSRF: a page of another site can send a form without a preflight request, but not JSON.
        if !is_json(&request) {
            let hint = "Send JSON with the header content-type: application/json.";
            return Err(ApiError::new(
                ProblemCode::NotJson,
                "The content type is not application/json.",
                hint,
            ));
        }
        let body = read_body(request.into_body(), BYTES_MAX).await?;
        let read = serde_json::from_slice(&body).map_err(|error| {
            let detail = format!("Invalid request body: {}.", shorten_client_text(&error.to_string()));
            ApiError::new(ProblemCode::BadRequest, detail, "GET /api/openapi.json describes the body.")
        });
        read.map(Self)
    }
}

/// Reads a body within [`BODY_WAIT_MAX`] and a size limit.
pub(crate) async fn read_body(body: Body, bytes_max: usize) -> Result<Bytes, ApiError> {
    match timeout(BODY_WAIT_MAX, Limited::new(body, bytes_max).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let detail = format!("The body has more than {bytes_max} bytes.");
            Err(ApiError::new(ProblemCode::TooLarge, detail, "Send a smaller body."))
        }
        Ok(Err(error)) => {
            let detail = format!("Cannot read the body: {error}.");
            Err(ApiError::new(ProblemCode::BadRequest, detail, "Send the complete body."))
        }
        Err(_) => {
            let detail = format!("The body did not arrive within {} s.", BODY_WAIT_MAX.as_secs());
            Err(ApiError::new(ProblemCode::BodyTimeout, detail, "Send the body without a pause."))
        }
    }
}

fn is_json(request: &Request) -> bool {
    let value = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = value.split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

/// The parameters in the path.
pub(crate) struct PathParams<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for PathParams<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(params)) => Ok(Self(params)),
            Err(_) => {
                let detail = format!("There is no {}.", shorten_client_text(parts.uri.path()));
                Err(ApiError::new(ProblemCode::UnknownRun, detail, UNKNOWN_RUN_HINT))
            }
        }
    }
}

/// The right to handle a request with a plan. Taken before the body is read.
pub(crate) struct PlanPermit(OwnedSemaphorePermit);

impl FromRequestParts<Api> for PlanPermit {
    type Rejection = ApiError;

    async fn from_request_parts(_parts: &mut Parts, api: &Api) -> Result<Self, ApiError> {
        api.plan_permit().await.map(Self).ok_or_else(|| {
            let detail = "Other plans are being read.";
            ApiError::new(ProblemCode::Busy, detail, "Try again in a moment.")
        })
    }
}

impl PlanPermit {
    /// Lets the next request begin.
    pub(crate) fn release(self) {
        drop(self.0);
    }
}

/// The language that a client prefers: the known one with the highest weight in `Accept-Language`, or English.
pub(crate) struct RequestLocale(pub Locale);

impl<S: Send + Sync> FromRequestParts<S> for RequestLocale {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        let languages = parts.headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        Ok(Self(preferred_locale(languages.unwrap_or_default())))
    }
}

/// Where a command comes from; `None` for requests of a test without a connection.
pub(crate) struct RequestOrigin(pub Option<CommandOrigin>);

impl FromRequestParts<Api> for RequestOrigin {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Infallible> {
        let peer = parts.extensions.get::<ConnectionPeer>().cloned();
        let credential = parts.extensions.get::<Credential>().copied();
        Ok(Self(match (peer, credential) {
            (Some(peer), Some(credential)) => Some(peer.command_origin(api, credential).await),
            (None, _) | (_, None) => None,
        }))
    }
}

fn preferred_locale(languages: &str) -> Locale {
    let mut best = (Locale::En, 0.0);
    for range in languages.split(',') {
        let (language, parameters) = range.split_once(';').unwrap_or((range, ""));
        let locale = match language.trim().split('-').next() {
            Some("ko") => Locale::Ko,
            Some("en") => Locale::En,
            Some(_) | None => continue,
        };
        let weight = parameters.trim().strip_prefix("q=").map_or(1.0, |weight| weight.parse().unwrap_or(0.0));
        // The first one of equal weight counts.
        if weight > best.1 {
            best = (locale, weight);
        }
    }
    best.0
}

/// The query of a request: names and values, in order.
pub(crate) struct QueryPairs(pub Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for QueryPairs {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Query::<Vec<(String, String)>>::from_request_parts(parts, state).await {
            Ok(Query(pairs)) => Ok(Self(pairs)),
            Err(error) => Err(invalid_query_error(error.to_string())),
        }
    }
}

/// Returns the error for an invalid query.
pub(crate) fn invalid_query_error(detail: impl Into<String>) -> ApiError {
    ApiError::new(ProblemCode::BadRequest, detail, "GET /api/openapi.json describes the query.")
}

/// Takes parameters out of a query. Unknown ones are an error.
pub(crate) struct QueryReader(Vec<(String, String)>);

impl QueryReader {
    pub(crate) fn new(QueryPairs(pairs): QueryPairs) -> Self {
        Self(pairs)
    }

    /// Removes the first parameter of this name and parses its value.
    pub(crate) fn take<T: std::str::FromStr>(&mut self, name: &str) -> Result<Option<T>, ApiError> {
        let Some(at) = self.0.iter().position(|(key, _)| key == name) else { return Ok(None) };
        let (_, value) = self.0.remove(at);
        let read = value
            .parse()
            .map_err(|_| invalid_query_error(format!("Invalid {name} '{}'.", shorten_client_text(&value))));
        read.map(Some)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }

    /// Takes `limit`, a number from 1 to `max`.
    pub(crate) fn take_limit(&mut self, default: usize, max: usize) -> Result<usize, ApiError> {
        let limit = self.take("limit")?.unwrap_or(default);
        if !(1..=max).contains(&limit) {
            return Err(invalid_query_error(format!("limit must be a number from 1 to {max}.")));
        }
        Ok(limit)
    }

    /// Returns an error if a parameter is left.
    pub(crate) fn finish(self) -> Result<(), ApiError> {
        match self.0.first() {
            Some((name, _)) => {
                Err(invalid_query_error(format!("Unknown query parameter '{}'.", shorten_client_text(name))))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::Locale;

    use super::preferred_locale;

    #[test]
    fn the_known_language_with_the_highest_weight_is_preferred() {
        for (languages, expected) in [
            ("", Locale::En),
            ("ko", Locale::Ko),
            ("ko-KR,ko;q=0.9,en;q=0.8", Locale::Ko),
            ("en-GB,en;q=0.9,ko;q=0.8", Locale::En),
            ("fr, ko;q=0.5", Locale::Ko),
            ("en;q=0.2, ko;q=0.7", Locale::Ko),
            ("ko;q=0", Locale::En),
            ("ko;q=x", Locale::En),
        ] {
            assert_eq!(preferred_locale(languages), expected, "{languages}");
        }
    }
}
