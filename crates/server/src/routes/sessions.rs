//! One session: what its process wrote, keys for it, and its end.

use axum::{Json, extract::State, http::StatusCode};
use domain::{RunId, SessionId};
use runtime::{IoDirection, IoRecordQuery, OutputQuery, PageStart};

use crate::{
    api::Api,
    bodies::{RecordWay, SessionRecord, SessionRecords, Typed, Written},
    problem::{Failure, Problem},
    request::{Asked, Named, Pairs, Sent, WORD_BYTES_MAX, bad_query},
};

/// How much is answered where nobody says how much.
const OUTPUT_BYTES: usize = 64 << 10;
/// How much at most.
const OUTPUT_BYTES_MAX: usize = 1 << 20;

/// What a session's process wrote, as it wrote it, from a place on.
#[utoipa::path(
    get, path = "/api/runs/{run}/sessions/{session}/output",
    params(
        ("run" = String, Path, description = "the run"),
        ("session" = String, Path, description = "the session"),
        ("process" = Option<u32>, Query, description = "which of its processes, from 1; the last without it"),
        ("after" = Option<u64>, Query, description = "the byte at which it starts"),
        ("limit" = Option<u32>, Query, minimum = 4, maximum = 1_048_576, description = "how many bytes at most; 65536 without it"),
    ),
    responses(
        (status = OK, body = Written),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "there is no such process, or it wrote less", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn output(
    State(api): State<Api>,
    Named((run, session)): Named<(RunId, SessionId)>,
    asked: Asked,
) -> Result<Json<Written>, Failure> {
    let mut pairs = Pairs::new(asked);
    let process = pairs.take("process")?;
    let after = pairs.take("after")?.unwrap_or(0);
    // The longest character has four bytes, and each answer must go on.
    let bytes_max = pairs.take_limit(OUTPUT_BYTES, OUTPUT_BYTES_MAX)?.max(4);
    pairs.done()?;
    let output =
        api.ask(move |host| Ok(host.output(&run, session, OutputQuery { process, after, bytes_max })?));
    let mut output = output.await?;
    let is_cut = matches!(std::str::from_utf8(&output.bytes), Err(error) if error.error_len().is_none());
    if is_cut && !output.is_last {
        // The rest of the last character comes with the next answer.
        let end = std::str::from_utf8(&output.bytes).map_or_else(|error| error.valid_up_to(), str::len);
        output.bytes.truncate(end);
    }
    Ok(Json(Written {
        process: output.process,
        offset: output.offset,
        next: output.offset + output.bytes.len() as u64,
        text: String::from_utf8_lossy(&output.bytes).into_owned(),
        is_over: output.is_last,
    }))
}

/// What a session's process wrote and was told, with times: the last of it, what is before a place, or from a place on.
#[utoipa::path(
    get, path = "/api/runs/{run}/sessions/{session}/records",
    params(
        ("run" = String, Path, description = "the run"),
        ("session" = String, Path, description = "the session"),
        ("process" = Option<u32>, Query, description = "which of its processes, from 1; the last without it"),
        ("after" = Option<u64>, Query, description = "the output byte at which they start"),
        ("before" = Option<u64>, Query, description = "the output byte at which they end; not together with after"),
        ("limit" = Option<u32>, Query, minimum = 4, maximum = 1_048_576, description = "how many bytes of output at most; 65536 without it"),
    ),
    responses(
        (status = OK, body = SessionRecords),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "there is no such process, or it wrote less", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn records(
    State(api): State<Api>,
    Named((run, session)): Named<(RunId, SessionId)>,
    asked: Asked,
) -> Result<Json<SessionRecords>, Failure> {
    let mut pairs = Pairs::new(asked);
    let process = pairs.take("process")?;
    let start = match (pairs.take("after")?, pairs.take("before")?) {
        (Some(after), None) => PageStart::After(after),
        (None, Some(before)) => PageStart::Before(before),
        (None, None) => PageStart::End,
        (Some(_), Some(_)) => return Err(bad_query("after and before can't both be asked")),
    };
    let bytes_max = pairs.take_limit(OUTPUT_BYTES, OUTPUT_BYTES_MAX)?.max(4) as u64;
    pairs.done()?;
    let wanted = IoRecordQuery { process, start, bytes_max };
    let found = api.ask(move |host| Ok(host.io_records(&run, session, wanted)?)).await?;
    let in_words = |piece: runtime::IoRecord| {
        let (way, input) = match piece.direction {
            IoDirection::Output => (RecordWay::Output, None),
            IoDirection::Error => (RecordWay::Error, None),
            IoDirection::Input(number) => (RecordWay::Input, Some(number)),
        };
        SessionRecord { way, input, offset: piece.offset, at: piece.at, text: piece.text }
    };
    Ok(Json(SessionRecords {
        process: found.process,
        has_terminal: found.has_terminal,
        first: found.first,
        offset: found.offset,
        next: found.next,
        is_over: found.is_last,
        records: found.records.into_iter().map(in_words).collect(),
    }))
}

/// Types a line into a session's terminal. Agents that are spoken with in their own protocol have none.
#[utoipa::path(
    post, path = "/api/runs/{run}/sessions/{session}/input",
    params(("run" = String, Path, description = "the run"), ("session" = String, Path, description = "the session")),
    request_body = Typed,
    responses(
        (status = NO_CONTENT, description = "it is typed"),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "it has no terminal, or no process", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn input(
    State(api): State<Api>,
    Named((run, session)): Named<(RunId, SessionId)>,
    Sent(Typed { text }): Sent<Typed, WORD_BYTES_MAX>,
) -> Result<StatusCode, Failure> {
    let line = format!("{}\r", text.trim_end_matches(['\r', '\n']));
    api.ask(move |host| Ok(host.send_keys(&run, session, line.as_bytes())?)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends the process of a session. Its run hears of it, and does what its rules say: it tries again, or asks.
#[utoipa::path(
    post, path = "/api/runs/{run}/sessions/{session}/stop",
    params(("run" = String, Path, description = "the run"), ("session" = String, Path, description = "the session")),
    responses(
        (status = NO_CONTENT, description = "it has ended"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "it had no process", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn stop(
    State(api): State<Api>,
    Named((run, session)): Named<(RunId, SessionId)>,
) -> Result<StatusCode, Failure> {
    api.ask(move |host| Ok(host.end_session(&run, session)?)).await?;
    Ok(StatusCode::NO_CONTENT)
}
