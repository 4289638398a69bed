//! Follows a run's entries: each knows the one before it, so the way leads back from a place that is written down.

use domain::{RunId, Sequence, Timestamp};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Params, Result, Row};

use super::readers::{bound, number};
use crate::{
    Entry, Position,
    sql::{self, Statement},
};

/// A run's entries, or the first one that should be there and is not.
type Found = std::result::Result<Vec<Entry>, Sequence>;

/// A place in a run and among all runs.
type Place = (Sequence, Position);

/// Returns a run's entries behind a place, `limit` at most.
pub fn follow(connection: &Connection, run: &RunId, after: Sequence, limit: usize) -> Result<Found> {
    // All that follows is one state, and the file is locked once.
    let _transaction = connection.unchecked_transaction()?;
    let mut find = connection.prepare_cached(sql::RUN_ID.sqlite())?;
    let Some(id) = find.query_row([run.as_str()], |row| row.get::<_, i64>(0)).optional()? else {
        return Ok(Ok(Vec::new()));
    };
    let last = Sequence(after.0.saturating_add(limit as u64));
    let Some((mut sequence, mut position)) = place_from(connection, id, last)? else {
        return Ok(Ok(Vec::new()));
    };
    let mut at = connection.prepare_cached(sql::ENTRY_AT.sqlite())?;
    let mut entries = Vec::new();
    while sequence > after {
        let is_wanted = sequence <= last;
        let found = link(&mut at, id, (sequence, position), is_wanted.then_some(run))?;
        let Some(Link { previous, entry }) = found else { return Ok(Err(sequence)) };
        entries.extend(entry);
        (sequence, position) = (Sequence(sequence.0 - 1), previous);
    }
    entries.reverse();
    Ok(Ok(entries))
}

/// One entry, and the way to the one before it.
struct Link {
    previous: Position,
    entry: Option<Entry>,
}

/// Reads what stands at a place, and the whole entry where the run's name for it is given; nothing where something else
/// stands there.
fn link(
    at: &mut CachedStatement<'_>,
    id: i64,
    (sequence, position): Place,
    run: Option<&RunId>,
) -> Result<Option<Link>> {
    let read = |row: &Row<'_>| {
        if (row.get::<_, i64>(0)?, number(row, 1)?) != (id, sequence.0) {
            return Ok(None);
        }
        let entry = run.map(|run| to_entry(row, run, (sequence, position))).transpose()?;
        Ok(Some(Link { previous: Position(number(row, 2)?), entry }))
    };
    at.query_row([bound(position.0)], read).optional().map(Option::flatten)
}

fn to_entry(row: &Row<'_>, run: &RunId, (sequence, position): Place) -> Result<Entry> {
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

/// Returns the nearest place of a run that is known and not before a sequence; its last one where there is none.
fn place_from(connection: &Connection, id: i64, sequence: Sequence) -> Result<Option<Place>> {
    if let Some(place) = place(connection, &sql::PLACE_FROM, [id, bound(sequence.0)])? {
        return Ok(Some(place));
    }
    match place(connection, &sql::RUN_UNPLACED, [id])? {
        Some(place) => Ok(Some(place)),
        None => place(connection, &sql::RUN_PLACE, [id]),
    }
}

fn place(connection: &Connection, statement: &Statement, parameters: impl Params) -> Result<Option<Place>> {
    let read = |row: &Row<'_>| Ok((Sequence(number(row, 0)?), Position(number(row, 1)?)));
    connection.prepare_cached(statement.sqlite())?.query_row(parameters, read).optional()
}
