//! The page in a browser without a graphics card: the size of the first load, and a run of 1,000 tasks that changes
//! constantly.
//!
//! A change is a command over HTTP that is decided, recorded, folded into rows and sent to the page.

mod browser;
mod changes;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tempfile::tempdir_in;
use testkit::{
    bench::{Goal, Report, median},
    progress,
    random::Random,
};

use crate::server::{
    history,
    processes::{ServerSetup, waiting_task},
};
use browser::Browser;
use changes::ChangeGenerator;

const N_TASKS: usize = 1000;
const N_EDGES: usize = 1500;
const N_PHASES: usize = 5;
/// Number of log entries before the measurement: a third of the plan is done.
const N_LOGGED: u64 = 5000;
/// Number of messages of each agent.
const N_SAID: u64 = 4;
const ROUNDS: usize = 5;
const PER_SECOND: u32 = 200;
const WATCHED_SECONDS: u32 = 15;
/// After these changes the browser has compiled the page, which needs memory once.
const CHANGES_EARLY: u32 = 20_000;
const CHANGES_MORE: u32 = 50_000;

/// Runs the bench.
pub(crate) fn run() -> Result<Report> {
    let own = std::env::current_exe()?;
    let beside = own.parent().context("find the directory of this program")?;
    let program = beside.join("jangdan");
    ensure!(program.exists(), "build the program first: cargo build --profile dist --package cli");
    let folder = tempdir_in(beside)?;
    let home = ServerSetup::create(&program, folder.path(), "web")?;
    let (side, _) = home.start("/api/status")?;
    let run = home.start_run(&side, &plan_phases(), &generate_plan_tasks())?;
    side.end()?;
    progress::begin("a log of 5,000 entries is written");
    history::fill(&home.data_directory(), &run, N_LOGGED, N_SAID)?;
    let (side, _) = home.start("/api/status")?;
    progress::begin("the browser starts, and loads the page");
    let mut browser = Browser::open(&home.page_url()?, &run)?;
    let mut changes = ChangeGenerator::from_unfinished_tasks(&side.address, &run)?;
    let mut report = Report::new("web", ROUNDS);
    measure_first_load(&mut report, &mut browser, &run)?;
    let mut ready = Vec::new();
    for round in 1..=ROUNDS {
        progress::begin(format!("canvas of 1,000 tasks, round {round} of {ROUNDS}"));
        ready.push(browser.ask("canvas")?);
    }
    let n_seen = ready.last().map_or(f64::NAN, |last| number_field(last, "nTasks"));
    let ready = median(ready.iter().map(|one| number_field(one, "readyMs")).collect());
    report.add_ratio("canvas of 1,000 tasks ready, s", ready / 1e3, Goal::AtMost(2.0));
    measure_smoothness(&mut report, &mut browser, &mut changes, "close")?;
    let n_whole = number_field(&browser.ask("whole")?, "nTasks");
    measure_smoothness(&mut report, &mut browser, &mut changes, "whole")?;
    measure_memory(&mut report, &mut browser, &mut changes)?;
    report.add_figure("tasks in sight, close", n_seen);
    report.add_figure("tasks in sight, whole", n_whole);
    Ok(report)
}

fn measure_first_load(report: &mut Report, browser: &mut Browser, run: &str) -> Result<()> {
    let first = browser.ask("load /")?;
    let sum =
        |load: &Value| ["document", "script", "stylesheet"].map(|kind| number_field(load, kind)).iter().sum();
    let first_kb: f64 = sum(&first);
    report.add_ratio("first load KB", first_kb, Goal::AtMost(200.0));
    for kind in ["document", "script", "stylesheet", "font", "other"] {
        report.add_figure(&format!("first load KB, {kind}"), number_field(&first, kind));
    }
    let canvas: f64 = sum(&browser.ask(&format!("load /runs/{run}/work?view=graph"))?);
    report.add_figure("first load of a canvas KB", canvas);
    Ok(())
}

/// Measures the frames of the page while it changes.
fn measure_smoothness(
    report: &mut Report,
    browser: &mut Browser,
    changes: &mut ChangeGenerator,
    view: &str,
) -> Result<()> {
    progress::begin(format!("{view}: frames during {WATCHED_SECONDS} s of changes"));
    browser.ask("watch")?;
    let rate = changes.send_paced(PER_SECOND, PER_SECOND * WATCHED_SECONDS)?;
    let watched = browser.ask("watched")?;
    report.add_ratio(&format!("{view}: p95 frame ms"), number_field(&watched, "p95"), Goal::AtMost(50.0));
    let long = number_field(&watched, "longTasksOver100");
    report.add_ratio(&format!("{view}: long tasks/s"), long, Goal::AtMost(1.0));
    report.add_ratio(&format!("{view}: changes/s"), rate, Goal::AtLeast(f64::from(PER_SECOND) * 0.98));
    let figures = [
        ("frames/s", "framesPerSecond"),
        ("p50 frame ms", "p50"),
        ("p90 frame ms", "p90"),
        ("p99 frame ms", "p99"),
        ("longest frame ms", "max"),
        ("frames over 50 ms/s", "over50"),
        ("frames over 100 ms/s", "over100"),
        ("tasks over 50 ms/s", "longTasks"),
        ("longest task ms", "longestTask"),
        ("changes of the picture/s", "drawn"),
    ];
    for (name, key) in figures {
        report.add_figure(&format!("{view}: {name}"), number_field(&watched, key));
    }
    Ok(())
}

fn measure_memory(report: &mut Report, browser: &mut Browser, changes: &mut ChangeGenerator) -> Result<()> {
    browser.ask("canvas")?;
    let mut heap = |changes: &mut ChangeGenerator, n: u32| -> Result<f64> {
        progress::begin(format!("memory of the page after {n} more changes"));
        changes.send_fast(n)?;
        Ok(number_field(&browser.ask("heap")?, "megabytes"))
    };
    let early = heap(changes, CHANGES_EARLY)?;
    let late = heap(changes, CHANGES_MORE)?;
    report.add_ratio("memory after 50,000 more changes/before", late / early, Goal::AtMost(1.1));
    report.add_figure("memory MB after 20,000 changes", early);
    report.add_figure("memory MB after 50,000 more", late);
    report.add_figure("fast changes/s", changes.fast_rate);
    Ok(())
}

fn plan_phases() -> Vec<Value> {
    let phase = |number: usize| {
        let after: Vec<usize> = (number > 1).then(|| number - 1).into_iter().collect();
        json!({"number": number, "name": format!("Phase {number}"), "after": after})
    };
    (1..=N_PHASES).map(phase).collect()
}

/// Generates tasks that depend on others of their phase.
fn generate_plan_tasks() -> Vec<Value> {
    let mut random = Random::new(11);
    let n_each = N_TASKS / N_PHASES;
    let mut tasks: Vec<Value> =
        (1..=N_TASKS).map(|number| waiting_task(number, 1 + (number - 1) / n_each)).collect();
    for _ in 0..N_EDGES {
        let phase = random.below(N_PHASES);
        let later = 1 + random.below(n_each - 1);
        let earlier = format!("T{}", 1 + phase * n_each + random.below(later));
        let later = tasks.get_mut(phase * n_each + later).and_then(|task| task.get_mut("dependsOn"));
        if let Some(before) = later.and_then(Value::as_array_mut)
            && !before.iter().any(|one| one == &earlier)
        {
            before.push(json!(earlier));
        }
    }
    tasks
}

fn number_field(reply: &Value, key: &str) -> f64 {
    reply.get(key).and_then(Value::as_f64).unwrap_or(f64::NAN)
}
