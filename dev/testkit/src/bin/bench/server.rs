//! Compares the server with a plain one in Node: a burst to 256 subscribers, latency, memory, and the time from start to
//! first response.

pub(crate) mod connection;
mod events;
pub(crate) mod history;
pub(crate) mod processes;
mod subscribers;

use std::{fs, path::Path, time::Duration};

use anyhow::{Context, Result, ensure};
use rustix::process::{Resource, getrlimit, setrlimit};
use tempfile::tempdir_in;
use testkit::bench::{Goal, Report, Timings, median, run_variants_in_turns};

use events::{EventText, ServerLoad};
use processes::{ServerSetup, only_phase, waiting_task};

/// The limit of the server.
const N_SUBSCRIBERS: usize = 256;
const N_BURST: usize = 400;
const N_PACED: usize = 100;
const N_LOGGED: u64 = 100_000;
/// Messages of an agent for each task.
const N_MESSAGES: u64 = 80;
/// A task has about a hundred entries.
const N_TASKS: usize = 1500;
const ROUNDS: usize = 5;
const START_ROUNDS: usize = 15;
/// Open files: twice the subscribers of three servers.
const FILES: u64 = 2048;

/// Runs the bench.
pub(crate) fn run() -> Result<Report> {
    raise_file_limit();
    let own = std::env::current_exe()?;
    // Beside this program: a temporary directory may be in memory, where syncing to disk costs nothing.
    let directory = own.parent().context("a program has a directory")?;
    let program = directory.join("jangdan");
    ensure!(program.exists(), "build the program first: cargo build --profile dist --package cli");
    let folder = tempdir_in(directory)?;
    let mut report = Report::new("server", ROUNDS);
    compare_events(&mut report, &program, folder.path())?;
    compare_starts(&mut report, &program, folder.path())?;
    Ok(report)
}

fn compare_events(report: &mut Report, program: &Path, folder: &Path) -> Result<()> {
    let setup = ServerSetup::create(program, folder, "events")?;
    let mut ours = ServerLoad::with_jangdan_server(&setup, N_SUBSCRIBERS)?;
    let event = ours.fetch_event_text()?;
    let node = ServerLoad::with_node_server(processes::start_node(folder)?, &event, N_SUBSCRIBERS)?;
    let mut servers = [ours, node];
    let memory = |servers: &[ServerLoad; 2], kind| -> Result<[f64; 2]> {
        Ok([memory_mib(servers[0].process.pid(), kind)?, memory_mib(servers[1].process.pid(), kind)?])
    };
    let [idle, idle_node] = memory(&servers, "VmRSS:")?;
    // Without the pages of the program's file, which the kernel shares and drops as needed.
    let [own, own_node] = memory(&servers, "RssAnon:")?;
    let bursts = run_variants_in_turns(ROUNDS, 2, |n| servers[n].send_burst(N_BURST))?;
    let paced = measure_paced_latencies(&mut servers, &event, program, folder)?;
    let [after, after_node] = memory(&servers, "VmRSS:")?;

    let bursts = Timings::new(["ours", "node"].into_iter().zip(bursts).collect());
    report.add_ratio(
        "burst to 256 subscribers/Node",
        bursts.times_longer("node", "ours"),
        Goal::AtLeast(5.0),
    );
    let late = |n: usize, share: f64| -> Vec<f64> {
        paced.get(n).into_iter().flatten().map(|late| quantile(late, share).as_secs_f64() * 1e3).collect()
    };
    let (p99, p99_node) = (late(0, 0.99), late(1, 0.99));
    let ratios = p99.iter().zip(&p99_node).map(|(ours, node)| ours / node).collect();
    report.add_ratio("p99 at 50 events/s/Node", median(ratios), Goal::AtMost(0.5));
    report.add_ratio("memory with 256 subscribers/Node", idle / idle_node, Goal::AtMost(0.5));
    report.add_ratio("memory after all of it/Node", after / after_node, Goal::AtMost(0.5));
    let rate = |name| N_BURST as f64 / bursts.median_seconds(name);
    report.add_figure("burst, events/s to 256", rate("ours"));
    report.add_figure("burst, events/s to 256, Node", rate("node"));
    report.add_figure("entries of an event", event.n_ids as f64);
    report.add_figure("bytes of an event", event.text.len() as f64);
    report.add_figure("p50 ms at 50 events/s", median(late(0, 0.5)));
    report.add_figure("p50 ms at 50 events/s, Node", median(late(1, 0.5)));
    report.add_figure("p99 ms at 50 events/s", median(p99));
    report.add_figure("p99 ms at 50 events/s, Node", median(p99_node));
    report.add_figure("memory MiB with 256 subscribers", idle);
    report.add_figure("memory MiB with 256 subscribers, Node", idle_node);
    report.add_figure("of it not of a file", own);
    report.add_figure("of it not of a file, Node", own_node);
    report.add_figure("memory MiB after all of it", after);
    report.add_figure("memory MiB after all of it, Node", after_node);
    Ok(())
}

