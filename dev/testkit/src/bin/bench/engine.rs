//! The engine: its makespan against the lower bound, and its time and memory for large plans.

use anyhow::{Result, ensure};
use testkit::{
    bench::{Goal, Report, Variant, measure_variants, median},
    progress,
    run_loop::{Recording, RunLoop},
    workloads::{GraphShape, Workload, generate},
};

use crate::memory;

const GRAPHS: u64 = 60;
const ROUNDS: usize = 9;
const SLOTS: u32 = 8;
/// The same estimate for every task, if no durations were learned.
const UNKNOWN: u64 = 1;

/// Runs the bench.
pub(crate) fn run() -> Result<Report> {
    let mut cells = Vec::new();
    for shape in [GraphShape::Random, GraphShape::Chains] {
        for n_tasks in [50, 200, 1000] {
            for slots in [3, 8, 16] {
                progress::begin(format!("schedules of {GRAPHS} graphs of {n_tasks} tasks on {slots} slots"));
                cells.push(ScheduleMedians::measure(shape, n_tasks, slots));
            }
        }
    }
    let worst = |value: fn(&ScheduleMedians) -> f64| cells.iter().map(value).fold(0.0, f64::max);
    let graphs = cells.len() as f64 * GRAPHS as f64;
    let not_worse = cells.iter().map(|cell| cell.not_worse_than_levels).sum::<f64>() / graphs;

    progress::begin("runs of 200 and of 5,000 tasks are prepared");
    // Prepared first, so that only state changes are measured: one for each round, and one to warm up.
    let prepare = |n_tasks, repeats| -> Vec<Vec<RunLoop>> {
        let works: Vec<Workload> =
            (0..repeats).map(|seed| generate(GraphShape::Chains, n_tasks, seed)).collect();
        let start = |work| RunLoop::start(work, SLOTS, Recording::Off).ok();
        (0..=ROUNDS).map(|_| works.iter().filter_map(start).collect()).collect()
    };
    let (mut small, mut large) = (prepare(200, 25), prepare(5000, 1));
    let timings = measure_variants(
        ROUNDS,
        vec![
            Variant::new("200 tasks", || small.pop().into_iter().flatten().map(run_and_count_changes).sum()),
            Variant::new("5,000 tasks", || {
                large.pop().into_iter().flatten().map(run_and_count_changes).sum()
            }),
        ],
    );
    progress::begin("memory of a run of 5,000 tasks");
    let work = generate(GraphShape::Chains, 5000, 0);
    let mut n_steps = 0;
    let mut peak_with = |recording| {
        memory::measure_peak_bytes(|| {
            if let Ok(mut run_loop) = RunLoop::start(&work, SLOTS, recording) {
                let outcome = run_loop.run_to_end();
                n_steps = if outcome.is_ok() { run_loop.n_steps } else { 0 };
            }
        })
    };
    let (state, with_rows) = (peak_with(Recording::Off), peak_with(Recording::Rows));
    ensure!(n_steps > 0, "the run of 5,000 tasks did not end");

    let mut report = Report::new("engine", timings.rounds);
    report.add_ratio(
        "makespan/lower bound, learned, worst cell",
        worst(|cell| cell.learned),
        Goal::AtMost(1.02),
    );
    report.add_ratio(
        "makespan/lower bound, not learned, worst cell",
        worst(|cell| cell.unknown),
        Goal::AtMost(1.25),
    );
    report.add_ratio("not worse than level barriers", not_worse, Goal::AtLeast(0.99));
    report.add_ratio(
        "state change 5,000/200",
        timings.times_longer("200 tasks", "5,000 tasks"),
        Goal::AtLeast(0.8),
    );
    report.add_ratio("5,000 tasks with their rows, peak MB", with_rows as f64 / 1e6, Goal::AtMost(50.0));
    report.add_figure("5,000 tasks without rows, peak MB", state as f64 / 1e6);
    report
        .add_figure("state changes/s at 5,000 tasks", n_steps as f64 / timings.median_seconds("5,000 tasks"));
    for cell in &cells {
        report.add_figure(&format!("{} learned", cell.name), cell.learned);
        report.add_figure(&format!("{} not learned", cell.name), cell.unknown);
    }
    Ok(report)
}

/// The medians for one shape and size of graph on a number of slots.
struct ScheduleMedians {
    name: String,
    learned: f64,
    unknown: f64,
    /// Number of graphs with a makespan of at most that of level barriers.
    not_worse_than_levels: f64,
}

impl ScheduleMedians {
    fn measure(shape: GraphShape, n_tasks: usize, slots: u32) -> Self {
        let (mut learned, mut unknown, mut not_worse) = (Vec::new(), Vec::new(), 0.0);
        for seed in 0..GRAPHS {
            let work = generate(shape, n_tasks, seed);
            let bound = work.lower_bound(slots) as f64;
            let blind = work.makespan(slots, &vec![UNKNOWN; n_tasks]);
            learned.push(work.makespan(slots, &work.durations) as f64 / bound);
            unknown.push(blind as f64 / bound);
            not_worse += f64::from(u8::from(blind <= work.makespan_by_levels(slots)));
        }
        let shape = if shape == GraphShape::Random { "random" } else { "chains" };
        let name = format!("{shape}, {n_tasks} tasks, {slots} slots:");
        Self { name, learned: median(learned), unknown: median(unknown), not_worse_than_levels: not_worse }
    }
}

/// Runs to the end, and returns the number of state changes.
fn run_and_count_changes(mut run_loop: RunLoop) -> u64 {
    let before = run_loop.n_steps;
    // A run that does not end is an error where its memory is measured.
    let _ = run_loop.run_to_end();
    run_loop.n_steps - before
}
