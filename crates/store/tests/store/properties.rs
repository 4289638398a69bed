//! Properties of every interleaving.

use std::collections::BTreeMap;

use domain::Sequence;
use proptest::{collection::vec, prelude::*, sample::Index};
use store::{Log, Position, StoreError};
use tempfile::{TempDir, tempdir, tempdir_in};

use crate::sample::{ALL, append, assert_sample_entries, entries, open_log, read_pages, run_id};

/// One append: a run, the number of entries, and an error in the expected sequence.
#[derive(Debug, Clone)]
struct AppendCase {
    run: u8,
    n_entries: u64,
    mistaken_by: Option<u64>,
}

fn append_cases() -> impl Strategy<Value = Vec<AppendCase>> {
    let append_case = (0..4u8, 1..5u64, prop::option::weighted(0.2, 1..4u64));
    vec(
        append_case.prop_map(|(run, n_entries, mistaken_by)| AppendCase { run, n_entries, mistaken_by }),
        1..30,
    )
}

/// Uses a directory in memory if possible: the disk would only slow these tests down.
fn directory() -> TempDir {
    tempdir_in("/dev/shm").or_else(|_| tempdir()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn sequences_have_no_gaps_conflicts_never_write_and_reopening_changes_nothing(append_cases in append_cases()) {
        let directory = directory();
        let log = open_log(directory.path());
        let mut heads = BTreeMap::<u8, u64>::new();
        let mut order = Vec::new();
        for AppendCase { run: number, n_entries, mistaken_by } in append_cases {
            let (id, head) = (run_id(&format!("r{number}")), heads.entry(number).or_default());
            match mistaken_by {
                None => {
                    append(&log, &id, *head, n_entries);
                    order.extend((*head + 1..=*head + n_entries).map(|sequence| (id.clone(), sequence)));
                    *head += n_entries;
                }
                Some(by) => {
                    let refused = log.append(&id, Sequence(*head + by), entries(&id, *head, n_entries));
                    let is_conflict = matches!(
                        refused, Err(StoreError::Conflict { actual, .. }) if actual == Sequence(*head)
                    );
                    prop_assert!(is_conflict);
                }
            }
        }
        let all = log.read_all(Position(0), ALL).unwrap();
        let found: Vec<_> = all.iter().map(|entry| (entry.run.clone(), entry.sequence.0)).collect();
        prop_assert_eq!(found, order);
        prop_assert!((1..).zip(&all).all(|(position, entry)| entry.position.0 == position));

        let runs = log.runs().unwrap();
        drop(log);
        let log = open_log(directory.path());
        prop_assert_eq!(log.read_all(Position(0), ALL).unwrap(), all);
        prop_assert_eq!(log.runs().unwrap(), runs);
        for (number, head) in heads {
            assert_sample_entries(&log, &run_id(&format!("r{number}")), head);
        }
    }

    #[test]
    fn pages_read_between_appends_are_one_read_from_the_same_position(
        before in 0..700u64, later in vec(1..4u64, 0..6), place: Index, page_entries in 1..600usize,
    ) {
        let directory = directory();
        let log = open_log(directory.path());
        let id = run_id("a");
        append(&log, &id, 0, before);
        let n_all = before + later.iter().sum::<u64>();
        let after = Position(place.index(n_all as usize + 1) as u64);
        let mut taken = Vec::new();
        let mut head = before;
        for n in later.into_iter().chain([0]) {
            taken.extend(read_pages(&log, Position(after.0 + taken.len() as u64), page_entries));
            append(&log, &id, head, n);
            head += n;
        }
        prop_assert_eq!(taken.len() as u64, n_all - after.0);
        prop_assert_eq!(taken, log.read_all(after, ALL).unwrap());
    }
}
