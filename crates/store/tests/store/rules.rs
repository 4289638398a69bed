//! Rules of the log, one test each.

use domain::Sequence;
use rusqlite::Connection;
use store::{AppendResult, LOG_FILE, Log, NewEntry, Position, RowChange, StoreError};
use tempfile::tempdir;

use crate::sample::{
    ALL, append, assert_sample_entries, entries, entry, expected_rows, open_log, run_id, save_new_rows,
};

#[test]
fn an_append_returns_the_new_end_of_the_log() {
    let directory = tempdir().unwrap();
    let log = open_log(directory.path());
    let (a, b) = (run_id("a"), run_id("b"));
    append(&log, &a, 0, 3);
    let done = log.append(&b, Sequence(0), entries(&b, 0, 2)).unwrap();
    assert_eq!(done, AppendResult { sequence: Sequence(2), position: Position(5) });
    let nothing = log.append(&a, Sequence(3), Vec::new()).unwrap();
    assert_eq!(nothing, AppendResult { sequence: Sequence(3), position: Position(5) });
}

#[test]
fn an_append_with_a_wrong_sequence_is_rejected_and_writes_nothing() {
    let directory = tempdir().unwrap();
    let log = open_log(directory.path());
    let a = run_id("a");
    append(&log, &a, 0, 2);
    for expected in [0, 1, 3] {
        let refused = log.append(&a, Sequence(expected), vec![entry(&a, 9)]).unwrap_err();
        let StoreError::Conflict { run, expected: said, actual } = refused else { panic!("{refused}") };
        assert_eq!((run, said, actual), (a.clone(), Sequence(expected), Sequence(2)));
    }
    let unknown = log.append(&run_id("b"), Sequence(1), vec![entry(&a, 1)]).unwrap_err();
    assert!(matches!(unknown, StoreError::Conflict { actual: Sequence(0), .. }));
    assert_sample_entries(&log, &a, 2);
    assert_eq!(log.runs().unwrap().len(), 1);
}

#[test]
fn reads_are_limited_and_start_after_a_sequence() {
    let directory = tempdir().unwrap();
    let log = open_log(directory.path());
    let (a, b) = (run_id("a"), run_id("b"));
    append(&log, &a, 0, 4);
    append(&log, &b, 0, 4);
    let places = |found: Vec<store::Entry>| found.iter().map(|entry| entry.sequence.0).collect::<Vec<_>>();
    assert_eq!(places(log.read(&b, Sequence(1), 2).unwrap()), [2, 3]);
    assert_eq!(places(log.read(&b, Sequence(4), 2).unwrap()), [0; 0]);
    assert_eq!(places(log.read(&b, Sequence(u64::MAX), 2).unwrap()), [0; 0]);
    assert_eq!(places(log.read(&run_id("c"), Sequence(0), 2).unwrap()), [0; 0]);
    assert_eq!(places(log.read_all(Position(3), 3).unwrap()), [4, 1, 2]);
    assert_eq!(log.runs().unwrap().iter().map(|head| head.sequence.0).collect::<Vec<_>>(), [4, 4]);
}

#[test]
fn too_large_writes_are_rejected() {
    let directory = tempdir().unwrap();
    let log = open_log(directory.path());
    let a = run_id("a");
    let large = NewEntry { payload: "x".repeat(65 << 20), ..entry(&a, 1) };
    let refused = log.append(&a, Sequence(0), vec![large]).unwrap_err();
    assert!(matches!(refused, StoreError::TooLarge { .. }), "{refused}");
    append(&log, &a, 0, 1);
}

#[test]
fn rows_never_run_ahead_of_the_log() {
    let directory = tempdir().unwrap();
    let log = open_log(directory.path());
    let a = run_id("a");
    append(&log, &a, 0, 2);
    let refused = log.save_rows(&a, Sequence(3), Vec::new()).unwrap_err();
    assert!(matches!(refused, StoreError::AheadOfLog { actual: Sequence(2), .. }), "{refused}");
    let refused = log.save_rows(&run_id("b"), Sequence(1), Vec::new()).unwrap_err();
    assert!(matches!(refused, StoreError::AheadOfLog { actual: Sequence(0), .. }), "{refused}");
    assert_eq!(log.rows_sequence(&a).unwrap(), Sequence(0));
}

