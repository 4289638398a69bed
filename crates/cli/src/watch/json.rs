//! What happens in a run as JSON, an object on a line for each piece of news.

use std::io::{self, Write};

use domain::RunId;
use serde::Serialize;
use serde_json::Value;
use server::{Client, LiveEvent};

use store::Position;

use super::{Options, Outcome, feed::Feed, signals::Signals, waits};
use crate::{failure::Failure, printable::json, screen::board::Board};

/// How long one look at a silent run lasts.
const LOOK: std::time::Duration = std::time::Duration::from_millis(200);

/// A piece of news.
#[derive(Serialize)]
struct Line<'a, T: Serialize> {
    event: &'a str,
    data: T,
}

#[derive(Serialize)]
struct Row<'a> {
    run: &'a RunId,
    sequence: u64,
    kind: &'a str,
    key: &'a str,
    row: Option<&'a Value>,
}

#[derive(Serialize)]
struct Glimpse<'a> {
    run: &'a RunId,
    session: String,
    what: &'a Value,
}

pub fn watch(client: &Client, run: &RunId, options: &Options) -> Result<Outcome, Failure> {
    let signals = Signals::take()?;
    // From its first event on, however late somebody comes: programs want all of it.
    let mut board = Board::default();
    let mut feed = Feed::open(client, run, Position(0))?;
    loop {
        if let Some(outcome) = board.run.as_ref().and_then(Outcome::of) {
            return Ok(outcome);
        }
        if signals.is_ended() {
            return Ok(Outcome::Left);
        }
        let Some(event) = feed.wait(LOOK)? else {
            feed.is_away()?;
            if options.no_wait && waits(client, run, &board)? {
                return Ok(Outcome::WaitsForPerson);
            }
            continue;
        };
        if let LiveEvent::Changed(changed) = &event {
            board.take(&changed.kind, &changed.key, changed.row.as_ref());
        }
        if let Err(error) = print(&event) {
            return Failure::from_output(&error).map_or(Ok(Outcome::Left), Err);
        }
    }
}

fn print(event: &LiveEvent) -> io::Result<()> {
    let line = match event {
        LiveEvent::Changed(changed) => {
            let (kind, key, row) = (&changed.kind, &changed.key, changed.row.as_ref());
            let data = Row { run: &changed.run, sequence: changed.sequence.0, kind, key, row };
            json(&Line { event: &changed.name, data })?
        }
        LiveEvent::Seen(seen) => {
            let data = Glimpse { run: &seen.run, session: seen.session.to_string(), what: &seen.what };
            json(&Line { event: "session.seen", data })?
        }
        LiveEvent::Lost { .. } | LiveEvent::Refused(_) => return Ok(()),
    };
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}
