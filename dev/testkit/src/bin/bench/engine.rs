//! The engine: how near its schedule comes to what nobody can beat, and whether a large plan makes it slow or big.

use anyhow::{Result, ensure};
use testkit::{
    bench::{Goal, Report, Variant, measure, median},
    crank::{Crank, Keeps},
    runs::{Shape, Work, generate},
};

use crate::memory;

const GRAPHS: u64 = 60;
const ROUNDS: usize = 9;
const SLOTS: u32 = 8;
/// Where nothing was learned every task looks alike.
const UNKNOWN: u64 = 1;

/// Runs the bench.
pub fn run() -> Result<Report> {
    let mut cells = Vec::new();
    for shape in [Shape::Random, Shape::Chains] {
        for n_tasks in [50, 200, 1000] {
            for slots in [3, 8, 16] {
                cells.push(Cell::of(shape, n_tasks, slots));
            }
        }
    }
    let worst = |value: fn(&Cell) -> f64| cells.iter().map(value).fold(0.0, f64::max);
    let graphs = cells.len() as f64 * GRAPHS as f64;
    let not_worse = cells.iter().map(|cell| cell.not_worse_than_levels).sum::<f64>() / graphs;

    // Made beforehand, so that only the changes are measured; one for each round, and one to warm up.
    let prepare = |n_tasks, repeats| -> Vec<Vec<Crank>> {
        let works: Vec<Work> = (0..repeats).map(|seed| generate(Shape::Chains, n_tasks, seed)).collect();
        let start = |work| Crank::start(work, SLOTS, Keeps::Nothing).ok();
        (0..=ROUNDS).map(|_| works.iter().filter_map(start).collect()).collect()
    };
    let (mut small, mut large) = (prepare(200, 25), prepare(5000, 1));
    let timings = measure(
        ROUNDS,
        vec![
            Variant::new("200 tasks", || small.pop().into_iter().flatten().map(turn).sum()),
            Variant::new("5,000 tasks", || large.pop().into_iter().flatten().map(turn).sum()),
        ],
    );
    let work = generate(Shape::Chains, 5000, 0);
    let mut n_steps = 0;
    let mut peak_with = |keeps| {
        memory::peak(|| {
            if let Ok(mut crank) = Crank::start(&work, SLOTS, keeps) {
                let turned = crank.turn();
                n_steps = if turned.is_ok() { crank.n_steps } else { 0 };
            }
        })
    };
    let (state, with_rows) = (peak_with(Keeps::Nothing), peak_with(Keeps::Rows));
    ensure!(n_steps > 0, "the run of 5,000 tasks did not come to its end");

    let mut report = Report::new("engine", timings.rounds);
    report.ratio("makespan/lower bound, learned, worst cell", worst(|cell| cell.learned), Goal::AtMost(1.02));
    report.ratio(
        "makespan/lower bound, not learned, worst cell",
        worst(|cell| cell.unknown),
        Goal::AtMost(1.25),
    );
    report.ratio("not worse than level barriers", not_worse, Goal::AtLeast(0.99));
    report.ratio(
        "state change 5,000/200",
        timings.times_longer("200 tasks", "5,000 tasks"),
        Goal::AtLeast(0.8),
    );
    report.ratio("5,000 tasks with their rows, peak MB", with_rows as f64 / 1e6, Goal::AtMost(50.0));
    report.figure("5,000 tasks without rows, peak MB", state as f64 / 1e6);
    report.figure("state changes/s at 5,000 tasks", n_steps as f64 / timings.seconds("5,000 tasks"));
    for cell in &cells {
        report.figure(&format!("{} learned", cell.name), cell.learned);
        report.figure(&format!("{} not learned", cell.name), cell.unknown);
    }
    Ok(report)
}

/// The medians of one kind of graph on some slots.
struct Cell {
    name: String,
    learned: f64,
    unknown: f64,
    /// In how many graphs we took no longer than level by level.
    not_worse_than_levels: f64,
}

impl Cell {
    fn of(shape: Shape, n_tasks: usize, slots: u32) -> Self {
        let (mut learned, mut unknown, mut not_worse) = (Vec::new(), Vec::new(), 0.0);
        for seed in 0..GRAPHS {
            let work = generate(shape, n_tasks, seed);
            let bound = work.lower_bound(slots) as f64;
            let blind = work.makespan(slots, &vec![UNKNOWN; n_tasks]);
            learned.push(work.makespan(slots, &work.durations) as f64 / bound);
            unknown.push(blind as f64 / bound);
            not_worse += f64::from(u8::from(blind <= work.makespan_by_levels(slots)));
        }
        let shape = if shape == Shape::Random { "random" } else { "chains" };
        let name = format!("{shape}, {n_tasks} tasks, {slots} slots:");
        Self { name, learned: median(learned), unknown: median(unknown), not_worse_than_levels: not_worse }
    }
}

/// Brings a run to its end, and returns how many changes that took.
fn turn(mut crank: Crank) -> u64 {
    let before = crank.n_steps;
    // One that does not come to its end is noticed below, where its memory is measured.
    let _ = crank.turn();
    crank.n_steps - before
}
