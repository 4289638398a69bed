//! Watches a run as JSON, one object per event and line.

use std::io::{self, Write};

use domain::RunId;
use serde::Serialize;
use serde_json::Value;
use server::{Client, LiveEvent};

use store::Position;

use super::{WatchOptions, WatchOutcome, event_stream::EventStream, needs_user, signals::Signals};
use crate::{failure::Failure, printable::printable_json, screen::board::Board};

/// How long one wait for an event lasts.
const POLL_TIMEOUT: std::time::Duration = std::time::Duration::from_millis(200);

#[derive(Serialize)]
struct JsonEvent<'a, T: Serialize> {
    event: &'a str,
    data: T,
}

#[derive(Serialize)]
struct RowChange<'a> {
    run: &'a RunId,
    sequence: u64,
    kind: &'a str,
    key: &'a str,
    row: Option<&'a Value>,
}

#[derive(Serialize)]
struct SessionActivity<'a> {
    run: &'a RunId,
    session: String,
    activity: &'a Value,
}

pub(super) fn watch(client: &Client, run: &RunId, options: &WatchOptions) -> Result<WatchOutcome, Failure> {
    let signals = Signals::install()?;
    // From the first event on: programs need all of them.
    let mut board = Board::default();
    let mut stream = EventStream::open(client, run, Position(0))?;
    loop {
        if let Some(outcome) = board.run.as_ref().and_then(WatchOutcome::from_run) {
            return Ok(outcome);
        }
        if signals.is_terminated() {
            return Ok(WatchOutcome::Detached);
        }
        let Some(event) = stream.wait(POLL_TIMEOUT)? else {
            stream.is_disconnected()?;
            if options.no_wait && needs_user(client, run, &board)? {
                return Ok(WatchOutcome::NeedsUser);
            }
            continue;
        };
        if let LiveEvent::Changed(changed) = &event {
            board.apply_change(&changed.kind, &changed.key, changed.row.as_ref());
        }
        if let Err(error) = print(&event) {
            return Failure::from_output_error(&error).map_or(Ok(WatchOutcome::Detached), Err);
        }
    }
}

fn print(event: &LiveEvent) -> io::Result<()> {
    let line = match event {
        LiveEvent::Changed(changed) => {
            let (kind, key, row) = (&changed.kind, &changed.key, changed.row.as_ref());
            let data = RowChange { run: &changed.run, sequence: changed.sequence.0, kind, key, row };
            printable_json(&JsonEvent { event: &changed.name, data })?
        }
        LiveEvent::Activity(activity) => {
            let data = SessionActivity {
                run: &activity.run,
                session: activity.session.to_string(),
                activity: &activity.activity,
            };
            printable_json(&JsonEvent { event: "session.activity", data })?
        }
        LiveEvent::Disconnected { .. } | LiveEvent::Refused(_) => return Ok(()),
    };
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}
