//! Executes the requests of one transaction: checks each against the log and writes it.
//!
//! Never commits. A rejected request changes nothing; a database error aborts the whole transaction.

use domain::{RunId, Sequence};
use rusqlite::{Connection, Result, params};

use super::{
    command::{PendingReply, WriteRequest},
    head_cache::{Head, HeadCache, add_index_entry, is_index_due},
};
use crate::{AppendResult, NewEntry, Position, RowChange, StoreError, sql};

/// A transaction that is being filled.
pub(super) struct OpenTransaction<'a> {
    /// The connection, inside the transaction.
    pub connection: &'a Connection,
    pub heads: &'a mut HeadCache,
    /// Written entries, freed after the callers have their replies.
    pub written_entries: Vec<Vec<NewEntry>>,
}

impl OpenTransaction<'_> {
    /// Executes a request and returns its pending reply.
    pub(super) fn execute(&mut self, request: WriteRequest) -> (PendingReply, Result<()>) {
        match request {
            WriteRequest::Append { run, expected, entries, reply } => {
                let done = self.append(&run, expected, entries);
                split_outcome(done, |result| reply.hold(result))
            }
            WriteRequest::SaveRows { run, up_to, changes, reply } => {
                split_outcome(self.save_rows(&run, up_to, &changes), |result| reply.hold(result))
            }
        }
    }

    fn append(
        &mut self,
        run: &RunId,
        expected: Sequence,
        entries: Vec<NewEntry>,
    ) -> RequestOutcome<AppendResult> {
        let known = self.heads.head(self.connection, run)?;
        let actual = known.map_or(Sequence(0), |head| head.sequence);
        if actual != expected {
            return Ok(Err(StoreError::Conflict { run: run.clone(), expected, actual }));
        }
        let position = self.heads.last_position(self.connection)?;
        if entries.is_empty() {
            return Ok(Ok(AppendResult { sequence: actual, position }));
        }
        let mut head = match known {
            Some(head) => head,
            None => self.heads.insert_run(self.connection, run)?,
        };
        let mut add = self.connection.prepare_cached(sql::ENTRY_ADD.sqlite_text())?;
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
            if is_index_due(head.sequence) {
                add_index_entry(self.connection, head)?;
            }
        }
        self.written_entries.push(entries);
        self.heads.advance(run, head);
        Ok(Ok(AppendResult { sequence: head.sequence, position: head.position }))
    }

    fn save_rows(&mut self, run: &RunId, up_to: Sequence, changes: &[RowChange]) -> RequestOutcome<Sequence> {
        let head = match self.require_reached(run, up_to)? {
            Ok(head) => head,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let mut find = self.connection.prepare_cached(sql::ROWS_POSITION.sqlite_text())?;
        let position = Sequence(find.query_row([run.as_str()], |row| row.get::<_, i64>(0))?.cast_unsigned());
        if up_to <= position {
            return Ok(Ok(position));
        }
        let mut put = self.connection.prepare_cached(sql::ROW_PUT.sqlite_text())?;
        let mut delete = self.connection.prepare_cached(sql::ROW_DELETE.sqlite_text())?;
        for change in changes {
            match change {
                RowChange::Put(row) => {
                    put.execute(params![head.id, row.kind, row.key, row.json, row.sequence.0.cast_signed()])?
                }
                RowChange::Delete { kind, key } => delete.execute(params![head.id, kind, key])?,
            };
        }
        let mut advance = self.connection.prepare_cached(sql::ROWS_POSITION_SET.sqlite_text())?;
        advance.execute([head.id, up_to.0.cast_signed()])?;
        Ok(Ok(up_to))
    }

    /// Returns the head of a run, or the rejection if the run has not reached a sequence.
    fn require_reached(&mut self, run: &RunId, sequence: Sequence) -> RequestOutcome<Head> {
        let known = self.heads.head(self.connection, run)?;
        Ok(known.filter(|head| head.sequence >= sequence).ok_or_else(|| StoreError::AheadOfLog {
            run: run.clone(),
            sequence,
            actual: known.map_or(Sequence(0), |head| head.sequence),
        }))
    }
}

/// Outer result: database error. Inner result: rejection by the log.
type RequestOutcome<T> = Result<std::result::Result<T, StoreError>>;

/// Splits an outcome: the reply waits for the commit, the error aborts the transaction.
fn split_outcome<T>(
    outcome: RequestOutcome<T>,
    hold: impl FnOnce(std::result::Result<T, StoreError>) -> PendingReply,
) -> (PendingReply, Result<()>) {
    match outcome {
        Ok(result) => (hold(result), Ok(())),
        // Replaced by the error of the transaction.
        Err(error) => (hold(Err(StoreError::Stopped)), Err(error)),
    }
}
