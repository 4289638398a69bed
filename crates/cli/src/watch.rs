//! Watches a run: on a terminal with input, as plain lines, or as JSON.
//!
//! A client of the server, also if the server runs in this process.

pub(crate) mod command;
pub(crate) mod event_stream;
mod json;
mod paint;
mod plain;
pub(crate) mod signals;
mod terminal;

use std::{collections::BTreeMap, io::IsTerminal, process::ExitCode, time::SystemTime};

use domain::{Locale, RunId, Timestamp};
use serde::Deserialize;
use serde_json::Value;
use server::Client;
use store::Position;
use views::{RowKind, RunRow, RunState};

use crate::{
    failure::Failure,
    remote,
    screen::board::{self, Board},
};

/// Exit status if the run needs the user.
const EXIT_NEEDS_USER: u8 = 3;
/// Exit status of an interrupted command.
const EXIT_INTERRUPTED: u8 = 130;

#[derive(Debug, Clone)]
pub(crate) struct WatchOptions {
    /// Print events as JSON.
    pub json: bool,
    /// Print the events before the command too.
    pub from_start: bool,
    /// Return as soon as the run needs the user.
    pub no_wait: bool,
    pub locale: Locale,
    /// Name of the user, for commands.
    pub person: String,
}

/// Why watching ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WatchOutcome {
    /// The run is done.
    Done,
    /// The run failed or was cancelled.
    Failed,
    /// The run needs the user, with `no_wait`.
    NeedsUser,
    /// The user left or the output closed; agents keep working.
    Detached,
    /// The user left and stops the agents.
    StopAgents,
}

impl WatchOutcome {
    pub(crate) fn exit_code(self) -> ExitCode {
        match self {
            Self::Done => ExitCode::SUCCESS,
            Self::Failed => ExitCode::FAILURE,
            Self::NeedsUser => ExitCode::from(EXIT_NEEDS_USER),
            Self::Detached | Self::StopAgents => ExitCode::from(EXIT_INTERRUPTED),
        }
    }

    fn from_run(run: &RunRow) -> Option<Self> {
        match run.status {
            RunState::Running | RunState::Paused => None,
            RunState::Done => Some(Self::Done),
            RunState::Failed | RunState::Cancelled => Some(Self::Failed),
        }
    }
}

/// Watches a run until it ends or the user leaves.
pub(crate) fn watch(client: &Client, run: &RunId, options: &WatchOptions) -> Result<WatchOutcome, Failure> {
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

/// The rows of a board and the log position that they include.
#[derive(Deserialize)]
struct BoardRows {
    position: u64,
    rows: BTreeMap<String, Vec<Value>>,
}

/// Loads the current board.
pub(crate) fn load_board(client: &Client, run: &RunId) -> Result<(Board, Position), Failure> {
    let kinds: Vec<_> = board::KINDS.iter().map(|kind: &RowKind| format!("kind={}", kind.name())).collect();
    let path = format!("/api/runs/{run}/rows?{}", kinds.join("&"));
    let rows: BoardRows = client.get(&path).map_err(|error| remote::client_failure(&error))?;
    let mut board = Board::default();
    board.put_rows(&rows.rows);
    Ok((board, Position(rows.position)))
}

/// Tells whether the run needs the user. Between two events of one step it can seem so, therefore the rows are loaded
/// again: they include whole steps.
fn needs_user(client: &Client, run: &RunId, board: &Board) -> Result<bool, Failure> {
    Ok(board.run_needs_user() && load_board(client, run)?.0.run_needs_user())
}

/// Returns the current time.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
