//! Reading the log of all runs page by page, also while it is written.

use store::{Log, Position};
use tempfile::tempdir;

use crate::sample::{ALL, append, open_log, read_pages, run_id};

#[test]
fn pages_continue_with_entries_recorded_after_the_last_page() {
    let directory = tempdir().unwrap();
    let log = open_log(directory.path());
    let (a, b) = (run_id("a"), run_id("b"));
    append(&log, &a, 0, 1300);
    assert_eq!(read_pages(&log, Position(10), 500), log.read_all(Position(10), ALL).unwrap());
    append(&log, &b, 0, 2);
    append(&log, &a, 1300, 1);
    let later = read_pages(&log, Position(1300), 500);
    assert!((1301..=1303).eq(later.iter().map(|entry| entry.position.0)));
}

#[test]
fn readers_miss_and_repeat_nothing_while_several_threads_append() {
    let directory = tempdir().unwrap();
    let log = open_log(directory.path());
    std::thread::scope(|scope| {
        for n in 0..4 {
            let (log, own) = (&log, run_id(&format!("r{n}")));
            scope.spawn(move || (0..50).for_each(|after| append(log, &own, after, 1)));
        }
        for _ in 0..4 {
            let log = &log;
            scope.spawn(move || {
                let mut taken = Vec::new();
                while taken.len() < 200 {
                    taken.extend(read_pages(log, Position(taken.len() as u64), 7));
                }
                assert!((1..=200).eq(taken.iter().map(|entry| entry.position.0)));
            });
        }
    });
}

#[test]
fn a_position_beyond_the_end_gives_nothing_until_the_log_has_passed_it() {
    let directory = tempdir().unwrap();
    let log = open_log(directory.path());
    assert_eq!(log.read_all(Position(2), ALL).unwrap(), []);
    (0..3).for_each(|after| append(&log, &run_id("a"), after, 1));
    let found = log.read_all(Position(2), ALL).unwrap();
    assert!(found.iter().map(|entry| entry.position.0).eq([3]));
}
