//! Following the log: everything once, in order, whoever is slow.

use std::time::Duration;

use domain::Sequence;
use store::{Entry, Log, NewEntry, Position, StoreError, Subscription};
use tempfile::tempdir;

use crate::sample::{ALL, append, entry, open, run};

/// Long enough that only a log that hangs reaches it.
const PATIENCE: Duration = Duration::from_secs(60);

/// Takes entries until there are so many.
fn take(subscription: &mut dyn Subscription, n: usize) -> Vec<Entry> {
    let mut taken = Vec::new();
    while taken.len() < n {
        let next = subscription.next(PATIENCE).unwrap();
        assert!(!next.is_empty(), "nothing came for a minute");
        taken.extend(next);
    }
    taken
}

#[test]
fn what_exists_comes_first_and_then_what_is_recorded() {
    let directory = tempdir().unwrap();
    let log = open(directory.path());
    let (a, b) = (run("a"), run("b"));
    append(&log, &a, 0, 1300);
    let mut subscription = log.subscribe(Position(10)).unwrap();
    assert_eq!(take(&mut *subscription, 1290), log.read_all(Position(10), ALL).unwrap());
    append(&log, &b, 0, 2);
    append(&log, &a, 1300, 1);
    assert_eq!(take(&mut *subscription, 3), log.read_all(Position(1300), ALL).unwrap());
    assert_eq!(subscription.position(), Position(1303));
    assert!(subscription.next(Duration::ZERO).unwrap().is_empty());
}

#[test]
fn nothing_is_missed_or_doubled_while_others_write() {
    let directory = tempdir().unwrap();
    let log = open(directory.path());
    let n_followers = 4;
    std::thread::scope(|scope| {
        for n in 0..4 {
            let (log, own) = (&log, run(&format!("r{n}")));
            scope.spawn(move || (0..50).for_each(|after| append(log, &own, after, 1)));
        }
        for _ in 0..n_followers {
            let log = &log;
            scope.spawn(move || {
                let taken = take(&mut *log.subscribe(Position(0)).unwrap(), 200);
                assert!((1..=200).eq(taken.iter().map(|entry| entry.position.0)));
            });
        }
    });
}

#[test]
fn a_place_that_the_log_has_not_reached_can_be_waited_for() {
    let directory = tempdir().unwrap();
    let log = open(directory.path());
    let a = run("a");
    let mut subscription = log.subscribe(Position(2)).unwrap();
    assert!(subscription.next(Duration::ZERO).unwrap().is_empty());
    (0..3).for_each(|after| append(&log, &a, after, 1));
    let mut taken = Vec::new();
    while taken.is_empty() {
        taken = subscription.next(PATIENCE).unwrap();
    }
    assert_eq!(taken, log.read_all(Position(2), ALL).unwrap());
}

#[test]
fn a_slow_subscriber_is_cut_off_and_can_resume() {
    let directory = tempdir().unwrap();
    let log = open(directory.path());
    let a = run("a");
    let mut subscription = log.subscribe(Position(0)).unwrap();
    assert!(subscription.next(Duration::ZERO).unwrap().is_empty());
    for sequence in 1..=10 {
        let large = NewEntry { payload: "x".repeat(2 << 20), ..entry(&a, sequence) };
        log.append(&a, Sequence(sequence - 1), vec![large]).unwrap();
    }
    let resume_after = loop {
        match subscription.next(PATIENCE) {
            Ok(_) => {}
            Err(StoreError::TooSlow { resume_after }) => break resume_after,
            Err(other) => panic!("{other}"),
        }
    };
    assert_eq!(resume_after, subscription.position());
    assert!(resume_after > Position(0) && resume_after < Position(10));
    let rest = take(&mut *log.subscribe(resume_after).unwrap(), 10 - resume_after.0 as usize);
    assert!((resume_after.0 + 1..=10).eq(rest.iter().map(|entry| entry.position.0)));
}

#[test]
fn a_store_that_ends_tells_its_subscribers() {
    let directory = tempdir().unwrap();
    let log = open(directory.path());
    let mut listening = log.subscribe(Position(0)).unwrap();
    assert!(listening.next(Duration::ZERO).unwrap().is_empty());
    let mut reading = log.subscribe(Position(0)).unwrap();
    drop(log);
    assert!(matches!(listening.next(PATIENCE), Err(StoreError::Stopped)));
    assert!(reading.next(PATIENCE).is_err());
}
