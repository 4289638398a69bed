//! News as the live stream writes it. Written once, whoever listens.

use bytes::Bytes;
use domain::{RunId, Sequence, SessionId};
use runtime::Glimpse;
use serde::Serialize;
use store::Position;
use views::{Change, Row};

use crate::problem::Problem;

/// The name of what is seen of a session and not recorded.
pub const SEEN: &str = "session.seen";
/// The name of what is wrong, before the stream ends.
pub const PROBLEM: &str = "problem";

/// One entry of the log: an event for each name of each change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frames {
    /// The run.
    pub run: RunId,
    /// Its place among all runs.
    pub position: Position,
    /// What is written.
    pub text: Bytes,
}

#[derive(Serialize)]
struct Changed<'a> {
    run: &'a RunId,
    sequence: Sequence,
    kind: &'static str,
    key: &'a str,
    row: Option<&'a Row>,
}

#[derive(Serialize)]
struct Glimpsed<'a> {
    run: &'a RunId,
    session: SessionId,
    what: &'a Glimpse,
}

impl Frames {
    /// Writes what an entry changed.
    ///
    /// Only its last event has the id: whoever has that has all of it. One that changed nothing has the id alone.
    pub fn of(run: &RunId, position: Position, sequence: Sequence, changes: &[Change]) -> Self {
        let mut text = Vec::new();
        let mut named = changes
            .iter()
            .flat_map(|change| change.names().into_iter().map(move |name| (name, change)))
            .peekable();
        while let Some((name, change)) = named.next() {
            let (kind, row) = (change.kind.name(), change.row.as_ref());
            let data = Changed { run, sequence, kind, key: &change.key, row };
            write_event(&mut text, name, named.peek().is_none().then_some(position), &data);
        }
        if text.is_empty() {
            text = format!("id: {position}\n\n").into_bytes();
        }
        Self { run: run.clone(), position, text: text.into() }
    }
}

/// Writes what is seen of a session.
pub fn seen(run: &RunId, session: SessionId, what: &Glimpse) -> Bytes {
    let mut text = Vec::new();
    write_event(&mut text, SEEN, None, &Glimpsed { run, session, what });
    text.into()
}

/// Writes why there is no more.
pub fn problem(problem: &Problem) -> Bytes {
    let mut text = Vec::new();
    write_event(&mut text, PROBLEM, None, problem);
    text.into()
}

/// Writes where the stream starts, so that one who is cut off before the first news knows it too.
pub fn beginning(at: Position) -> Bytes {
    format!("retry: 1000\nid: {at}\n\n").into()
}

fn write_event(text: &mut Vec<u8>, name: &str, id: Option<Position>, data: &impl Serialize) {
    text.extend_from_slice(format!("event: {name}\n").as_bytes());
    if let Some(id) = id {
        text.extend_from_slice(format!("id: {id}\n").as_bytes());
    }
    text.extend_from_slice(b"data: ");
    // JSON has no line break in it. No row has a map whose keys are no texts, and that is all that could fail.
    let _ = serde_json::to_writer(&mut *text, data);
    text.extend_from_slice(b"\n\n");
}
