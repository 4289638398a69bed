//! `cargo xtask sim`: simulates many runs of the engine and reports the first seed that breaks a rule.
//!
//! A seed determines a run completely, so a violation can be reproduced with the command that the report prints.

use std::{
    io::{self, Write},
    process::ExitCode,
    sync::Mutex,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};
use clap::Parser;
use simulator::{Options, Rule, Summary};

const PROGRESS_INTERVAL: Duration = Duration::from_secs(2);

/// Simulate runs with crashes, faulty agents and late answers.
#[derive(Parser)]
#[command(name = "cargo xtask sim", bin_name = "cargo xtask sim")]
struct Arguments {
    /// Number of runs
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// Seed of the first simulated run
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    first: u64,
    /// Maximum number of tasks in a plan
    #[arg(long, value_name = "N", default_value_t = Options::default().tasks,
          value_parser = clap::value_parser!(u32).range(1..=1_000))]
    tasks: u32,
    /// Search for a run that breaks this rule (repeatable: one of these rules), and fail if there is none
    #[arg(long, value_name = "RULE", conflicts_with = "show")]
    expect: Vec<Rule>,
    /// Print every command, event and crash of the run with this seed
    #[arg(long, value_name = "SEED")]
    show: Option<u64>,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let options = Options { tasks: arguments.tasks, ..Options::default() };
    let line = match arguments.show {
        Some(seed) => summary_sentence(&print_run(seed, &options)?),
        None => run_search(&arguments, &options)?,
    };
    writeln!(io::stdout(), "{line}")?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the line to print: the counts, or the expected violation.
fn run_search(arguments: &Arguments, options: &Options) -> Result<String> {
    let start = Instant::now();
    let last_report = Mutex::new(start);
    let n_seeds = arguments.seeds;
    let progress = |n_done: u64| {
        let Ok(mut last_report) = last_report.try_lock() else { return };
        if last_report.elapsed() >= PROGRESS_INTERVAL {
            *last_report = Instant::now();
            eprintln!("{n_done} of {n_seeds} runs in {} s", start.elapsed().as_secs());
        }
    };
    if !arguments.expect.is_empty() {
        return search_expected(arguments, options, &progress);
    }
    let result = simulator::search_failing_seed(arguments.first, n_seeds, options, &progress);
    let Some(failure) = result.failure else { return Ok(summary_sentence(&result.summary)) };
    let seed = failure.seed;
    let tasks = match arguments.tasks {
        tasks if tasks == Options::default().tasks => String::new(),
        tasks => format!(" --tasks {tasks}"),
    };
    bail!("{failure}\nhint: print that run with `cargo xtask sim --show {seed}{tasks}`")
}

fn search_expected(
    arguments: &Arguments,
    options: &Options,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<String> {
    let (first, n_seeds, expected) = (arguments.first, arguments.seeds, &arguments.expect);
    let result = simulator::search_expected_violation(first, n_seeds, options, expected, progress);
    if let Some(failure) = result.failure {
        return Ok(failure.to_string());
    }
    let others = match result.other_failures.first() {
        Some(other) => format!("{} break another rule, such as: {other}", result.other_failures.len()),
        None => "none breaks another rule".to_owned(),
    };
    bail!("none of {n_seeds} runs breaks {expected:?}; {others}")
}

fn print_run(seed: u64, options: &Options) -> Result<Summary> {
    let (lines, outcome) = simulator::simulate_with_trace(seed, options);
    let mut output = io::BufWriter::new(io::stdout().lock());
    for line in lines {
        writeln!(output, "{line}")?;
    }
    output.flush()?;
    match outcome {
        Ok(summary) => Ok(summary),
        Err(failure) => bail!("{failure}\nhint: the last lines above led to it"),
    }
}

fn summary_sentence(summary: &Summary) -> String {
    let Summary { runs, commands, refused, events, crashes, done, amended } = summary;
    format!(
        "{runs} runs break no rule: {commands} commands ({refused} refused), {events} events, {done} tasks done, \
         {amended} plan changes applied, {crashes} crashes survived"
    )
}
