//! The SQL views for users' own tools, over rows of every kind.

use std::{collections::BTreeMap, fs, path::Path};

use domain::{ActionUpdate, RecordedEvent, RunId, Sequence};
use rusqlite::{Connection, types::ValueRef};
use store::{Entry, LOG_FILE, Log, NewEntry, Row, RowChange, StoreError};
use tempfile::tempdir;
use views::Views;

use crate::sample::{ALL, open_log, run_id};

/// Views and their columns; columns may be added, never removed.
const COLUMNS: [(&str, &str); 8] = [
    (
        "user_questions",
        "id, agent_id, office_id, question_type, question, options, status, response, expires_at, created_at",
    ),
    ("agent_invocations", "id, office_id, caller_agent_id, callee_agent_id, reason, context, status"),
    (
        "agent_results",
        "id, office_id, from_agent_id, to_agent_id, result_type, content_type, content, status",
    ),
    ("office_agents", "id, office_id, name, role"),
    ("direct_channels", "id, session_a, session_b, status, created_at"),
    (
        "direct_messages",
        "id, channel_id, from_session, to_session, message_type, payload, delivered_at, created_at",
    ),
    (
        "escalations",
        "id, session_id, port_id, type, severity, title, description, context, suggested_actions, resolved_by, \
         resolved_at, created_at",
    ),
    ("sessions", "id, parent_id, depth, role, agent_id, status, park, port_id, started_at, ended_at"),
];

/// Change of the entry, and the expected error.
type RejectionCase = (&'static str, fn(&mut Entry), &'static str);

fn golden() -> Vec<RecordedEvent> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../views/tests/golden/log-1.jsonl");
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn entries(log: &[RecordedEvent]) -> Vec<NewEntry> {
    log.iter().map(|recorded| NewEntry::from_event(recorded).unwrap()).collect()
}

/// Folds the run from its first event, and saves the changes that its rows do not include yet.
fn save_rows(log: &dyn Log, run: &RunId) -> Sequence {
    let saved = log.rows_sequence(run).unwrap();
    let mut views = Views::new(run.clone());
    let mut changes = Vec::new();
    for entry in log.read(run, Sequence(0), ALL).unwrap() {
        let of_event = views.apply(&entry.to_recorded_event().unwrap(), &ActionUpdate::default());
        if entry.sequence > saved {
            changes.extend(of_event.into_iter().map(|change| to_row_change(change, entry.sequence)));
        }
    }
    log.save_rows(run, views.sequence(), changes).unwrap()
}

fn to_row_change(change: views::ViewChange, sequence: Sequence) -> RowChange {
    let (kind, key) = (change.kind.name().to_owned(), change.key);
    match change.row {
        Some(row) => RowChange::Put(Row { kind, key, json: row.to_json(), sequence }),
        None => RowChange::Delete { kind, key },
    }
}

/// Returns the rows of a view, one per line.
fn query_view(path: &Path, columns: &str, view: &str) -> Vec<String> {
    let connection = Connection::open(path).unwrap();
    let mut select =
        connection.prepare(&format!("SELECT {columns} FROM {view} ORDER BY run_id, id")).unwrap();
    let n_columns = select.column_count();
    let line = |row: &rusqlite::Row<'_>| {
        let text = |column| match row.get_ref(column).unwrap() {
            ValueRef::Null => "-".to_owned(),
            ValueRef::Integer(number) => number.to_string(),
            ValueRef::Real(number) => number.to_string(),
            ValueRef::Text(text) => String::from_utf8(text.to_vec()).unwrap().replace('\n', "⏎"),
            ValueRef::Blob(_) => panic!("a view gives no bytes"),
        };
        Ok((0..n_columns).map(text).collect::<Vec<_>>().join(" | "))
    };
    select.query_map([], line).unwrap().collect::<Result<_, _>>().unwrap()
}

/// Records the golden log in a directory and saves its rows.
fn record_golden_log(directory: &Path) {
    let log = open_log(directory);
    let golden = golden();
    let r1 = run_id("r1");
    log.append(&r1, Sequence(0), entries(&golden)).unwrap();
    assert_eq!(save_rows(&log, &r1), Sequence(golden.len() as u64));
}

