//! Where each run and the whole log stand, as the writer's transaction sees it.
//!
//! A memory of the file and never more: it is forgotten when a transaction fails.
//! Invariant: every run with an entry that has no place yet is in it.

use std::collections::HashMap;

use domain::{RunId, Sequence};
use rusqlite::{Connection, OptionalExtension, Result};

use super::readers::{number, run_id};
use crate::{
    Position,
    sql::{self, Statement},
};

/// How many runs are remembered; few live at once.
const RUNS_MAX: usize = 4096;

/// How many entries may be without a place. Whoever reads a run looks at all of them, which takes less than a
/// millisecond.
const UNPLACED_MAX: u64 = 2048;

/// One entry in so many has a place of its own, whatever comes behind it. Whoever reads from the middle of a run passes
/// by as many entries at most.
const PLACE_EVERY: u64 = 256;

/// The number of a run in the file, and its last entry.
#[derive(Debug, Clone, Copy)]
pub struct Head {
    /// The run's number.
    pub id: i64,
    /// The last entry's place in the run.
    pub sequence: Sequence,
    /// Its place among all runs.
    pub position: Position,
}

/// What was found out about the file.
#[derive(Debug, Default)]
pub struct Heads {
    runs: HashMap<RunId, Head>,
    end: Option<End>,
}

/// The last entry of the log, and the last one before which all runs have places.
#[derive(Debug, Clone, Copy)]
struct End {
    position: Position,
    placed: Position,
}

impl Heads {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns where a run stands; none where it has no entry yet.
    pub fn head(&mut self, connection: &Connection, run: &RunId) -> Result<Option<Head>> {
        self.end(connection)?;
        if let Some(head) = self.runs.get(run) {
            return Ok(Some(*head));
        }
        let mut find = connection.prepare_cached(sql::RUN_ID.sqlite())?;
        let Some(id) = find.query_row([run.as_str()], |row| row.get(0)).optional()? else {
            return Ok(None);
        };
        let mut last = connection.prepare_cached(sql::RUN_PLACE.sqlite())?;
        let head = last.query_row([id], |row| {
            Ok(Head { id, sequence: Sequence(number(row, 0)?), position: Position(number(row, 1)?) })
        })?;
        self.runs.insert(run.clone(), head);
        Ok(Some(head))
    }

    /// Writes a run down that was not known before.
    pub fn add(&mut self, connection: &Connection, run: &RunId) -> Result<Head> {
        let mut add = connection.prepare_cached(sql::RUN_ADD.sqlite())?;
        let id = add.query_row([run.as_str()], |row| row.get(0))?;
        Ok(Head { id, sequence: Sequence(0), position: Position(0) })
    }

    /// Returns the place of the log's last entry.
    pub fn position(&mut self, connection: &Connection) -> Result<Position> {
        self.end(connection).map(|end| end.position)
    }

    /// Notes that entries were added to a run, which now stands elsewhere.
    pub fn advance(&mut self, run: &RunId, head: Head) {
        match self.runs.get_mut(run) {
            Some(known) => *known = head,
            None => drop(self.runs.insert(run.clone(), head)),
        }
        if let Some(end) = &mut self.end {
            end.position = head.position;
        }
    }

    /// Writes the places of the runs' last entries down, once there are enough new entries to be worth it.
    pub fn place(&mut self, connection: &Connection) -> Result<()> {
        let Some(End { position, placed }) = self.end else { return Ok(()) };
        let is_crowded = self.runs.len() >= RUNS_MAX;
        if position.0 - placed.0 < UNPLACED_MAX && !is_crowded {
            return Ok(());
        }
        let mut unplaced: Vec<Head> =
            self.runs.values().filter(|head| head.position > placed).copied().collect();
        unplaced.sort_unstable_by_key(|head| head.id);
        for head in unplaced {
            add_place(connection, head)?;
        }
        connection.prepare_cached(sql::PLACED_MOVE.sqlite())?.execute([position.0.cast_signed()])?;
        self.end = Some(End { position, placed: position });
        if is_crowded {
            self.runs.clear();
        }
        Ok(())
    }

    /// Returns where the log ends; the first time after a start, it also looks at what has no place yet.
    fn end(&mut self, connection: &Connection) -> Result<End> {
        if let Some(end) = self.end {
            return Ok(end);
        }
        let mut unplaced = connection.prepare_cached(sql::RUNS_UNPLACED.sqlite())?;
        let heads = unplaced.query_map([], |row| {
            let (sequence, position) = (Sequence(number(row, 2)?), Position(number(row, 3)?));
            Ok((run_id(row, 0)?, Head { id: row.get(1)?, sequence, position }))
        })?;
        self.runs = heads.collect::<Result<_>>()?;
        let end = End {
            position: position_of(connection, &sql::LAST_POSITION)?,
            placed: position_of(connection, &sql::PLACED)?,
        };
        // The entry that has the last place is gone. Whatever is written now would stand where another one was.
        if end.placed > end.position {
            return Err(rusqlite::Error::QueryReturnedNoRows);
        }
        self.end = Some(end);
        Ok(end)
    }
}

/// Tells whether an entry gets a place as soon as it is recorded.
pub fn is_place_due(sequence: Sequence) -> bool {
    sequence.0.is_multiple_of(PLACE_EVERY)
}

/// Writes one place down.
pub fn add_place(connection: &Connection, head: Head) -> Result<()> {
    let mut add = connection.prepare_cached(sql::PLACE_ADD.sqlite())?;
    add.execute([head.id, head.sequence.0.cast_signed(), head.position.0.cast_signed()]).map(|_| ())
}

fn position_of(connection: &Connection, statement: &Statement) -> Result<Position> {
    connection.prepare_cached(statement.sqlite())?.query_row([], |row| number(row, 0).map(Position))
}
