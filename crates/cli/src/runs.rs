//! `jangdan runs`: lists all runs of the data directory.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::Args;
use views::RunRow;

use crate::{
    arguments::CommonArguments,
    failure::Failure,
    printable::printable_json,
    remote,
    row_source::RowSource,
    screen::{
        amounts::{elapsed_ms, format_cost, format_duration, format_tokens},
        line::collapse_whitespace,
        phrases::run_state,
    },
    table,
    watch::now,
};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    common: CommonArguments,
}

/// Prints the runs, the oldest first.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let runs = RowSource::open(&arguments.common)?.runs()?;
    let printed = if arguments.common.json { print_json(&runs) } else { print_table(&runs) };
    match printed.err().and_then(|error| Failure::from_output_error(&error)) {
        Some(failure) => Err(failure),
        None => Ok(ExitCode::SUCCESS),
    }
}

fn print_json(runs: &[RunRow]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for run in runs {
        writeln!(out, "{}", printable_json(run)?)?;
    }
    out.flush()
}

fn print_table(runs: &[RunRow]) -> io::Result<()> {
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    if runs.is_empty() {
        writeln!(out, "No runs. Start one: jangdan run PLAN")?;
    }
    let locale = remote::environment_locale();
    let lines = runs.iter().map(|run| {
        let elapsed = format_duration(locale, elapsed_ms(run.started_at, run.ended_at.unwrap_or_else(now)));
        let waiting =
            if run.waits_for.person == 0 { String::new() } else { run.waits_for.person.to_string() };
        let used = format!("{} {}", format_tokens(run.used.tokens), format_cost(run.used.cost_micros));
        let done = format!("{} of {}", run.tasks.done, run.n_tasks);
        let state = run_state(locale, run.status).to_owned();
        [
            run.id.to_string(),
            state,
            done,
            waiting,
            elapsed,
            used,
            run.project.clone(),
            collapse_whitespace(&run.title),
        ]
    });
    let heads = ["", "state", "done", "waiting for you", "elapsed", "usage", "project", "title"];
    table::print_table(&mut out, "Runs", heads, lines)?;
    out.flush()
}
