//! Sessions: output, records, input, stop.

use axum::{Json, extract::State, http::StatusCode};
use domain::{RunId, SessionId};
use runtime::{CommandSender, IoDirection, IoRecordQuery, OutputQuery, PageStart, prepare::user_name};

use crate::{
    api::Api,
    bodies::{InputLine, OutputChunk, RecordDirection, SessionRecord, SessionRecords},
    extract::{
        COMMAND_BYTES_MAX, JsonBody, PathParams, QueryPairs, QueryReader, RequestOrigin, invalid_query_error,
    },
    problem::{ApiError, Problem},
};

/// Default limit of a response.
const OUTPUT_BYTES: usize = 64 << 10;
const OUTPUT_BYTES_MAX: usize = 1 << 20;

/// Returns raw output of a session's process from an offset on.
#[utoipa::path(
    get, path = "/api/runs/{run}/sessions/{session}/output",
    params(
        ("run" = String, Path, description = "id of the run"),
        ("session" = String, Path, description = "id of the session"),
        ("process" = Option<u32>, Query, description = "number of the process in the session, from 1; the last one if missing"),
        ("after" = Option<u64>, Query, description = "byte offset of the start"),
        ("limit" = Option<u32>, Query, minimum = 4, maximum = 1_048_576, description = "maximum number of bytes; 65536 if missing"),
    ),
    responses(
        (status = OK, body = OutputChunk),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "unknown process, or offset after its output", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn output(
    State(api): State<Api>,
    PathParams((run, session)): PathParams<(RunId, SessionId)>,
    query: QueryPairs,
) -> Result<Json<OutputChunk>, ApiError> {
    let mut query = QueryReader::new(query);
    let process = query.take("process")?;
    let after = query.take("after")?.unwrap_or(0);
    // A character has up to four bytes, and each response must advance.
    let bytes_max = query.take_limit(OUTPUT_BYTES, OUTPUT_BYTES_MAX)?.max(4);
    query.finish()?;
    let output = api.run_blocking(move |host| {
        Ok(host.session_output(&run, session, OutputQuery { process, after, bytes_max })?)
    });
    let mut output = output.await?;
    let is_cut = matches!(std::str::from_utf8(&output.bytes), Err(error) if error.error_len().is_none());
    if is_cut && !output.is_last {
        // The next response has the rest of the last character.
        let end = std::str::from_utf8(&output.bytes).map_or_else(|error| error.valid_up_to(), str::len);
        output.bytes.truncate(end);
    }
    Ok(Json(OutputChunk {
        process: output.process,
        offset: output.offset,
        next: output.offset + output.bytes.len() as u64,
        text: String::from_utf8_lossy(&output.bytes).into_owned(),
        has_ended: output.is_last,
    }))
}

/// Returns timed input and output of a session's process: the last records, or those before or after an offset.
#[utoipa::path(
    get, path = "/api/runs/{run}/sessions/{session}/records",
    params(
        ("run" = String, Path, description = "id of the run"),
        ("session" = String, Path, description = "id of the session"),
        ("process" = Option<u32>, Query, description = "number of the process in the session, from 1; the last one if missing"),
        ("after" = Option<u64>, Query, description = "output offset of the start"),
        ("before" = Option<u64>, Query, description = "output offset of the end; not together with after"),
        ("limit" = Option<u32>, Query, minimum = 4, maximum = 1_048_576, description = "maximum number of output bytes; 65536 if missing"),
    ),
    responses(
        (status = OK, body = SessionRecords),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "unknown process, or offset after its output", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn records(
    State(api): State<Api>,
    PathParams((run, session)): PathParams<(RunId, SessionId)>,
    query: QueryPairs,
) -> Result<Json<SessionRecords>, ApiError> {
    let mut query = QueryReader::new(query);
    let process = query.take("process")?;
    let start = match (query.take("after")?, query.take("before")?) {
        (Some(after), None) => PageStart::After(after),
        (None, Some(before)) => PageStart::Before(before),
        (None, None) => PageStart::End,
        (Some(_), Some(_)) => {
            return Err(invalid_query_error("The query parameters 'after' and 'before' exclude each other."));
        }
    };
    let bytes_max = query.take_limit(OUTPUT_BYTES, OUTPUT_BYTES_MAX)?.max(4) as u64;
    query.finish()?;
    let request = IoRecordQuery { process, start, bytes_max };
    let records = api.run_blocking(move |host| Ok(host.io_records(&run, session, request)?)).await?;
    let to_record = |record: runtime::IoRecord| {
        let (direction, input) = match record.direction {
            IoDirection::Output => (RecordDirection::Output, None),
            IoDirection::Error => (RecordDirection::Error, None),
            IoDirection::Input(number) => (RecordDirection::Input, Some(number)),
        };
        SessionRecord { direction, input, offset: record.offset, at: record.at, text: record.text }
    };
    Ok(Json(SessionRecords {
        process: records.process,
        has_terminal: records.has_terminal,
        first: records.first,
        offset: records.offset,
        next: records.next,
        has_ended: records.is_last,
        records: records.records.into_iter().map(to_record).collect(),
    }))
}

/// Types a line into a session's terminal. Sessions with a protocol of their agent have none.
#[utoipa::path(
    post, path = "/api/runs/{run}/sessions/{session}/input",
    params(("run" = String, Path, description = "id of the run"), ("session" = String, Path, description = "id of the session")),
    request_body = InputLine,
    responses(
        (status = NO_CONTENT, description = "the line was typed"),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "the session has no terminal or is not running", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn send_input(
    State(api): State<Api>,
    PathParams((run, session)): PathParams<(RunId, SessionId)>,
    JsonBody(InputLine { text }): JsonBody<InputLine, COMMAND_BYTES_MAX>,
) -> Result<StatusCode, ApiError> {
    let line = format!("{}\r", text.trim_end_matches(['\r', '\n']));
    api.run_blocking(move |host| Ok(host.send_keys(&run, &user_name(), session, line.as_bytes())?)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends the process of a session. The run reacts by its rules: it retries the task or asks.
#[utoipa::path(
    post, path = "/api/runs/{run}/sessions/{session}/stop",
    params(("run" = String, Path, description = "id of the run"), ("session" = String, Path, description = "id of the session")),
    responses(
        (status = NO_CONTENT, description = "the process has ended"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "the session is not running", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn stop_session(
    State(api): State<Api>,
    RequestOrigin(origin): RequestOrigin,
    PathParams((run, session)): PathParams<(RunId, SessionId)>,
) -> Result<StatusCode, ApiError> {
    api.run_blocking(move |host| {
        Ok(host.end_session(&run, CommandSender { person: &user_name(), origin }, session)?)
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}
