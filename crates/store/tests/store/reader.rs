//! Reading while another process writes: needs no lock, and changes nothing.

use std::{fs, path::Path};

use domain::Sequence;
use store::{LOG_FILE, Log, Position, SCHEMA_VERSION, SqliteReader, StoreError};
use tempfile::tempdir;

use crate::sample::{ALL, append, open_log, run_id};

#[test]
fn a_reader_sees_entries_recorded_after_it_opened() {
    let directory = tempdir().unwrap();
    let log = open_log(directory.path());
    let a = run_id("a");
    append(&log, &a, 0, 700);
    let reader = SqliteReader::open(directory.path()).unwrap();
    assert_eq!(reader.read(&a, Sequence(0), ALL).unwrap(), log.read(&a, Sequence(0), ALL).unwrap());
    assert_eq!(reader.runs().unwrap(), log.runs().unwrap());
    let mut taken = reader.read_all(Position(0), 500).unwrap();
    taken.extend(reader.read_all(Position(500), 500).unwrap());
    assert_eq!(reader.read_all(Position(700), 500).unwrap(), []);
    append(&log, &a, 700, 2);
    taken.extend(reader.read_all(Position(700), 500).unwrap());
    assert_eq!(taken, log.read_all(Position(0), ALL).unwrap());
    assert_eq!(taken.len(), 702);
}

#[test]
fn a_reader_needs_no_writer() {
    let directory = tempdir().unwrap();
    append(&open_log(directory.path()), &run_id("a"), 0, 3);
    let reader = SqliteReader::open(directory.path()).unwrap();
    assert_eq!(reader.read(&run_id("a"), Sequence(1), ALL).unwrap().len(), 2);
    // The reader does not exclude a writer.
    append(&open_log(directory.path()), &run_id("a"), 3, 1);
    assert_eq!(reader.read(&run_id("a"), Sequence(1), ALL).unwrap().len(), 3);
}

#[test]
fn unreadable_directories_are_named_in_the_error() {
    let directory = tempdir().unwrap();
    let missing = SqliteReader::open(&directory.path().join("nowhere")).unwrap_err();
    assert!(matches!(missing, StoreError::DirectoryMissing { .. }), "{missing}");
    let empty = SqliteReader::open(directory.path()).unwrap_err();
    assert!(matches!(empty, StoreError::LogMissing { .. }), "{empty}");
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/schema-1.sqlite3");
    fs::copy(golden, directory.path().join(LOG_FILE)).unwrap();
    let old = SqliteReader::open(directory.path()).unwrap_err();
    assert!(matches!(old, StoreError::OlderVersion { found: 1, known: SCHEMA_VERSION, .. }), "{old}");
}