/// Queries every view.
fn query_all_views(directory: &Path) -> String {
    let path = directory.join(LOG_FILE);
    let of = |(view, columns): &(&str, &str)| {
        format!("{view}\n  {columns}\n  {}\n", query_view(&path, columns, view).join("\n  "))
    };
    COLUMNS.iter().map(of).collect()
}

#[test]
fn views_show_the_rows() {
    let directory = tempdir().unwrap();
    record_golden_log(directory.path());
    insta::assert_snapshot!(query_all_views(directory.path()));
}

#[test]
fn views_of_migrated_files_show_the_same_rows() {
    let fresh = tempdir().unwrap();
    record_golden_log(fresh.path());
    for version in 1..store::SCHEMA_VERSION {
        let directory = tempdir().unwrap();
        let golden =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/schema-{version}.sqlite3"));
        fs::copy(golden, directory.path().join(LOG_FILE)).unwrap();
        record_golden_log(directory.path());
        assert_eq!(query_all_views(directory.path()), query_all_views(fresh.path()), "schema {version}");
    }
}

#[test]
fn saving_rows_repeatedly_gives_the_fold() {
    let directory = tempdir().unwrap();
    let log = open_log(directory.path());
    let (golden, r1) = (golden(), run_id("r1"));
    for part in entries(&golden).chunks(37) {
        let at = log.runs().unwrap().first().map_or(Sequence(0), |head| head.sequence);
        log.append(&r1, at, part.to_vec()).unwrap();
        save_rows(&log, &r1);
    }
    let mut views = Views::new(r1.clone());
    for recorded in &golden {
        views.apply(recorded, &ActionUpdate::default());
    }
    let expected: BTreeMap<_, _> =
        views.all_rows().map(|row| ((row.kind().name().to_owned(), row.key()), row.to_json())).collect();
    let saved: BTreeMap<_, _> =
        log.rows(&r1).unwrap().into_iter().map(|row| ((row.kind, row.key), row.json)).collect();
    assert_eq!(saved, expected);
}

#[test]
fn an_event_is_read_as_it_was_recorded() {
    let directory = tempdir().unwrap();
    let log = open_log(directory.path());
    let golden = golden();
    log.append(&run_id("r1"), Sequence(0), entries(&golden)).unwrap();
    let read: Vec<_> = log.read(&run_id("r1"), Sequence(0), 1000).unwrap();
    let read: Vec<_> = read.iter().map(|entry| entry.to_recorded_event().unwrap()).collect();
    assert_eq!(read, golden);
}

#[test]
fn entries_of_newer_versions_are_rejected() {
    let directory = tempdir().unwrap();
    let log = open_log(directory.path());
    let recorded = &golden()[0];
    log.append(&run_id("r1"), Sequence(0), vec![NewEntry::from_event(recorded).unwrap()]).unwrap();
    let entry = log.read(&run_id("r1"), Sequence(0), 1).unwrap().remove(0);
    let cases: [RejectionCase; 5] = [
        (
            "type",
            |entry| entry.kind = "TaskDreamt".to_owned(),
            "entry 1 of run r1 has the unknown type TaskDreamt",
        ),
        (
            "version",
            |entry| entry.version = 2,
            "entry 1 of run r1 is a RunStarted of version 2; this version supports up to 1",
        ),
        ("payload", |entry| entry.payload = "{".to_owned(), "entry 1 of run r1 is not a valid RunStarted"),
        ("actor", |entry| entry.actor = "alien".to_owned(), "entry 1 of run r1 is not a valid RunStarted"),
        ("name", |entry| entry.kind = "RunPaused".to_owned(), "entry 1 of run r1 is not a valid RunPaused"),
    ];
    for (name, change, expected) in cases {
        let mut entry = entry.clone();
        change(&mut entry);
        let refused: StoreError = entry.to_recorded_event().unwrap_err();
        assert_eq!(refused.to_string(), expected, "{name}");
    }
}
