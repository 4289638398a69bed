//! `jangdan runs`: lists all runs of the data directory.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::Args;
use domain::Locale;
use server::DamagedRunEntry;
use views::{RunRow, describe_used_cost, describe_used_tokens};

use crate::{
    arguments::CommonArguments,
    failure::Failure,
    printable::{printable, printable_json},
    remote,
    row_source::{RowSource, damaged_runs_without_log},
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
    let (runs, damaged) = match source {
        Some(source) => (source.runs()?, source.damaged_runs()?),
        None => (Vec::new(), damaged_runs_without_log(&arguments.common)?),
    };
    let printed = if arguments.common.json {
        print_json(&runs).and_then(|()| print_damaged_json(&damaged))
    } else {
        print_table(&runs, !damaged.is_empty()).and_then(|()| print_damaged(&damaged))
    };
    Failure::exit_after_output(printed)
}

fn print_json(runs: &[RunRow]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for run in runs {
        writeln!(out, "{}", printable_json(run)?)?;
    }
    out.flush()
}

/// Prints one object per damaged run; unlike runs, it has a `cause`.
fn print_damaged_json(damaged: &[DamagedRunEntry]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for entry in damaged {
        writeln!(out, "{}", printable_json(entry)?)?;
    }
    out.flush()
}

/// Prints what is wrong with each damaged run, and what the user can do.
fn print_damaged(damaged: &[DamagedRunEntry]) -> io::Result<()> {
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    if !damaged.is_empty() {
        let title = pick_by_locale(remote::environment_locale(), "Damaged runs", "손상된 실행");
        writeln!(out, "\n{title}")?;
    }
    for DamagedRunEntry { run, cause, remedy, .. } in damaged {
        writeln!(out, "{run}  {}", printable(cause))?;
        writeln!(out, "    {}", printable(remedy))?;
    }
    out.flush()
}

fn print_table(runs: &[RunRow], has_damaged: bool) -> io::Result<()> {
    let locale = remote::environment_locale();
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    if runs.is_empty() && !has_damaged {
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
