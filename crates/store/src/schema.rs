//! Versions of the schema, and the migrations between them.
//!
//! Migrations only go forward. All missing ones run in one transaction: a file has an old schema or the new one, never
//! a mixture.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::StoreError;

/// In order; the index of a file plus one is its version.
const MIGRATIONS: [&str; 4] = [
    include_str!("schema/0001_log.sql"),
    include_str!("schema/0002_chain.sql"),
    include_str!("schema/0003_views.sql"),
    include_str!("schema/0004_new_rows.sql"),
];

/// The version that this program reads and writes.
pub const SCHEMA_VERSION: u32 = MIGRATIONS.len() as u32;

/// Marks a file as a log of Jangdan: the letters `JDAN`.
const APPLICATION_ID: i32 = 0x4a44_414e;

/// Migrates a file to the newest schema; an empty file gets all of it.
pub(crate) fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let failed = |error| StoreError::from_sqlite_error(path, error);
    if checked_version(connection, path)? == SCHEMA_VERSION {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    // Checked again under the lock.
    let found = checked_version(&transaction, path)?;
    for migration in MIGRATIONS.iter().skip(found as usize) {
        transaction.execute_batch(migration).map_err(failed)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION).map_err(failed)?;
    transaction.commit().map_err(failed)
}

/// Fails unless a file has the newest schema. Changes nothing.
pub(crate) fn expect_newest(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let found = checked_version(connection, path)?;
    if found == SCHEMA_VERSION {
        return Ok(());
    }
    Err(StoreError::OlderVersion { path: path.to_owned(), found, known: SCHEMA_VERSION })
}

/// Returns the version of a file, 0 if it is empty; rejects files of other programs and of newer versions.
fn checked_version(connection: &Connection, path: &Path) -> Result<u32, StoreError> {
    let failed = |error| StoreError::from_sqlite_error(path, error);
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let application_id = number("application_id").map_err(failed)?;
    let found = number("user_version").map_err(failed)?;
    if application_id != APPLICATION_ID {
        let count = connection
            .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))
            .map_err(failed)?;
        let is_empty = application_id == 0 && found == 0 && count == 0;
        return if is_empty { Ok(0) } else { Err(StoreError::Foreign { path: path.to_owned() }) };
    }
    match u32::try_from(found) {
        Ok(found) if found <= SCHEMA_VERSION => Ok(found),
        Ok(found) => Err(StoreError::NewerVersion { path: path.to_owned(), found, known: SCHEMA_VERSION }),
        Err(_) => Err(StoreError::Foreign { path: path.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of schema 1: three interleaved runs, the first 700 entries indexed.
    const SCHEMA_1_FILLED: &str = "
        INSERT INTO run (id, name) VALUES (1, 'a'), (2, 'b'), (3, 'c');
        WITH RECURSIVE n (position) AS (SELECT 1 UNION ALL SELECT position + 1 FROM n WHERE position < 1000)
        INSERT INTO entry SELECT position, 1 + position % 3, (position + 2) / 3, 0, 'actor', 'kind', 1, position FROM n;
        INSERT INTO place SELECT run, sequence, position FROM entry WHERE position <= 700;
        UPDATE placed SET position = 700;
        PRAGMA user_version = 1;";

    #[test]
    fn migration_from_schema_1_links_entries_to_their_predecessors() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(MIGRATIONS[0]).unwrap();
        connection.execute_batch(SCHEMA_1_FILLED).unwrap();
        connection.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        migrate(&mut connection, Path::new("memory")).unwrap();
        let count = |what: &str| connection.query_row(what, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(count("SELECT count(*) FROM entry WHERE previous = max(position - 3, 0)"), 1000);
        assert_eq!(count("SELECT count(*) FROM entry WHERE payload = CAST(position AS TEXT)"), 1000);
        assert_eq!(count("SELECT position FROM placed"), 1000);
        // The last entry of each run, and every 256th.
        assert_eq!(count("SELECT count(*) FROM place"), 6);
        assert_eq!(count("SELECT count(*) FROM place WHERE sequence = 256 OR position > 997"), 6);
    }
}
