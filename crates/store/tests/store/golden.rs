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

use crate::sample::{append, assert_sample_entries, expected_rows, open_log, run_id, save_new_rows};

const N_ENTRIES: u64 = 25;
/// The oldest schema whose rows are kept.
const OLDEST_SCHEMA_WITH_ROWS: u32 = 4;

#[test]
fn a_file_of_every_schema_is_migrated_to_the_newest() {
    let fresh = tempdir().unwrap();
    drop(open_log(fresh.path()));
    for version in 1..=SCHEMA_VERSION {
        let golden = golden_path(version);
        if version == SCHEMA_VERSION && !golden.exists() && env::var_os("JANGDAN_GOLDEN").is_some() {
            write_golden(&golden);
        }
        let directory = tempdir().unwrap();
        let path = directory.path().join(LOG_FILE);
        fs::copy(&golden, &path).unwrap_or_else(|error| panic!("{}: {error}", golden.display()));
        assert_golden_content(directory.path(), version >= OLDEST_SCHEMA_WITH_ROWS);
        assert_eq!(schema_sql(&path), schema_sql(&fresh.path().join(LOG_FILE)), "schema {version}, migrated");
    }
}

#[test]
fn a_file_has_our_application_id_and_schema_version() {
    let directory = tempdir().unwrap();
    drop(open_log(directory.path()));
    let connection = Connection::open(directory.path().join(LOG_FILE)).unwrap();
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(number("application_id"), i64::from(u32::from_be_bytes(*b"JDAN")));
    assert_eq!(number("user_version"), i64::from(SCHEMA_VERSION));
}

fn golden_path(version: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/schema-{version}.sqlite3"))
}

/// Writes a log with all kinds of content.
fn write_golden(golden: &Path) {
    let directory = tempdir().unwrap();
    let log = open_log(directory.path());
    for run in [run_id("a"), run_id("b")] {
        append(&log, &run, 0, N_ENTRIES);
        save_new_rows(&log, &run);
    }
    drop(log);
    fs::copy(directory.path().join(LOG_FILE), golden).unwrap();
}

/// Asserts that a log has the content of `write` and is writable. The migration deletes rows of an older format; they
/// are rebuilt from the entries.
fn assert_golden_content(directory: &Path, has_rows: bool) {
    let log = open_log(directory);
    for run in [run_id("a"), run_id("b")] {
        assert_sample_entries(&log, &run, N_ENTRIES);
        let saved = if has_rows { Sequence(N_ENTRIES) } else { Sequence(0) };
        assert_eq!(log.rows_sequence(&run).unwrap(), saved);
        save_new_rows(&log, &run);
        assert_eq!(log.rows_sequence(&run).unwrap(), Sequence(N_ENTRIES));
        assert_eq!(log.rows(&run).unwrap(), expected_rows(&log, &run));
        append(&log, &run, N_ENTRIES, 1);
    }
}

/// Returns the SQL of every table, index and view.
fn schema_sql(path: &Path) -> Vec<String> {
    let connection = Connection::open(path).unwrap();
    let mut list = connection
        .prepare("SELECT type || ' ' || name || ': ' || coalesce(sql, '') FROM sqlite_schema ORDER BY 1")
        .unwrap();
    list.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}
