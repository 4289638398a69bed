//! The store is killed under load repeatedly, and no acknowledged entry is lost.
//!
//! The child is this test binary: it appends from several threads and writes each acknowledgement to a pipe.
//! `JANGDAN_CRASHES=1000` kills more often.

use std::{
    collections::BTreeMap,
    env,
    hash::{BuildHasher, RandomState},
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{ChildStderr, Command, Stdio},
    time::{Duration, Instant},
};

use domain::{RunId, Sequence};
use store::{Log, SqliteLog};
use tempfile::tempdir;

use crate::sample::{assert_sample_entries, entries, expected_rows, open_log, run_id, save_new_rows};

/// Directory of the log for the child; the child does nothing without it.
const DIRECTORY: &str = "JANGDAN_CRASH_DIRECTORY";
/// Number of kills.
const CRASHES: &str = "JANGDAN_CRASHES";
const CRASHES_DEFAULT: usize = 50;
/// Number of kills per log; the whole log is read after each.
const CRASHES_PER_LOG: usize = 25;
const N_RUNS: u64 = 4;
const ACKNOWLEDGED_MAX: u64 = 150;
const MICROSECONDS_MAX: u64 = 5_000;

#[test]
fn acknowledged_entries_survive_kills() {
    let crashes = env::var(CRASHES).ok().map_or(CRASHES_DEFAULT, |text| text.parse().unwrap());
    let mut left = crashes;
    while left > 0 {
        let directory = tempdir().unwrap();
        let mut acknowledged = BTreeMap::new();
        for _ in 0..left.min(CRASHES_PER_LOG) {
            run_and_kill_child(directory.path(), &mut acknowledged);
            assert_acknowledged_entries_exist(directory.path(), &mut acknowledged);
        }
        left -= left.min(CRASHES_PER_LOG);
    }
}

/// Not a test by itself: runs in the child until it is killed.
#[test]
fn append_until_killed() {
    let Some(directory) = env::var_os(DIRECTORY).map(PathBuf::from) else { return };
    let log = open_log(&directory);
    std::thread::scope(|scope| {
        for n in 0..N_RUNS {
            let log = &log;
            scope.spawn(move || append_forever(log, &run_id(&format!("r{n}"))));
        }
        scope.spawn(|| {
            loop {
                (0..N_RUNS).for_each(|n| {
                    save_new_rows(&log, &run_id(&format!("r{n}")));
                });
            }
        });
    });
}

fn append_forever(log: &SqliteLog, run: &RunId) {
    let mut head = log.runs().unwrap().iter().find(|head| head.run == *run).map_or(0, |head| head.sequence.0);
    loop {
        let n = batch_size(head);
        head = log.append(run, Sequence(head), entries(run, head, n)).unwrap().sequence.0;
        std::io::stderr().write_all(format!("acknowledged {run} {head}\n").as_bytes()).unwrap();
    }
}

/// Number of entries that the child appends at once.
fn batch_size(head: u64) -> u64 {
    1 + head % 3
}

/// Starts the child, kills it at a random time, and collects its acknowledgements.
fn run_and_kill_child(directory: &Path, acknowledged: &mut BTreeMap<RunId, u64>) {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "crash::append_until_killed", "--nocapture"])
        .env(DIRECTORY, directory)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = BufReader::new(child.stderr.take().unwrap());
    for _ in 0..random_below(ACKNOWLEDGED_MAX) {
        assert!(read_acknowledgement(&mut pipe, acknowledged), "the child ended by itself");
    }
    // Not at an acknowledgement, but during the work that follows it.
    let moment = Duration::from_micros(random_below(MICROSECONDS_MAX));
    let start = Instant::now();
    while start.elapsed() < moment {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    while read_acknowledgement(&mut pipe, acknowledged) {}
    child.wait().unwrap();
}

/// Reads one acknowledgement; ignores an incomplete line.
fn read_acknowledgement(pipe: &mut BufReader<ChildStderr>, acknowledged: &mut BTreeMap<RunId, u64>) -> bool {
    let mut line = String::new();
    pipe.read_line(&mut line).unwrap();
    if !line.ends_with('\n') {
        return false;
    }
    let [word, run, sequence] = *line.split_whitespace().collect::<Vec<_>>() else { panic!("{line}") };
    assert_eq!(word, "acknowledged", "{line}");
    acknowledged.insert(run.parse().unwrap(), sequence.parse().unwrap());
    true
}

/// Opens the log again: all acknowledged entries are there, and no others.
fn assert_acknowledged_entries_exist(directory: &Path, acknowledged: &mut BTreeMap<RunId, u64>) {
    let log = open_log(directory);
    for head in log.runs().unwrap() {
        let found = head.sequence.0;
        let kept = acknowledged.entry(head.run.clone()).or_default();
        // An append in progress may have been committed, as a whole.
        assert!(
            found == *kept || found == *kept + batch_size(*kept),
            "{kept} were acknowledged, {found} are there"
        );
        assert_sample_entries(&log, &head.run, found);
        *kept = found;
        save_new_rows(&log, &head.run);
        assert_eq!(log.rows(&head.run).unwrap(), expected_rows(&log, &head.run));
    }
    assert!(acknowledged.keys().all(|run| log.runs().unwrap().iter().any(|head| head.run == *run)));
    let all = log.read_all(store::Position(0), usize::MAX).unwrap();
    assert_eq!(all.len() as u64, acknowledged.values().sum::<u64>());
}

/// Returns a random number below a bound.
fn random_below(bound: u64) -> u64 {
    RandomState::new().hash_one(0) % bound
}
