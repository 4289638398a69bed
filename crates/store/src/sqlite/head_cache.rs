//! Caches the last entry of each run and of the log, as seen by the writer's transaction.
//!
//! Cleared when a transaction fails. Invariant: contains every run with unindexed entries.

use std::collections::HashMap;

use domain::{RunId, Sequence};
use rusqlite::{Connection, OptionalExtension, Result};

use super::reader_pool::{read_number, run_id};
use crate::{
    Position,
    sql::{self, PortableStatement},
};

/// Maximum number of cached runs; few are active at once.
const RUNS_MAX: usize = 4096;

/// Maximum number of unindexed entries. Reading a run scans all of them, which takes less than a millisecond.
const UNINDEXED_MAX: u64 = 2048;

/// Every entry whose sequence is a multiple of this is indexed. Reading from the middle of a run skips at most this
/// many entries.
const INDEX_INTERVAL: u64 = 256;

/// Database id of a run, and its last entry.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub id: i64,
    pub sequence: Sequence,
    pub position: Position,
}

#[derive(Debug, Default)]
pub(super) struct HeadCache {
    runs: HashMap<RunId, Head>,
    end: Option<LogEnd>,
}

/// The last entry of the log, and the last position up to which all runs are indexed.
#[derive(Debug, Clone, Copy)]
struct LogEnd {
    position: Position,
    indexed: Position,
}

impl HeadCache {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the head of a run; `None` if it has no entries.
    pub(super) fn head(&mut self, connection: &Connection, run: &RunId) -> Result<Option<Head>> {
        self.log_end(connection)?;
        if let Some(head) = self.runs.get(run) {
            return Ok(Some(*head));
        }
        let mut find = connection.prepare_cached(sql::RUN_ID.sqlite_text())?;
        let Some(id) = find.query_row([run.as_str()], |row| row.get(0)).optional()? else {
            return Ok(None);
        };
        let mut last = connection.prepare_cached(sql::RUN_LAST_INDEXED.sqlite_text())?;
        let head = last.query_row([id], |row| {
            Ok(Head {
                id,
                sequence: Sequence(read_number(row, 0)?),
                position: Position(read_number(row, 1)?),
            })
        })?;
        self.runs.insert(run.clone(), head);
        Ok(Some(head))
    }

    /// Adds a new run.
    pub(super) fn insert_run(&mut self, connection: &Connection, run: &RunId) -> Result<Head> {
        let mut add = connection.prepare_cached(sql::RUN_ADD.sqlite_text())?;
        let id = add.query_row([run.as_str()], |row| row.get(0))?;
        Ok(Head { id, sequence: Sequence(0), position: Position(0) })
    }

    /// Returns the position of the last entry of the log.
    pub(super) fn last_position(&mut self, connection: &Connection) -> Result<Position> {
        self.log_end(connection).map(|end| end.position)
    }

    /// Records the new last entry of a run.
    pub(super) fn advance(&mut self, run: &RunId, head: Head) {
        match self.runs.get_mut(run) {
            Some(known) => *known = head,
            None => drop(self.runs.insert(run.clone(), head)),
        }
        if let Some(end) = &mut self.end {
            end.position = head.position;
        }
    }

    /// Indexes the last entries of all runs, once there are enough unindexed entries.
    pub(super) fn write_index(&mut self, connection: &Connection) -> Result<()> {
        let Some(LogEnd { position, indexed }) = self.end else { return Ok(()) };
        let is_full = self.runs.len() >= RUNS_MAX;
        if position.0 - indexed.0 < UNINDEXED_MAX && !is_full {
            return Ok(());
        }
        let mut unindexed: Vec<Head> =
            self.runs.values().filter(|head| head.position > indexed).copied().collect();
        unindexed.sort_unstable_by_key(|head| head.id);
        for head in unindexed {
            add_index_entry(connection, head)?;
        }
        connection
            .prepare_cached(sql::INDEXED_POSITION_SET.sqlite_text())?
            .execute([position.0.cast_signed()])?;
        self.end = Some(LogEnd { position, indexed: position });
        if is_full {
            self.runs.clear();
        }
        Ok(())
    }

    /// Returns the end of the log; after a start, also loads the runs with unindexed entries.
    fn log_end(&mut self, connection: &Connection) -> Result<LogEnd> {
        if let Some(end) = self.end {
            return Ok(end);
        }
        let mut unindexed = connection.prepare_cached(sql::RUNS_UNINDEXED.sqlite_text())?;
        let heads = unindexed.query_map([], |row| {
            let (sequence, position) = (Sequence(read_number(row, 2)?), Position(read_number(row, 3)?));
            Ok((run_id(row, 0)?, Head { id: row.get(1)?, sequence, position }))
        })?;
        self.runs = heads.collect::<Result<_>>()?;
        let end = LogEnd {
            position: query_position(connection, &sql::LAST_POSITION)?,
            indexed: query_position(connection, &sql::INDEXED_POSITION)?,
        };
        // The indexed entry is lost: a new entry would get its position.
        if end.indexed > end.position {
            return Err(rusqlite::Error::QueryReturnedNoRows);
        }
        self.end = Some(end);
        Ok(end)
    }
}

/// Returns whether an entry is indexed as soon as it is recorded.
pub(super) fn is_index_due(sequence: Sequence) -> bool {
    sequence.0.is_multiple_of(INDEX_INTERVAL)
}

pub(super) fn add_index_entry(connection: &Connection, head: Head) -> Result<()> {
    let mut add = connection.prepare_cached(sql::INDEX_ADD.sqlite_text())?;
    add.execute([head.id, head.sequence.0.cast_signed(), head.position.0.cast_signed()]).map(|_| ())
}

fn query_position(connection: &Connection, statement: &PortableStatement) -> Result<Position> {
    connection.prepare_cached(statement.sqlite_text())?.query_row([], |row| read_number(row, 0).map(Position))
}
