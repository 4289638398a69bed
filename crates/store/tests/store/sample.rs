//! Entries and rows whose content depends on their position, so that each can be checked alone.

use std::path::Path;

use domain::{RunId, Sequence, Timestamp};
use store::{Entry, Log, NewEntry, Position, Row, RowChange, SqliteLog};

/// More than any test writes.
pub(crate) const ALL: usize = 1 << 20;

pub(crate) fn open_log(directory: &Path) -> SqliteLog {
    SqliteLog::open(directory).unwrap()
}

pub(crate) fn run_id(name: &str) -> RunId {
    name.parse().unwrap()
}

/// Creates the entry of a sequence.
pub(crate) fn entry(run: &RunId, sequence: u64) -> NewEntry {
    let text = "장단 ".repeat((sequence % 40) as usize);
    NewEntry {
        at: Timestamp(1_700_000_000_000 + sequence as i64),
        actor: format!("agent {}", sequence % 5),
        kind: "TaskStarted".to_owned(),
        version: 1 + (sequence % 2) as u32,
        payload: format!(r#"{{"run":"{run}","n":{sequence},"text":"{text}"}}"#),
    }
}

/// Creates the entries after a sequence.
pub(crate) fn entries(run: &RunId, after: u64, n: u64) -> Vec<NewEntry> {
    (after + 1..=after + n).map(|sequence| entry(run, sequence)).collect()
}

/// Appends the entries after a sequence.
pub(crate) fn append(log: &dyn Log, run: &RunId, after: u64, n: u64) {
    let done = log.append(run, Sequence(after), entries(run, after, n)).unwrap();
    assert_eq!(done.sequence, Sequence(after + n));
}

/// Asserts that a run has exactly `n` entries with the expected content.
pub(crate) fn assert_sample_entries(log: &dyn Log, run: &RunId, n: u64) {
    let found = log.read(run, Sequence(0), ALL).unwrap();
    assert_eq!(found.len() as u64, n, "entries of {run}");
    for (sequence, found) in (1..).zip(found) {
        let Entry { run: own, sequence: place, position: _, at, actor, kind, version, payload } = found;
        assert_eq!((own, place), (run.clone(), Sequence(sequence)));
        assert_eq!(NewEntry { at, actor, kind, version, payload }, entry(run, sequence));
    }
}

/// Reads pages after a position until a page is empty.
pub(crate) fn read_pages(log: &dyn Log, mut after: Position, page_entries: usize) -> Vec<Entry> {
    let mut all = Vec::new();
    loop {
        let page = log.read_all(after, page_entries).unwrap();
        let Some(last) = page.last() else { return all };
        after = last.position;
        all.extend(page);
    }
}

/// Returns the row changes of an entry: most put a row, every eleventh deletes one.
pub(crate) fn row_changes(entry: &Entry) -> Vec<RowChange> {
    let (kind, key) = ("task".to_owned(), format!("T{}", entry.sequence.0 % 7));
    match entry.sequence.0 % 11 {
        0 => vec![RowChange::Delete { kind, key }],
        _ => vec![RowChange::Put(Row { kind, key, json: entry.payload.clone(), sequence: entry.sequence })],
    }
}

/// Folds the log of a run into the expected rows.
pub(crate) fn expected_rows(log: &dyn Log, run: &RunId) -> Vec<Row> {
    let mut rows = std::collections::BTreeMap::new();
    for change in log.read(run, Sequence(0), ALL).unwrap().iter().flat_map(row_changes) {
        match change {
            RowChange::Put(row) => rows.insert((row.kind.clone(), row.key.clone()), row),
            RowChange::Delete { kind, key } => rows.remove(&(kind, key)),
        };
    }
    rows.into_values().collect()
}

/// Saves the rows of new entries, and returns the sequence of the rows.
pub(crate) fn save_new_rows(log: &dyn Log, run: &RunId) -> Sequence {
    let saved = log.rows_sequence(run).unwrap();
    let entries = log.read(run, saved, ALL).unwrap();
    let Some(last) = entries.last() else { return saved };
    log.save_rows(run, last.sequence, entries.iter().flat_map(row_changes).collect()).unwrap()
}
