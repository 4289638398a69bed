//! Reads concurrently with the writer: each call uses its own connection and sees one committed state.

use std::{
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

use domain::{RunId, Sequence, Timestamp};
use rusqlite::{Connection, OptionalExtension, Params, Result, types::Type};

use super::{chain, connection::open_reader};
use crate::{
    Entry, Position, Row, RunHead, StoreError,
    sql::{self, PortableStatement},
};

/// Maximum number of idle connections.
const IDLE_MAX: usize = 4;

type StoreResult<T> = std::result::Result<T, StoreError>;

/// A pool of idle connections.
#[derive(Debug)]
pub(super) struct ReaderPool {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl ReaderPool {
    /// Creates an empty pool.
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, idle: Mutex::default() }
    }

    /// Closes the idle connections.
    pub(super) fn close_idle(&self) {
        self.idle().clear();
    }

    /// Returns entries of a run.
    pub(super) fn entries_of(&self, run: &RunId, after: Sequence, limit: usize) -> StoreResult<Vec<Entry>> {
        let found =
            self.with_connection(|connection| chain::read_run_entries(connection, run, after, limit))?;
        found.map_err(|sequence| StoreError::missing_entry(&self.path, sequence.0))
    }

    /// Returns entries of all runs.
    pub(super) fn entries(&self, after: Position, limit: usize) -> StoreResult<Vec<Entry>> {
        let parameters = [saturate_to_sqlite_integer(after.0), saturate_to_sqlite_integer(limit as u64)];
        let found =
            self.with_connection(|connection| query_all(connection, &sql::ENTRIES, parameters, to_entry))?;
        self.reject_gaps(found, after.0, |entry| entry.position.0)
    }

    pub(super) fn last_position(&self) -> StoreResult<Position> {
        let to_position = |row: &rusqlite::Row<'_>| read_number(row, 0).map(Position);
        let found = self
            .with_connection(|connection| query_optional(connection, &sql::LAST_POSITION, [], to_position));
        found.map(Option::unwrap_or_default)
    }

    pub(super) fn runs(&self) -> StoreResult<Vec<RunHead>> {
        let to_head = |row: &rusqlite::Row<'_>| {
            Ok(RunHead { run: run_id(row, 0)?, sequence: Sequence(read_number(row, 1)?) })
        };
        self.with_connection(|connection| query_all(connection, &sql::RUNS, [], to_head))
    }

    /// Returns the last entry included in the rows of a run.
    pub(super) fn rows_sequence(&self, run: &RunId) -> StoreResult<Sequence> {
        let to_sequence = |row: &rusqlite::Row<'_>| read_number(row, 0).map(Sequence);
        let found = self.with_connection(|connection| {
            query_optional(connection, &sql::ROWS_POSITION, [run.as_str()], to_sequence)
        });
        found.map(Option::unwrap_or_default)
    }

    pub(super) fn rows(&self, run: &RunId) -> StoreResult<Vec<Row>> {
        self.with_connection(|connection| query_all(connection, &sql::ROWS, [run.as_str()], to_row))
    }

    /// Returns one row of a run.
    pub(super) fn row(&self, run: &RunId, kind: &str, key: &str) -> StoreResult<Option<Row>> {
        self.with_connection(|connection| {
            query_optional(connection, &sql::ROW, [run.as_str(), kind, key], to_row)
        })
    }

    /// Fails if entries are missing: a damaged file may lose one silently.
    fn reject_gaps(
        &self,
        entries: Vec<Entry>,
        after: u64,
        place: impl Fn(&Entry) -> u64,
    ) -> StoreResult<Vec<Entry>> {
        let mut expected = after;
        for entry in &entries {
            expected += 1;
            if place(entry) != expected {
                return Err(StoreError::missing_entry(&self.path, expected));
            }
        }
        Ok(entries)
    }

    /// Runs a query with a connection; a connection that failed is not reused.
    fn with_connection<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> StoreResult<T> {
        let kept = self.idle().pop();
        let connection = match kept {
            Some(connection) => connection,
            None => open_reader(&self.path)?,
        };
        let found = read(&connection).map_err(|error| StoreError::from_sqlite_error(&self.path, error))?;
        let mut idle = self.idle();
        if idle.len() < IDLE_MAX {
            idle.push(connection);
        }
        Ok(found)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        // A panic cannot leave the list in an inconsistent state.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn query_all<T>(
    connection: &Connection,
    statement: &PortableStatement,
    parameters: impl Params,
    read: impl FnMut(&rusqlite::Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    connection.prepare_cached(statement.sqlite_text())?.query_map(parameters, read)?.collect()
}

fn query_optional<T>(
    connection: &Connection,
    statement: &PortableStatement,
    parameters: impl Params,
    read: impl FnOnce(&rusqlite::Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    connection.prepare_cached(statement.sqlite_text())?.query_row(parameters, read).optional()
}

fn to_row(row: &rusqlite::Row<'_>) -> Result<Row> {
    Ok(Row {
        kind: row.get(0)?,
        key: row.get(1)?,
        json: row.get(2)?,
        sequence: Sequence(read_number(row, 3)?),
    })
}

fn to_entry(row: &rusqlite::Row<'_>) -> Result<Entry> {
    Ok(Entry {
        run: run_id(row, 0)?,
        sequence: Sequence(read_number(row, 1)?),
        position: Position(read_number(row, 2)?),
        at: Timestamp(row.get(3)?),
        actor: row.get(4)?,
        kind: row.get(5)?,
        version: row.get(6)?,
        payload: row.get(7)?,
    })
}

pub(super) fn run_id(row: &rusqlite::Row<'_>, column: usize) -> Result<RunId> {
    let text = row.get_ref(column)?.as_str()?;
    text.parse()
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}

/// Reads a non-negative number.
pub(super) fn read_number(row: &rusqlite::Row<'_>, column: usize) -> Result<u64> {
    row.get::<_, i64>(column).map(i64::cast_unsigned)
}

/// Converts a number for SQLite; no position or limit exceeds its maximum.
pub(super) fn saturate_to_sqlite_integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