/// Sends events at a fixed pace; returns the latency of each. Node stores no events, so ours are stored in memory here.
fn measure_paced_latencies(
    servers: &mut [ServerLoad; 2],
    event: &EventText,
    program: &Path,
    folder: &Path,
) -> Result<Vec<Vec<Vec<Duration>>>> {
    let memory = Path::new("/dev/shm");
    let in_memory = if memory.is_dir() { Some(tempdir_in(memory)?) } else { None };
    let setup = ServerSetup::create(
        program,
        in_memory.as_ref().map_or(folder, |directory| directory.path()),
        "paced",
    )?;
    let mut ours = ServerLoad::with_jangdan_server(&setup, N_SUBSCRIBERS)?;
    ensure!(ours.fetch_event_text()?.n_ids == event.n_ids, "two commands have different numbers of entries");
    run_variants_in_turns(ROUNDS, 2, |n| {
        if n == 0 { ours.send_paced(N_PACED) } else { servers[1].send_paced(N_PACED) }
    })
}

fn compare_starts(report: &mut Report, program: &Path, folder: &Path) -> Result<()> {
    let empty = ServerSetup::create(program, folder, "empty")?;
    let full = ServerSetup::create(program, folder, "full")?;
    let (process, _) = full.start("/api/status")?;
    let run = full.start_run(
        &process,
        &[only_phase()],
        &(1..=N_TASKS).map(|n| waiting_task(n, 1)).collect::<Vec<_>>(),
    )?;
    process.end()?;
    let n_logged = history::fill(&full.data_directory(), &run, N_LOGGED, N_MESSAGES)?;
    ensure!(n_logged >= N_LOGGED, "the log has {n_logged} entries only");
    let (row, tasks) = (format!("/api/runs/{run}"), format!("/api/runs/{run}/rows?kind=task"));
    let names = ["node", "first answer", "long log", "long log, rows"];
    let times = run_variants_in_turns(START_ROUNDS, names.len(), |n| -> Result<Duration> {
        let (process, took) = match n {
            0 => return processes::time_bare_node(),
            1 => empty.start("/api/status")?,
            2 => full.start(&row)?,
            _ => full.start(&tasks)?,
        };
        process.end()?;
        Ok(took)
    })?;
    let timings = Timings::new(names.into_iter().zip(times).collect());
    report.add_ratio(
        "first answer/bare Node server",
        timings.times_longer("first answer", "node"),
        Goal::AtMost(0.1),
    );
    report.add_ratio(
        "a run of 100,000 entries/bare Node server",
        timings.times_longer("long log", "node"),
        Goal::AtMost(1.0),
    );
    report.add_figure("entries of the long log", n_logged as f64);
    for (name, figure) in names.into_iter().zip([
        "bare Node server ms",
        "first answer ms",
        "long log ms",
        "long log, all tasks ms",
    ]) {
        report.add_figure(figure, timings.median_seconds(name) * 1e3);
    }
    Ok(())
}

/// Returns the value that this share of the sorted values does not exceed.
fn quantile(sorted: &[Duration], share: f64) -> Duration {
    let at = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(at.saturating_sub(1)).copied().unwrap_or_default()
}

/// Returns the memory of a process in MiB; `kind` is the name of a line in its status.
fn memory_mib(pid: u32, kind: &str) -> Result<f64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = text.lines().find_map(|line| line.strip_prefix(kind)).context("a process has memory")?;
    let kib: f64 = line.split_whitespace().next().context("a number")?.parse()?;
    Ok(kib / 1024.0)
}

fn raise_file_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    let target = limit.maximum.map_or(FILES, |maximum| maximum.min(FILES));
    if limit.current.is_some_and(|current| current < target) {
        limit.current = Some(target);
        // If it fails, a subscriber fails to connect.
        let _ = setrlimit(Resource::Nofile, limit);
    }
}
