//! What a client sends, taken in within bounds; what can't be read is a problem, like everything else.

use std::time::Duration;

use axum::{
    body::{Body, Bytes},
    extract::{FromRequest, FromRequestParts, Path, Query, Request},
    http::{header::CONTENT_TYPE, request::Parts},
};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::{
    code::Code,
    problem::{Failure, echo},
};

/// How long a body may take to come in.
pub const BODY_WAIT_MAX: Duration = Duration::from_secs(10);
/// How large a word of a person's can be: more than anybody types, and a pasted log too.
pub const WORD_BYTES_MAX: usize = 1 << 20;
/// How large a plan can be: that of 5,000 tasks has about 5 MB.
pub const PLAN_BYTES_MAX: usize = 32 << 20;

/// A body of JSON, of so many bytes at most.
pub struct Sent<T, const BYTES_MAX: usize>(pub T);

impl<T: DeserializeOwned, S: Send + Sync, const BYTES_MAX: usize> FromRequest<S> for Sent<T, BYTES_MAX> {
    type Rejection = Failure;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Failure> {
        // A page of another site can send a form without asking, and no JSON.
        if !is_json(&request) {
            let hint = "send JSON, and say so: content-type: application/json";
            return Err(Failure::new(Code::NoJson, "the body is no JSON", hint));
        }
        let body = read_body(request.into_body(), BYTES_MAX).await?;
        let read = serde_json::from_slice(&body).map_err(|error| {
            let error = format!("the body can't be understood: {}", echo(&error.to_string()));
            Failure::new(Code::BadRequest, error, "GET /api/openapi.json says what is wanted")
        });
        read.map(Self)
    }
}

/// Reads a body, which must come in time and not be too large.
pub async fn read_body(body: Body, bytes_max: usize) -> Result<Bytes, Failure> {
    match timeout(BODY_WAIT_MAX, Limited::new(body, bytes_max).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let error = format!("the body has more than {bytes_max} bytes");
            Err(Failure::new(Code::TooLarge, error, "send less"))
        }
        Ok(Err(error)) => {
            let error = format!("the body could not be read: {error}");
            Err(Failure::new(Code::BadRequest, error, "send it whole"))
        }
        Err(_) => Err(Failure::new(Code::BodyLate, "the body did not come", "send it in one go")),
    }
}

fn is_json(request: &Request) -> bool {
    let value = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = value.split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

/// What is named in the path.
pub struct Named<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Named<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(named)) => Ok(Self(named)),
            Err(_) => {
                let error = format!("there can't be a {}", echo(parts.uri.path()));
                Err(Failure::new(Code::UnknownRun, error, "GET /api/runs lists all runs"))
            }
        }
    }
}

/// What stands behind the question mark: names and values, in order.
pub struct Asked(pub Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for Asked {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        match Query::<Vec<(String, String)>>::from_request_parts(parts, state).await {
            Ok(Query(pairs)) => Ok(Self(pairs)),
            Err(error) => Err(bad_query(error.to_string())),
        }
    }
}

/// Says that what stands behind the question mark is no use.
pub fn bad_query(error: impl Into<String>) -> Failure {
    Failure::new(Code::BadRequest, error, "GET /api/openapi.json says what can be asked")
}

/// What stands behind the question mark, taken one by one; what nobody takes is a mistake.
pub struct Pairs(Vec<(String, String)>);

impl Pairs {
    /// Begins with all of them.
    pub fn new(Asked(pairs): Asked) -> Self {
        Self(pairs)
    }

    /// Takes the value of a name, where it is there once.
    pub fn take<T: std::str::FromStr>(&mut self, name: &str) -> Result<Option<T>, Failure> {
        let Some(at) = self.0.iter().position(|(known, _)| known == name) else { return Ok(None) };
        let (_, value) = self.0.remove(at);
        let read = value.parse().map_err(|_| bad_query(format!("'{}' is no {name}", echo(&value))));
        read.map(Some)
    }

    /// Tells whether there is such a name.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    /// Takes a number within bounds; a default where it is not said.
    pub fn take_limit(&mut self, default: usize, max: usize) -> Result<usize, Failure> {
        let limit = self.take("limit")?.unwrap_or(default);
        if !(1..=max).contains(&limit) {
            return Err(bad_query(format!("limit is a number from 1 to {max}")));
        }
        Ok(limit)
    }

    /// Complains about what is left.
    pub fn done(self) -> Result<(), Failure> {
        match self.0.first() {
            Some((name, _)) => Err(bad_query(format!("nothing can be asked by '{}' here", echo(name)))),
            None => Ok(()),
        }
    }
}
