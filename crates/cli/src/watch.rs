//! Shows a run as it goes, and lets the person act on it: on a terminal, as plain lines, or as JSON.
//!
//! A client of the server like any other; that the server may be inside of this process changes nothing.

pub mod command;
mod feed;
mod json;
mod paint;
mod plain;
pub mod signals;
mod terminal;

use std::{collections::BTreeMap, io::IsTerminal, process::ExitCode, time::SystemTime};

use domain::{Locale, RunId, Timestamp};
use serde::Deserialize;
use serde_json::Value;
use server::Client;
use store::Position;
use views::{Kind, RunRow, RunState};

use crate::{
    failure::Failure,
    remote,
    screen::board::{self, Board},
};

/// The exit status of a run that waits for a person.
const EXIT_WAITS: u8 = 3;
/// The exit status of a command that was interrupted.
const EXIT_INTERRUPTED: u8 = 130;

/// How a run is watched.
#[derive(Debug, Clone)]
pub struct Options {
    /// Print what happens as JSON.
    pub json: bool,
    /// Return as soon as nothing goes on without a person.
    pub no_wait: bool,
    /// The language of the screen.
    pub locale: Locale,
    /// Who watches, and acts.
    pub person: String,
}

/// How watching came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All that was to be done is done.
    Done,
    /// Something failed, or the run was called off.
    Failed,
    /// Nothing goes on without a person, and nobody wants to wait for one.
    WaitsForPerson,
    /// The person left, or was cut off; the agents work on.
    Left,
    /// The person left, and wants the agents to stop.
    StopAgents,
}

impl Outcome {
    /// Returns the exit status.
    pub fn exit(self) -> ExitCode {
        match self {
            Self::Done => ExitCode::SUCCESS,
            Self::Failed => ExitCode::FAILURE,
            Self::WaitsForPerson => ExitCode::from(EXIT_WAITS),
            Self::Left | Self::StopAgents => ExitCode::from(EXIT_INTERRUPTED),
        }
    }

    fn of(run: &RunRow) -> Option<Self> {
        match run.status {
            RunState::Running | RunState::Paused => None,
            RunState::Done => Some(Self::Done),
            RunState::Failed | RunState::Cancelled => Some(Self::Failed),
        }
    }
}

/// Watches a run until it is over, or the person has seen enough.
pub fn watch(client: &Client, run: &RunId, options: &Options) -> Result<Outcome, Failure> {
    if options.json {
        return json::watch(client, run, options);
    }
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() && !is_dumb {
        terminal::watch(client, run, options)
    } else {
        plain::watch(client, run, options)
    }
}

/// All rows that a board needs, and the place in the log that they stand for.
#[derive(Deserialize)]
struct Rows {
    position: u64,
    rows: BTreeMap<String, Vec<Value>>,
}

/// Asks for the board as it is now.
pub fn load(client: &Client, run: &RunId) -> Result<(Board, Position), Failure> {
    let kinds: Vec<_> = board::KINDS.iter().map(|kind: &Kind| format!("kind={}", kind.name())).collect();
    let path = format!("/api/runs/{run}/rows?{}", kinds.join("&"));
    let rows: Rows = client.get(&path).map_err(|error| remote::failure(&error))?;
    let mut board = Board::default();
    board.fill(&rows.rows);
    Ok((board, Position(rows.position)))
}

/// Tells whether only a person can go on. Events come one by one, and between two of them nothing seems to move: so the
/// rows are asked for, which stand behind a whole step.
fn waits(client: &Client, run: &RunId, board: &Board) -> Result<bool, Failure> {
    Ok(board.waits_only_for_person() && load(client, run)?.0.waits_only_for_person())
}

/// Returns what time it is.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
