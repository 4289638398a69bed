//! The log against the disk alone and against one commit per event; the speed of opening and replaying it.
//!
//! `raw fdatasync` is the ceiling: one thread that appends the bytes of 64 entries to a file and waits for the disk.
//! `commit per event` is plain SQLite with the same settings and no batching.

use std::{
    fs::File,
    io::Write,
    path::Path,
    process::{Command, Stdio},
    sync::{Arc, mpsc::channel},
    thread,
};

use anyhow::{Context, Result, ensure};
use domain::{RunId, Sequence, Timestamp};
use runtime::DurableRun;
use rusqlite::Connection;
use store::{AppendResult, Log, NewEntry, Position, SqliteLog, StoreError};
use tempfile::tempdir_in;
use testkit::{
    bench::{Goal, Report, Variant, measure_variants},
    progress,
    run_loop::{Recording, RunLoop},
    workloads::{GraphShape, generate},
};

use crate::child::{self, WAIT_MAX};

const N_PRODUCERS: usize = 64;
/// Number of entries that each producer appends in a round, one after the other.
const N_APPENDS: u64 = 16;
/// Fewer than the appends, because each waits for the disk.
const N_COMMITS: u64 = 32;
/// Content of the log that is opened: finished runs, and one that is active.
const N_FINISHED: u64 = 100;
const FINISHED_ENTRIES: u64 = 1_000;
const LIVE_ENTRIES: u64 = 2_000;
const N_FILLED: u64 = N_FINISHED * FINISHED_ENTRIES + LIVE_ENTRIES;
/// The run that is replayed into its state and its rows: the first events of a plan with this number of tasks.
const LONG_RUN_TASKS: usize = 8_000;
const LONG_RUN_EVENTS: usize = 100_000;
const PAGE_ENTRIES: usize = 1_000;
const ROUNDS: usize = 9;

/// Runs the bench.
pub(crate) fn run() -> Result<Report> {
    // Beside this program: the temporary directory may be in memory, where a sync costs nothing.
    let program = std::env::current_exe()?;
    let beside = program.parent().context("find the directory of this program")?;
    let (log_directory, old_directory) = (tempdir_in(beside)?, tempdir_in(beside)?);
    let (threads_directory, long_directory) = (tempdir_in(beside)?, tempdir_in(beside)?);
    let log = SqliteLog::open(log_directory.path())?;
    let threads_log = SqliteLog::open(threads_directory.path())?;
    let (mut heads, mut threads_heads) =
        (vec![FINISHED_ENTRIES; N_PRODUCERS], vec![FINISHED_ENTRIES; N_PRODUCERS]);
    let old = SqliteLog::open(old_directory.path())?;
    progress::begin("three logs of 102,000 entries are written");
    // The logs for writing are filled too, so that their WAL files have their final size.
    for log in [&log, &threads_log, &old] {
        fill(log)?;
    }
    let mut raw = File::create(log_directory.path().join("raw"))?;
    let mut plain = plain_database(&log_directory.path().join("plain.sqlite3"))?;
    ensure!(read_all_entries(&old) == N_FILLED, "the log lacks entries");
    drop(old);
    ensure!(open_and_read_active_run(old_directory.path()) == LIVE_ENTRIES, "the start lacks entries");
    fill_long_run(long_directory.path())?;
    ensure!(open_long_run(long_directory.path()) == LONG_RUN_EVENTS as u64, "the long run lacks events");
    let has_node = run_empty_node_script() == 1;

    let mut variants = vec![
        Variant::new("append", || append_with_callbacks(&log, &mut heads)),
        Variant::new("append, threads", || append_in_threads(&threads_log, &mut threads_heads)),
        Variant::new("raw fdatasync", || append_to_file(&mut raw)),
        Variant::new("commit per event", || commit_each(&mut plain)),
        Variant::new("open", || open_and_read_active_run(old_directory.path())),
        Variant::new("open a long run", || open_long_run(long_directory.path())),
        Variant::new("replay", || {
            SqliteLog::open(old_directory.path()).map_or(0, |old| read_all_entries(&old))
        }),
    ];
    if has_node {
        variants.push(Variant::new("node start", run_empty_node_script));
    }
    let timings = measure_variants(ROUNDS, variants);
    progress::begin("the logs are read again");
    let n_expected = N_FILLED + (timings.rounds + 1) as u64 * N_PRODUCERS as u64 * N_APPENDS;
    for log in [&log, &threads_log] {
        let n_recorded = read_all_entries(log);
        ensure!(n_recorded == n_expected, "{n_expected} entries were appended, {n_recorded} are in the log");
    }

    let mut report = Report::new("store", timings.rounds);
    let n_entries = (N_PRODUCERS as u64 * N_APPENDS) as f64;
    let per_event = n_entries / N_COMMITS as f64 * timings.times_longer("commit per event", "append");
    report.add_ratio(
        "append/raw fdatasync",
        timings.times_longer("raw fdatasync", "append"),
        Goal::AtLeast(0.5),
    );
    report.add_ratio("append/commit per event", per_event, Goal::AtLeast(20.0));
    report.add_ratio("open ms", timings.median_seconds("open") * 1e3, Goal::AtMost(100.0));
    if has_node {
        report.add_figure("node start ms", timings.median_seconds("node start") * 1e3);
        report.add_figure("open/node start time", timings.times_longer("open", "node start"));
    }
    report.add_figure("threads/raw fdatasync", timings.times_longer("raw fdatasync", "append, threads"));
    report.add_figure("append, threads entries/s", n_entries / timings.median_seconds("append, threads"));
    report.add_figure("append entries/s", n_entries / timings.median_seconds("append"));
    report.add_figure("raw fdatasync entries/s", n_entries / timings.median_seconds("raw fdatasync"));
    report.add_figure(
        "commit per event entries/s",
        N_COMMITS as f64 / timings.median_seconds("commit per event"),
    );
    report.add_figure("replay entries/s", N_FILLED as f64 / timings.median_seconds("replay"));
    report.add_figure("open a run of 100,000 events, ms", timings.median_seconds("open a long run") * 1e3);
    report.add_figure("producers", N_PRODUCERS as f64);
    report.add_figure("entry bytes", entry(1).payload.len() as f64);
    Ok(report)
}

