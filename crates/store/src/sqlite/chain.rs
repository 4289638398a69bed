//! Reads the entries of a run: each refers to the one before it, so reading goes backwards from an indexed entry.

use domain::{RunId, Sequence, Timestamp};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Params, Result, Row};

use super::reader_pool::{read_number, saturate_to_sqlite_integer};
use crate::{
    Entry, Position,
    sql::{self, PortableStatement},
};

/// Entries of a run, or the first missing one.
type ChainResult = std::result::Result<Vec<Entry>, Sequence>;

/// Position of an entry in its run and in the log.
type EntryLocation = (Sequence, Position);

/// Returns at most `limit` entries of a run after `after`.
pub(super) fn read_run_entries(
    connection: &Connection,
    run: &RunId,
    after: Sequence,
    limit: usize,
) -> Result<ChainResult> {
    // One transaction: a consistent state, and one lock of the file.
    let _transaction = connection.unchecked_transaction()?;
    let mut find = connection.prepare_cached(sql::RUN_ID.sqlite_text())?;
    let Some(id) = find.query_row([run.as_str()], |row| row.get::<_, i64>(0)).optional()? else {
        return Ok(Ok(Vec::new()));
    };
    let last = Sequence(after.0.saturating_add(limit as u64));
    let Some((mut sequence, mut position)) = find_chain_start(connection, id, last)? else {
        return Ok(Ok(Vec::new()));
    };
    let mut at = connection.prepare_cached(sql::ENTRY_AT.sqlite_text())?;
    let mut entries = Vec::new();
    while sequence > after {
        let is_wanted = sequence <= last;
        let found = read_link(&mut at, id, (sequence, position), is_wanted.then_some(run))?;
        let Some(ChainLink { previous, entry }) = found else { return Ok(Err(sequence)) };
        entries.extend(entry);
        (sequence, position) = (Sequence(sequence.0 - 1), previous);
    }
    entries.reverse();
    Ok(Ok(entries))
}

/// An entry, and the position of the one before it.
struct ChainLink {
    previous: Position,
    entry: Option<Entry>,
}

/// Reads the entry at a location, with its content if `run` is set; `None` if another entry is there.
fn read_link(
    at: &mut CachedStatement<'_>,
    id: i64,
    (sequence, position): EntryLocation,
    run: Option<&RunId>,
) -> Result<Option<ChainLink>> {
    let read = |row: &Row<'_>| {
        if (row.get::<_, i64>(0)?, read_number(row, 1)?) != (id, sequence.0) {
            return Ok(None);
        }
        let entry = run.map(|run| to_entry(row, run, (sequence, position))).transpose()?;
        Ok(Some(ChainLink { previous: Position(read_number(row, 2)?), entry }))
    };
    at.query_row([saturate_to_sqlite_integer(position.0)], read).optional().map(Option::flatten)
}

fn to_entry(row: &Row<'_>, run: &RunId, (sequence, position): EntryLocation) -> Result<Entry> {
    Ok(Entry {
        run: run.clone(),
        sequence,
        position,
        at: Timestamp(row.get(3)?),
        actor: row.get(4)?,
        kind: row.get(5)?,
        version: row.get(6)?,
        payload: row.get(7)?,
    })
}

/// Returns the nearest known location of a run at or after a sequence, else its last one.
fn find_chain_start(connection: &Connection, id: i64, sequence: Sequence) -> Result<Option<EntryLocation>> {
    if let Some(location) =
        query_location(connection, &sql::INDEX_FROM, [id, saturate_to_sqlite_integer(sequence.0)])?
    {
        return Ok(Some(location));
    }
    match query_location(connection, &sql::RUN_LAST_UNINDEXED, [id])? {
        Some(location) => Ok(Some(location)),
        None => query_location(connection, &sql::RUN_LAST_INDEXED, [id]),
    }
}

fn query_location(
    connection: &Connection,
    statement: &PortableStatement,
    parameters: impl Params,
) -> Result<Option<EntryLocation>> {
    let read = |row: &Row<'_>| Ok((Sequence(read_number(row, 0)?), Position(read_number(row, 1)?)));
    connection.prepare_cached(statement.sqlite_text())?.query_row(parameters, read).optional()
}
