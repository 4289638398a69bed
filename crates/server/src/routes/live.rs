//! The live event stream.

use std::convert::Infallible;

use axum::{
    body::{Body, Bytes},
    extract::State,
    http::{
        HeaderMap,
        header::{CACHE_CONTROL, CONTENT_TYPE},
    },
    response::{IntoResponse, Response},
};
use domain::{RunId, SessionId};
use futures_util::stream::unfold;
use store::Position;

use crate::{
    api::{Api, SUBSCRIBERS_MAX},
    change_feed::{EventStream, StreamFilter},
    extract::{QueryPairs, invalid_query_error},
    problem::{ApiError, Problem, UNKNOWN_RUN_HINT, shorten_client_text},
    problem_code::ProblemCode,
    routes::{check_run_exists, runs::parse_row_kind},
};

/// Streams row changes and session activity as server-sent events.
///
/// With a position it starts with all changes after it, without a gap and without repetition; otherwise it starts now.
#[utoipa::path(
    get, path = "/api/live",
    params(
        ("after" = Option<u64>, Query, description = "position in the log after which the stream starts"),
        ("run" = Option<String>, Query, description = "id of a run; all runs if missing"),
        ("kind" = Option<Vec<String>>, Query, description = "kind of row, or activity for session activity; may be repeated"),
        ("session" = Option<Vec<String>>, Query, description = "id of a session: only its rows; may be repeated"),
        ("Last-Event-ID" = Option<u64>, Header, description = "like after, and takes precedence"),
    ),
    responses(
        (status = OK, body = String, content_type = "text/event-stream"),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "the log does not have this position", body = Problem, content_type = "application/problem+json"),
        (status = SERVICE_UNAVAILABLE, description = "256 event streams are open", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn open_event_stream(
    State(api): State<Api>,
    QueryPairs(query): QueryPairs,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (mut after, mut filter) = (None, StreamFilter::default());
    for (name, value) in &query {
        match name.as_str() {
            "after" => after = Some(parse_position(value)?),
            "run" => filter.run = Some(parse_run(value)?),
            "kind" if value == "activity" => filter.activity = true,
            "kind" => filter.kinds.push(parse_row_kind(value)?),
            "session" => filter.sessions.push(parse_session(value)?),
            _ => {
                return Err(invalid_query_error(format!(
                    "Unknown query parameter '{}'.",
                    shorten_client_text(name)
                )));
            }
        }
    }
    if let Some(last) = headers.get("last-event-id").filter(|last| !last.is_empty()) {
        // A browser reconnects to the same URL, so the last id it received takes precedence.
        after = Some(parse_position(last.to_str().unwrap_or("?"))?);
    }
    let context = api.stream_context().ok_or_else(|| {
        let detail = format!("{SUBSCRIBERS_MAX} event streams are open, the maximum of this server.");
        let hint = "Close a page or a program that follows a run, then try again.";
        ApiError::new(ProblemCode::TooManySubscribers, detail, hint)
    })?;
    check_run_and_position(&api, after, filter.run.clone()).await?;
    filter.after = after.unwrap_or_else(|| api.feed.head());
    let body = Body::from_stream(unfold(EventStream::new(context, filter), |mut stream| async {
        let chunk = stream.next().await?;
        Some((Ok::<Bytes, Infallible>(chunk), stream))
    }));
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-store")];
    Ok((headers, body).into_response())
}

/// Checks that the run and the position exist.
async fn check_run_and_position(
    api: &Api,
    after: Option<Position>,
    selected: Option<RunId>,
) -> Result<(), ApiError> {
    let head = api.feed.head();
    if selected.is_none() && after.is_none_or(|after| after <= head) {
        return Ok(());
    }
    api.run_blocking(move |host| {
        if let Some(run) = selected {
            check_run_exists(host, &run)?;
        }
        match after.filter(|after| *after > head) {
            // The client may know of an entry that the feed has not received yet.
            Some(after) if after > host.log().last_position()? => {
                let detail = format!("The log does not have position {after}.");
                let hint = "It may be another log: fetch the rows again, then start at their position.";
                Err(ApiError::new(ProblemCode::UnknownPosition, detail, hint))
            }
            Some(_) | None => Ok(()),
        }
    })
    .await
}

fn parse_position(text: &str) -> Result<Position, ApiError> {
    let position = text.parse().map(Position);
    position.map_err(|_| {
        invalid_query_error(format!("Invalid position '{}': it must be a number.", shorten_client_text(text)))
    })
}

fn parse_session(text: &str) -> Result<SessionId, ApiError> {
    text.parse().map_err(|_| {
        invalid_query_error(format!(
            "Invalid session id '{}': an id looks like s_3.",
            shorten_client_text(text)
        ))
    })
}

fn parse_run(text: &str) -> Result<RunId, ApiError> {
    text.parse().map_err(|_| {
        let detail = format!("There is no run '{}'.", shorten_client_text(text));
        ApiError::new(ProblemCode::UnknownRun, detail, UNKNOWN_RUN_HINT)
    })
}
