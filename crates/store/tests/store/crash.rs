//! The store is killed under load, again and again, and nothing that it acknowledged is lost.
//!
//! The child is this test binary: it appends from several threads and writes each acknowledgement to a pipe. What is in
//! the pipe was promised. `JANGDAN_CRASHES=1000` kills more often.

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

use crate::sample::{assert_whole, catch_up, entries, fold, open, run};

/// Where the child finds the log; without it the child has nothing to do.
const DIRECTORY: &str = "JANGDAN_CRASH_DIRECTORY";
/// How many times the child is killed.
const CRASHES: &str = "JANGDAN_CRASHES";
const CRASHES_DEFAULT: usize = 50;
/// After so many a new log is begun, because all of it is read after each.
const CRASHES_PER_LOG: usize = 25;
const N_RUNS: u64 = 4;
const ACKNOWLEDGED_MAX: u64 = 150;
const MICROSECONDS_MAX: u64 = 5_000;

#[test]
fn what_was_acknowledged_survives_being_killed() {
    let crashes = env::var(CRASHES).ok().map_or(CRASHES_DEFAULT, |text| text.parse().unwrap());
    let mut left = crashes;
    while left > 0 {
        let directory = tempdir().unwrap();
        let mut promised = BTreeMap::new();
        for _ in 0..left.min(CRASHES_PER_LOG) {
            crash(directory.path(), &mut promised);
            check(directory.path(), &mut promised);
        }
        left -= left.min(CRASHES_PER_LOG);
    }
}

/// Not a test by itself: what runs in the child until it is killed.
#[test]
fn child() {
    let Some(directory) = env::var_os(DIRECTORY).map(PathBuf::from) else { return };
    let log = open(&directory);
    std::thread::scope(|scope| {
        for n in 0..N_RUNS {
            let log = &log;
            scope.spawn(move || append_for_ever(log, &run(&format!("r{n}"))));
        }
        scope.spawn(|| {
            loop {
                (0..N_RUNS).for_each(|n| {
                    catch_up(&log, &run(&format!("r{n}")));
                });
            }
        });
    });
}

fn append_for_ever(log: &SqliteLog, run: &RunId) {
    let mut head = log.runs().unwrap().iter().find(|head| head.run == *run).map_or(0, |head| head.sequence.0);
    loop {
        let n = batch(head);
        head = log.append(run, Sequence(head), entries(run, head, n)).unwrap().sequence.0;
        std::io::stderr().write_all(format!("acknowledged {run} {head}\n").as_bytes()).unwrap();
    }
}

/// How many entries the child appends at once behind a place.
fn batch(head: u64) -> u64 {
    1 + head % 3
}

/// Starts the child, kills it at a random moment, and notes what it had promised by then.
fn crash(directory: &Path, promised: &mut BTreeMap<RunId, u64>) {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "crash::child", "--nocapture"])
        .env(DIRECTORY, directory)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = BufReader::new(child.stderr.take().unwrap());
    for _ in 0..random(ACKNOWLEDGED_MAX) {
        assert!(note(&mut pipe, promised), "the child ended by itself");
    }
    // Not at the moment of an acknowledgement: somewhere in the work that follows it.
    let moment = Duration::from_micros(random(MICROSECONDS_MAX));
    let start = Instant::now();
    while start.elapsed() < moment {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    while note(&mut pipe, promised) {}
    child.wait().unwrap();
}

/// Reads one promise; a line that was cut off is none.
fn note(pipe: &mut BufReader<ChildStderr>, promised: &mut BTreeMap<RunId, u64>) -> bool {
    let mut line = String::new();
    pipe.read_line(&mut line).unwrap();
    if !line.ends_with('\n') {
        return false;
    }
    let [word, run, sequence] = *line.split_whitespace().collect::<Vec<_>>() else { panic!("{line}") };
    assert_eq!(word, "acknowledged", "{line}");
    promised.insert(run.parse().unwrap(), sequence.parse().unwrap());
    true
}

/// Opens the log again: all promises are kept, and nothing is there that nobody wrote.
fn check(directory: &Path, promised: &mut BTreeMap<RunId, u64>) {
    let log = open(directory);
    for head in log.runs().unwrap() {
        let found = head.sequence.0;
        let kept = promised.entry(head.run.clone()).or_default();
        // An append that was on its way may have arrived, whole.
        assert!(found == *kept || found == *kept + batch(*kept), "{kept} were promised, {found} are there");
        assert_whole(&log, &head.run, found);
        *kept = found;
        catch_up(&log, &head.run);
        assert_eq!(log.rows(&head.run).unwrap(), fold(&log, &head.run));
    }
    assert!(promised.keys().all(|run| log.runs().unwrap().iter().any(|head| head.run == *run)));
    let all = log.read_all(store::Position(0), usize::MAX).unwrap();
    assert_eq!(all.len() as u64, promised.values().sum::<u64>());
}

/// Returns a number below a bound, another one each time.
fn random(bound: u64) -> u64 {
    RandomState::new().hash_one(0) % bound
}