/// Returns an entry like those of a run, with about 200 bytes of payload.
fn entry(n: u64) -> NewEntry {
    NewEntry {
        at: Timestamp(1_700_000_000_000 + n as i64),
        actor: "session 01890a5d".to_owned(),
        kind: "TurnRecorded".to_owned(),
        version: 1,
        payload: format!(
            r#"{{"type":"TurnRecorded","task":"T1.{}","attempt":1,"turn":{n},"text":"{}"}}"#,
            n % 100,
            "the tests pass now; next are the docs. ".repeat(3)
        ),
    }
}

fn run_id(n: u64) -> Result<RunId> {
    Ok(format!("r{n}").parse()?)
}

/// Lets all producers append at once, each to its own run and the next entry only when the last one is durable.
///
/// They are tasks and not threads, as in the runtime: one thread drives all of them by the acknowledgements.
fn append_with_callbacks(log: &SqliteLog, heads: &mut [u64]) -> u64 {
    let (sender, acknowledged) = channel();
    let append = |n: usize, head: u64| -> Result<()> {
        let sender = sender.clone();
        let then = move |result: Result<AppendResult, StoreError>| drop(sender.send((n, result)));
        log.append_with_callback(&run_id(n as u64)?, Sequence(head), vec![entry(head + 1)], Box::new(then));
        Ok(())
    };
    let ends: Vec<u64> = heads.iter().map(|head| head + N_APPENDS).collect();
    let mut n_running = heads.iter().enumerate().filter(|(n, head)| append(*n, **head).is_ok()).count();
    while n_running > 0 {
        let Ok((n, Ok(done))) = acknowledged.recv() else { break };
        heads[n] = done.sequence.0;
        if heads[n] == ends[n] || append(n, heads[n]).is_err() {
            n_running -= 1;
        }
    }
    N_APPENDS
}

/// Does the same with a thread for each producer; waking them costs more than a fast disk.
fn append_in_threads(log: &SqliteLog, heads: &mut [u64]) -> u64 {
    thread::scope(|scope| {
        for (n, head) in (0..).zip(heads) {
            scope.spawn(move || -> Result<()> {
                let run = run_id(n)?;
                for _ in 0..N_APPENDS {
                    *head = log.append(&run, Sequence(*head), vec![entry(*head + 1)])?.sequence.0;
                }
                Ok(())
            });
        }
    });
    N_APPENDS
}