#[test]
fn rebuilt_rows_are_the_same() {
    let directory = tempdir().unwrap();
    let mut log = open_log(directory.path());
    let (a, b) = (run_id("a"), run_id("b"));
    append(&log, &a, 0, 60);
    append(&log, &b, 0, 5);
    assert_eq!(save_new_rows(&log, &a), Sequence(60));
    append(&log, &a, 60, 17);
    assert_eq!(save_new_rows(&log, &a), Sequence(77));
    save_new_rows(&log, &b);
    let rows = log.rows(&a).unwrap();
    assert_eq!(rows, expected_rows(&log, &a));
    drop(log);
    let file = Connection::open(directory.path().join(LOG_FILE)).unwrap();
    file.execute_batch(
        "DELETE FROM row WHERE run = (SELECT id FROM run WHERE name = 'a');
         UPDATE run SET rows_sequence = 0 WHERE name = 'a'",
    )
    .unwrap();
    drop(file);
    log = open_log(directory.path());
    assert_eq!((log.rows(&a).unwrap().len(), log.rows_sequence(&a).unwrap()), (0, Sequence(0)));
    save_new_rows(&log, &a);
    assert_eq!(log.rows(&a).unwrap(), rows);
    assert_eq!(log.rows(&b).unwrap(), expected_rows(&log, &b));
}

#[test]
fn rows_saved_twice_are_saved_once() {
    let directory = tempdir().unwrap();
    let log = open_log(directory.path());
    let a = run_id("a");
    append(&log, &a, 0, 6);
    save_new_rows(&log, &a);
    let rows = log.rows(&a).unwrap();
    let late = RowChange::Delete { kind: "task".to_owned(), key: "T1".to_owned() };
    assert_eq!(log.save_rows(&a, Sequence(4), vec![late]).unwrap(), Sequence(6));
    assert_eq!(log.rows(&a).unwrap(), rows);
}

#[test]
fn concurrent_writers_get_distinct_positions() {
    let directory = tempdir().unwrap();
    let log = open_log(directory.path());
    std::thread::scope(|scope| {
        for n in 0..16 {
            let (log, own) = (&log, run_id(&format!("r{n}")));
            scope.spawn(move || (0..5).for_each(|after| append(log, &own, after, 1)));
        }
    });
    (0..16).for_each(|n| assert_sample_entries(&log, &run_id(&format!("r{n}")), 5));
    assert_eq!(log.read_all(Position(0), ALL).unwrap().len(), 80);
}

#[test]
fn a_run_is_complete_with_indexed_and_unindexed_entries() {
    let directory = tempdir().unwrap();
    let mut log = open_log(directory.path());
    let (a, b) = (run_id("a"), run_id("b"));
    // The index is written after 2,048 entries: both runs have indexed and unindexed entries.
    for round in 0..9 {
        append(&log, &a, round * 300, 300);
        append(&log, &b, round * 7, 7);
        assert_sample_entries(&log, &a, round * 300 + 300);
        assert_sample_entries(&log, &b, round * 7 + 7);
        drop(log);
        log = open_log(directory.path());
        let heads: Vec<u64> = log.runs().unwrap().iter().map(|head| head.sequence.0).collect();
        assert_eq!(heads, [round * 300 + 300, round * 7 + 7]);
    }
    for (after, limit) in [(0, 2_700), (1_990, 20), (1_999, 1), (2_100, 600)] {
        let found = log.read(&a, Sequence(after), limit).unwrap();
        assert!((after + 1..).take(limit).eq(found.iter().map(|entry| entry.sequence.0)));
    }
}

#[test]
fn an_interleaved_run_is_readable_from_any_sequence() {
    let directory = tempdir().unwrap();
    let log = open_log(directory.path());
    let names: Vec<_> = (0..7).map(|n| run_id(&format!("r{n}"))).collect();
    for round in 0..150 {
        names.iter().for_each(|run| append(&log, run, round * 4, 4));
    }
    for after in (0..610).step_by(13) {
        for limit in [0, 1, 5, 255, 256, 257, ALL] {
            let found = log.read(&names[3], Sequence(after), limit).unwrap();
            assert!((after + 1..=600).take(limit).eq(found.iter().map(|entry| entry.sequence.0)));
        }
    }
    names.iter().for_each(|run| assert_sample_entries(&log, run, 600));
}

#[test]
fn runs_beyond_the_cache_are_still_known() {
    const N_RUNS: u64 = 6_000;
    let directory = tempdir().unwrap();
    let (sender, answers) = std::sync::mpsc::channel();
    for round in 0..2 {
        let log = open_log(directory.path());
        for n in 0..N_RUNS {
            let (run, sender) = (run_id(&format!("r{n}")), sender.clone());
            let then = Box::new(move |result| sender.send(result).unwrap());
            log.append_with_callback(&run, Sequence(round), entries(&run, round, 1), then);
        }
        assert!(answers.iter().take(N_RUNS as usize).all(|answer| answer.is_ok()));
    }
    let log = open_log(directory.path());
    let heads = log.runs().unwrap();
    assert_eq!(heads.len() as u64, N_RUNS);
    heads.iter().for_each(|head| assert_sample_entries(&log, &head.run, 2));
}
