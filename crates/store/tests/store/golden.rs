//! A file of every released schema is migrated and keeps its content.
//!
//! `JANGDAN_GOLDEN=write` writes the file of the newest schema if it is missing; existing files never change.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use domain::Sequence;
use rusqlite::Connection;
use store::{LOG_FILE, Log, SCHEMA_VERSION};
use tempfile::tempdir;

use crate::sample::{append, assert_whole, catch_up, fold, open, run};

const N_ENTRIES: u64 = 25;
/// The oldest schema whose rows are kept.
const ROWS_SINCE_VERSION: u32 = 4;

#[test]
fn a_file_of_every_schema_is_migrated_to_the_newest() {
    let fresh = tempdir().unwrap();
    drop(open(fresh.path()));
    for version in 1..=SCHEMA_VERSION {
        let golden = golden(version);
        if version == SCHEMA_VERSION && !golden.exists() && env::var_os("JANGDAN_GOLDEN").is_some() {
            write(&golden);
        }
        let directory = tempdir().unwrap();
        let path = directory.path().join(LOG_FILE);
        fs::copy(&golden, &path).unwrap_or_else(|error| panic!("{}: {error}", golden.display()));
        check(directory.path(), version >= ROWS_SINCE_VERSION);
        assert_eq!(schema(&path), schema(&fresh.path().join(LOG_FILE)), "schema {version}, migrated");
    }
}

#[test]
fn a_file_is_marked_as_ours() {
    let directory = tempdir().unwrap();
    drop(open(directory.path()));
    let connection = Connection::open(directory.path().join(LOG_FILE)).unwrap();
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(number("application_id"), i64::from(u32::from_be_bytes(*b"JDAN")));
    assert_eq!(number("user_version"), i64::from(SCHEMA_VERSION));
}

fn golden(version: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/schema-{version}.sqlite3"))
}

/// Writes a log with all kinds of content.
fn write(golden: &Path) {
    let directory = tempdir().unwrap();
    let log = open(directory.path());
    for run in [run("a"), run("b")] {
        append(&log, &run, 0, N_ENTRIES);
        catch_up(&log, &run);
    }
    drop(log);
    fs::copy(directory.path().join(LOG_FILE), golden).unwrap();
}

/// Asserts that a log has the content of `write` and is writable. The migration deletes rows of an older format; they
/// are rebuilt from the entries.
fn check(directory: &Path, has_rows: bool) {
    let log = open(directory);
    for run in [run("a"), run("b")] {
        assert_whole(&log, &run, N_ENTRIES);
        let saved = if has_rows { Sequence(N_ENTRIES) } else { Sequence(0) };
        assert_eq!(log.rows_position(&run).unwrap(), saved);
        catch_up(&log, &run);
        assert_eq!(log.rows_position(&run).unwrap(), Sequence(N_ENTRIES));
        assert_eq!(log.rows(&run).unwrap(), fold(&log, &run));
        append(&log, &run, N_ENTRIES, 1);
    }
}

/// Returns the SQL of every table, index and view.
fn schema(path: &Path) -> Vec<String> {
    let connection = Connection::open(path).unwrap();
    let mut list = connection
        .prepare("SELECT type || ' ' || name || ': ' || coalesce(sql, '') FROM sqlite_schema ORDER BY 1")
        .unwrap();
    list.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}
