//! `jangdan runs`: lists all runs of the data directory.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::Args;
use domain::Locale;
use views::{RunRow, describe_used_cost, describe_used_tokens};

use crate::{
    arguments::CommonArguments,
    failure::Failure,
    printable::printable_json,
    remote,
    row_source::RowSource,
    screen::{
        amounts::{elapsed_ms, format_duration},
        line::collapse_whitespace,
        phrases::{pick_by_locale, run_state},
    },
    table,
    watch::now,
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: CommonArguments,
}

/// Prints the runs, the oldest first.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let source = RowSource::open_if_present(&arguments.common)?;
    let runs = source.map_or_else(|| Ok(Vec::new()), |source| source.runs())?;
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
    let locale = remote::environment_locale();
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    if runs.is_empty() {
        let text = pick_by_locale(
            locale,
            "No runs. Start one: jangdan run PLAN",
            "실행이 없습니다. 시작하려면: jangdan run PLAN",
        );
        writeln!(out, "{text}")?;
    }
    let lines = runs.iter().map(|run| {
        let elapsed = format_duration(locale, elapsed_ms(run.started_at, run.ended_at.unwrap_or_else(now)));
        let waiting =
            if run.waits_for.person == 0 { String::new() } else { run.waits_for.person.to_string() };
        let used =
            format!("{}, {}", describe_used_tokens(locale, &run.used), describe_used_cost(locale, &run.used));
        let done = match locale {
            Locale::En => format!("{} of {}", run.tasks.done, run.n_tasks),
            Locale::Ko => format!("{}/{}", run.tasks.done, run.n_tasks),
        };
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
    let (title, heads) = match locale {
        Locale::En => {
            ("Runs", ["", "state", "done", "waiting for you", "elapsed", "usage", "project", "title"])
        }
        Locale::Ko => ("실행", ["", "상태", "완료", "확인 필요", "경과", "사용량", "프로젝트", "제목"]),
    };
    table::print_table(&mut out, title, heads, lines)?;
    out.flush()
}
