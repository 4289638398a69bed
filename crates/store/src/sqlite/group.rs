//! Does the work of one transaction: checks each wish against the log, and writes what may be written.
//!
//! Never commits. A refusal changes nothing; an error means that the whole transaction must go.

use domain::{RunId, Sequence};
use rusqlite::{Connection, Result, params};

use super::{
    command::{HeldAnswer, Work},
    heads::{Head, Heads, add_place, is_place_due},
};
use crate::{Appended, NewEntry, Position, RowChange, StoreError, sql};

/// A transaction that is being filled.
pub struct Filling<'a> {
    /// The connection, inside the transaction.
    pub connection: &'a Connection,
    /// Where everything stands.
    pub heads: &'a mut Heads,
    /// Entries that are written, to be freed after the callers have their answers.
    pub spent: Vec<Vec<NewEntry>>,
}

impl Filling<'_> {
    /// Does one piece of work, and returns the answer for later.
    pub fn add(&mut self, work: Work) -> (HeldAnswer, Result<()>) {
        match work {
            Work::Append { run, expected, entries, answer } => {
                let done = self.append(&run, expected, entries);
                held(done, |result| answer.hold(result))
            }
            Work::SaveRows { run, up_to, changes, answer } => {
                held(self.save_rows(&run, up_to, &changes), |result| answer.hold(result))
            }
        }
    }

    fn append(&mut self, run: &RunId, expected: Sequence, entries: Vec<NewEntry>) -> Outcome<Appended> {
        let known = self.heads.head(self.connection, run)?;
        let actual = known.map_or(Sequence(0), |head| head.sequence);
        if actual != expected {
            return Ok(Err(StoreError::Conflict { run: run.clone(), expected, actual }));
        }
        let position = self.heads.position(self.connection)?;
        if entries.is_empty() {
            return Ok(Ok(Appended { sequence: actual, position }));
        }
        let mut head = match known {
            Some(head) => head,
            None => self.heads.add(self.connection, run)?,
        };
        let mut add = self.connection.prepare_cached(sql::ENTRY_ADD.sqlite())?;
        for (entry, position) in entries.iter().zip(position.0 + 1..) {
            let previous = head.position;
            (head.sequence, head.position) = (head.sequence.next(), Position(position));
            add.execute(params![
                position.cast_signed(),
                head.id,
                head.sequence.0.cast_signed(),
                previous.0.cast_signed(),
                entry.at.0,
                entry.actor,
                entry.kind,
                entry.version,
                entry.payload,
            ])?;
            if is_place_due(head.sequence) {
                add_place(self.connection, head)?;
            }
        }
        self.spent.push(entries);
        self.heads.advance(run, head);
        Ok(Ok(Appended { sequence: head.sequence, position: head.position }))
    }

    fn save_rows(&mut self, run: &RunId, up_to: Sequence, changes: &[RowChange]) -> Outcome<Sequence> {
        let head = match self.reached(run, up_to)? {
            Ok(head) => head,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let mut find = self.connection.prepare_cached(sql::ROWS_POSITION.sqlite())?;
        let position = Sequence(find.query_row([run.as_str()], |row| row.get::<_, i64>(0))?.cast_unsigned());
        if up_to <= position {
            return Ok(Ok(position));
        }
        let mut put = self.connection.prepare_cached(sql::ROW_PUT.sqlite())?;
        let mut delete = self.connection.prepare_cached(sql::ROW_DELETE.sqlite())?;
        for change in changes {
            match change {
                RowChange::Put(row) => {
                    put.execute(params![head.id, row.kind, row.key, row.json, row.sequence.0.cast_signed()])?
                }
                RowChange::Delete { kind, key } => delete.execute(params![head.id, kind, key])?,
            };
        }
        let mut advance = self.connection.prepare_cached(sql::ROWS_MOVE.sqlite())?;
        advance.execute([head.id, up_to.0.cast_signed()])?;
        Ok(Ok(up_to))
    }

    /// Returns a run's head, or the refusal where it has not come to a place.
    fn reached(&mut self, run: &RunId, sequence: Sequence) -> Outcome<Head> {
        let known = self.heads.head(self.connection, run)?;
        Ok(known.filter(|head| head.sequence >= sequence).ok_or_else(|| StoreError::AheadOfLog {
            run: run.clone(),
            sequence,
            actual: known.map_or(Sequence(0), |head| head.sequence),
        }))
    }
}

/// The database's failure outside, the log's refusal inside.
type Outcome<T> = Result<std::result::Result<T, StoreError>>;

/// Parts an outcome: the answer waits for the commit, the failure ends the transaction.
fn held<T>(
    outcome: Outcome<T>,
    hold: impl FnOnce(std::result::Result<T, StoreError>) -> HeldAnswer,
) -> (HeldAnswer, Result<()>) {
    match outcome {
        Ok(result) => (hold(result), Ok(())),
        // The transaction's own error takes the place of this one.
        Err(error) => (hold(Err(StoreError::Stopped)), Err(error)),
    }
}
