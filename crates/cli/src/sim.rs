//! `jangdan sim`: imagines many runs of the engine, and says whether one breaks a rule.
//!
//! A seed decides a run, so that a violation is seen again with the line that it prints.

use std::{
    io::{self, Write},
    process::ExitCode,
    sync::Mutex,
    time::{Duration, Instant},
};

use clap::Args;
use simulator::{Found, Options, Summary, Violation};

use crate::failure::Failure;

/// How often progress is said.
const PROGRESS_EVERY: Duration = Duration::from_secs(2);

/// What `jangdan sim` takes.
#[derive(Debug, Args)]
pub struct Arguments {
    /// How many runs are imagined
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// The first seed
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    first: u64,
    /// The most tasks that a plan has
    #[arg(long, value_name = "N", default_value_t = Options::default().tasks,
          value_parser = clap::value_parser!(u32).range(1..=1_000))]
    tasks: u32,
    /// Print all that happens in the run of this seed
    #[arg(long, value_name = "SEED")]
    show: Option<u64>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let options = Options { tasks: arguments.tasks, ..Options::default() };
    let outcome = match arguments.show {
        Some(seed) => show(seed, &options),
        None => Ok(imagine(arguments, &options)),
    };
    let found = match outcome {
        Ok(found) => found,
        Err(error) => return Failure::from_output(&error).map_or(Ok(ExitCode::SUCCESS), Err),
    };
    match found.violation {
        Some(violation) => Err(failure(arguments, &violation)),
        None => match writeln!(io::stdout(), "{}", sentence(&found.summary)) {
            Ok(()) => Ok(ExitCode::SUCCESS),
            Err(error) => Failure::from_output(&error).map_or(Ok(ExitCode::SUCCESS), Err),
        },
    }
}

fn imagine(arguments: &Arguments, options: &Options) -> Found {
    let start = Instant::now();
    let last_said = Mutex::new(start);
    let n_seeds = arguments.seeds;
    let progress = |n_done: u64| {
        let Ok(mut last_said) = last_said.try_lock() else { return };
        if last_said.elapsed() >= PROGRESS_EVERY {
            *last_said = Instant::now();
            let seconds = start.elapsed().as_secs();
            // Where nobody listens, nobody misses it.
            let _ = writeln!(io::stderr(), "{n_done} of {n_seeds} runs in {seconds} s");
        }
    };
    simulator::search(arguments.first, n_seeds, options, &progress)
}

fn show(seed: u64, options: &Options) -> io::Result<Found> {
    let (lines, outcome) = simulator::show(seed, options);
    let mut output = io::BufWriter::new(io::stdout().lock());
    for line in lines {
        writeln!(output, "{line}")?;
    }
    output.flush()?;
    Ok(match outcome {
        Ok(summary) => Found { summary, violation: None },
        Err(violation) => Found { summary: Summary::default(), violation: Some(violation) },
    })
}

fn failure(arguments: &Arguments, violation: &Violation) -> Failure {
    let seed = violation.seed;
    let default = Options::default().tasks;
    let tasks =
        if arguments.tasks == default { String::new() } else { format!(" --tasks {}", arguments.tasks) };
    let hint = match arguments.show {
        Some(_) => "the last lines above led to it".to_owned(),
        None => format!("see it with `jangdan sim --first {seed} --seeds 1 --show {seed}{tasks}`"),
    };
    Failure { what: violation.to_string(), hint: Some(hint), exit: 1 }
}

fn sentence(summary: &Summary) -> String {
    let Summary { runs, commands, refused, events, crashes, done, amended } = summary;
    format!(
        "{runs} runs break no rule: {commands} commands ({refused} refused), {events} events, {done} tasks done, \
         {amended} changes of plans taken, {crashes} crashes survived"
    )
}
