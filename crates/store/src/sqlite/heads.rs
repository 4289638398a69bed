//! Where each run and the whole log stand, as the writer's transaction sees it.
//!
//! A memory of the file and never more: it is forgotten when a transaction fails.

use std::collections::HashMap;

use domain::{RunId, Sequence};
use rusqlite::{Connection, OptionalExtension, Result};

use crate::{
    Position,
    sql::{self, Statement},
};

/// How many runs are remembered; few live at once.
const RUNS_MAX: usize = 4096;

/// How many entries may be without a place. Whoever reads a run looks at all of them, which takes less than a
/// millisecond.
const UNPLACED_MAX: u64 = 2048;

/// The number of a run in the file, and its last place.
#[derive(Debug, Clone, Copy)]
pub struct Head {
    /// The run's number.
    pub id: i64,
    /// The place of its last entry.
    pub sequence: Sequence,
}

/// What was found out about the file.
#[derive(Debug, Default)]
pub struct Heads {
    runs: HashMap<RunId, Head>,
    position: Option<Position>,
    placed: Option<Position>,
}

impl Heads {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns where a run stands; none where it has no entry yet.
    pub fn head(&mut self, connection: &Connection, run: &RunId) -> Result<Option<Head>> {
        if let Some(head) = self.runs.get(run) {
            return Ok(Some(*head));
        }
        let mut find = connection.prepare_cached(sql::RUN_ID.sqlite())?;
        let Some(id) = find.query_row([run.as_str()], |row| row.get(0)).optional()? else {
            return Ok(None);
        };
        let mut last = connection.prepare_cached(sql::RUN_HEAD.sqlite())?;
        let sequence = Sequence(last.query_row([id], |row| row.get::<_, i64>(0))?.cast_unsigned());
        Ok(Some(self.remember(run, Head { id, sequence })))
    }

    /// Writes a run down that was not known before.
    pub fn add(&mut self, connection: &Connection, run: &RunId) -> Result<Head> {
        let mut add = connection.prepare_cached(sql::RUN_ADD.sqlite())?;
        let id = add.query_row([run.as_str()], |row| row.get(0))?;
        Ok(self.remember(run, Head { id, sequence: Sequence(0) }))
    }

    /// Returns the place of the log's last entry.
    pub fn position(&mut self, connection: &Connection) -> Result<Position> {
        if let Some(position) = self.position {
            return Ok(position);
        }
        let position = position_of(connection, &sql::LAST_POSITION)?;
        self.position = Some(position);
        Ok(position)
    }

    /// Writes the places of new entries down, once there are enough of them to be worth it.
    pub fn place(&mut self, connection: &Connection) -> Result<()> {
        let Some(position) = self.position else { return Ok(()) };
        let placed = match self.placed {
            Some(placed) => placed,
            None => position_of(connection, &sql::PLACED)?,
        };
        self.placed = Some(placed);
        if position.0 - placed.0 >= UNPLACED_MAX {
            connection.prepare_cached(sql::PLACES_ADD.sqlite())?.execute([])?;
            connection.prepare_cached(sql::PLACED_MOVE.sqlite())?.execute([position.0.cast_signed()])?;
            self.placed = Some(position);
        }
        Ok(())
    }

    /// Notes that entries were added to a run.
    pub fn advance(&mut self, run: &RunId, head: Head, position: Position) {
        self.remember(run, head);
        self.position = Some(position);
    }

    fn remember(&mut self, run: &RunId, head: Head) -> Head {
        if let Some(known) = self.runs.get_mut(run) {
            *known = head;
            return head;
        }
        if self.runs.len() >= RUNS_MAX {
            self.runs.clear();
        }
        self.runs.insert(run.clone(), head);
        head
    }
}

fn position_of(connection: &Connection, statement: &Statement) -> Result<Position> {
    let mut find = connection.prepare_cached(statement.sqlite())?;
    find.query_row([], |row| row.get::<_, i64>(0)).map(|number| Position(number.cast_unsigned()))
}