/// Appends the same entries to a file, in groups of as many as there are producers.
fn append_to_file(file: &mut File) -> u64 {
    let mut n_written = 0;
    for n in 1..=N_APPENDS {
        let mut group = Vec::new();
        for _ in 0..N_PRODUCERS {
            let entry = entry(n);
            group.extend_from_slice(entry.actor.as_bytes());
            group.extend_from_slice(entry.kind.as_bytes());
            group.extend_from_slice(entry.payload.as_bytes());
        }
        let done = file.write_all(&group).and_then(|()| file.sync_data());
        n_written += u64::from(done.is_ok());
    }
    n_written
}

/// Creates a database with one table of entries.
fn plain_database(path: &Path) -> Result<Connection> {
    let connection = Connection::open(path)?;
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.execute_batch("CREATE TABLE entry (position INTEGER PRIMARY KEY, payload TEXT NOT NULL)")?;
    Ok(connection)
}

/// Commits entries one by one.
fn commit_each(connection: &mut Connection) -> u64 {
    let insert = |n| {
        let mut insert = connection.prepare_cached("INSERT INTO entry (payload) VALUES (?1)")?;
        insert.execute([entry(n).payload])
    };
    (0..N_COMMITS).map(|n| insert(n).map_or(0, |count| count as u64)).sum()
}

/// Writes a log like that of some months.
fn fill(log: &SqliteLog) -> Result<()> {
    for n in 0..N_FINISHED {
        log.append(&run_id(n)?, Sequence(0), (1..=FINISHED_ENTRIES).map(entry).collect())?;
    }
    log.append(&run_id(N_FINISHED)?, Sequence(0), (1..=LIVE_ENTRIES).map(entry).collect())?;
    Ok(())
}

/// Does what a start of the server does: opens the log, lists its runs, reads the active one.
fn open_and_read_active_run(directory: &Path) -> u64 {
    let start = || -> Result<usize> {
        let log = SqliteLog::open(directory)?;
        let runs = log.runs()?;
        let live = runs.last().context("the log has no run")?;
        Ok(log.read(&live.run, Sequence(0), usize::MAX)?.len())
    };
    start().map_or(0, |n_entries| n_entries as u64)
}

/// Writes the events of a large plan as one run.
fn fill_long_run(directory: &Path) -> Result<()> {
    let log: Arc<dyn Log> = Arc::new(SqliteLog::open(directory)?);
    let mut run_loop = RunLoop::start(&generate(GraphShape::Chains, LONG_RUN_TASKS, 0), 8, Recording::Log)?;
    run_loop.run_to_end()?;
    let mut head = Sequence(0);
    for events in run_loop.log.get(..LONG_RUN_EVENTS).context("enough events")?.chunks(PAGE_ENTRIES) {
        let entries = events.iter().map(NewEntry::from_event).collect::<Result<_, _>>()?;
        head = log.append(&run_id(0)?, head, entries)?.sequence;
    }
    DurableRun::open(log, run_id(0)?)?.save_rows()?;
    Ok(())
}

/// Opens a run as a start does, with its state and its rows, and returns the sequence of its last event.
fn open_long_run(directory: &Path) -> u64 {
    let open = || -> Result<u64> {
        let log: Arc<dyn Log> = Arc::new(SqliteLog::open(directory)?);
        Ok(DurableRun::open(log, run_id(0)?)?.state().sequence().0)
    };
    open().unwrap_or(0)
}

/// Reads every entry of the log, page by page.
fn read_all_entries(log: &SqliteLog) -> u64 {
    let mut position = Position(0);
    while let Ok(page) = log.read_all(position, PAGE_ENTRIES) {
        let Some(last) = page.last() else { break };
        position = last.position;
    }
    position.0
}

/// Starts Node with nothing to do, and returns 1 if that succeeded.
fn run_empty_node_script() -> u64 {
    let mut node = Command::new("node");
    node.args(["--eval", "0"]).stdout(Stdio::null()).stderr(Stdio::null());
    child::run_for_status(&mut node, WAIT_MAX).map_or(0, |status| u64::from(status.success()))
}
