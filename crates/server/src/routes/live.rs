//! The live stream.

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
    code::Code,
    feed::{EventStream, Wanted, is_taken},
    problem::{Failure, Problem, echo},
    request::{Asked, bad_query},
    routes::{known, runs::kind},
};

/// What happens, as it happens (server-sent events).
///
/// Without a place it starts now; with one, everything behind it comes first, then what comes, without a gap and
/// without repetition.
#[utoipa::path(
    get, path = "/api/live",
    params(
        ("after" = Option<u64>, Query, description = "the place in the log behind which it starts"),
        ("run" = Option<String>, Query, description = "the run; without it all"),
        ("kind" = Option<Vec<String>>, Query, description = "a kind of row, or seen for what is only seen; may stand there several times"),
        ("session" = Option<Vec<String>>, Query, description = "a session: only rows that are about it; may stand there several times"),
        ("Last-Event-ID" = Option<u64>, Header, description = "the same as after, and stronger"),
    ),
    responses(
        (status = OK, body = String, content_type = "text/event-stream"),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "the log has not come to that place", body = Problem, content_type = "application/problem+json"),
        (status = SERVICE_UNAVAILABLE, description = "256 event streams are open", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn live(
    State(api): State<Api>,
    Asked(pairs): Asked,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let (mut after, mut wanted) = (None, Wanted::default());
    for (name, value) in &pairs {
        match name.as_str() {
            "after" => after = Some(place(value)?),
            "run" => wanted.only = Some(run(value)?),
            "kind" if value == "seen" => wanted.seen = true,
            "kind" => wanted.kinds.push(kind(value)?),
            "session" => wanted.sessions.push(session(value)?),
            _ => return Err(bad_query(format!("the stream can't be asked for by '{}'", echo(name)))),
        }
    }
    if let Some(last) = headers.get("last-event-id").filter(|last| !last.is_empty()) {
        // A browser that comes again asks for the same address, so what it has seen since counts.
        after = Some(place(last.to_str().unwrap_or("?"))?);
    }
    let context = api.stream_context().ok_or_else(|| {
        let error = format!("{SUBSCRIBERS_MAX} event streams are open, the most that this server allows");
        let hint = "close a page or a program that follows a run, then try again";
        Failure::new(Code::TooManySubscribers, error, hint)
    })?;
    check(&api, after, wanted.only.clone()).await?;
    wanted.after = after.unwrap_or_else(|| api.feed.head());
    let body = Body::from_stream(unfold(EventStream::new(context, wanted), |mut stream| async {
        let chunk = stream.next().await?;
        Some((Ok::<Bytes, Infallible>(chunk), stream))
    }));
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-store")];
    Ok((headers, body).into_response())
}

/// Tells whether there is such a run, and such a place.
async fn check(api: &Api, after: Option<Position>, only: Option<RunId>) -> Result<(), Failure> {
    let known_up_to = api.feed.head();
    if only.is_none() && after.is_none_or(|after| after <= known_up_to) {
        return Ok(());
    }
    api.ask(move |host| {
        if let Some(run) = only {
            known(host, &run)?;
        }
        match after.filter(|after| *after > known_up_to) {
            // Somebody may know of an entry that was recorded this moment.
            Some(after) if !is_taken(&**host.log(), after)? => {
                let error = format!("the log has not come to {after}");
                let hint = "it is another log than before: ask for the rows anew, then listen from there";
                Err(Failure::new(Code::OtherLog, error, hint))
            }
            Some(_) | None => Ok(()),
        }
    })
    .await
}

fn place(text: &str) -> Result<Position, Failure> {
    let place = text.parse().map(Position);
    place.map_err(|_| bad_query(format!("'{}' is no place in the log: it is a number", echo(text))))
}

fn session(text: &str) -> Result<SessionId, Failure> {
    text.parse().map_err(|_| bad_query(format!("'{}' is no session: it is written s_3", echo(text))))
}

fn run(text: &str) -> Result<RunId, Failure> {
    text.parse().map_err(|_| {
        let error = format!("there is no run '{}'", echo(text));
        Failure::new(Code::UnknownRun, error, "GET /api/runs lists all")
    })
}
