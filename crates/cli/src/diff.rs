//! `jangdan diff TASK`: the changes of a task so far.

use std::{
    io::{self, IsTerminal, Write},
    process::ExitCode,
};

use anstyle::{AnsiColor, Style};
use clap::Args;
use domain::TaskId;
use serde::Serialize;

use crate::{
    arguments::{RunArguments, parse_task_id},
    failure::Failure,
    printable::{printable_json, printable_line},
    remote,
};

const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const RANGE: Style = AnsiColor::Cyan.on_default();
const HEAD: Style = Style::new().bold();

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Task, such as T1.2
    #[arg(value_parser = parse_task_id)]
    task: TaskId,
    #[command(flatten)]
    run: RunArguments,
}

#[derive(Serialize)]
struct TaskDiff<'a> {
    run: &'a str,
    task: &'a str,
    diff: &'a str,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let (task, common) = (&arguments.task, &arguments.run.common);
    let (run, diff) = remote::query_run(common, arguments.run.run_name(), |client, run| {
        client.task_diff(&run.id, task).map_err(|error| remote::client_failure(&error))
    })?;
    let printed = if common.json {
        print_json(&TaskDiff { run: run.id.as_str(), task: task.as_str(), diff: &diff })
    } else {
        print(&diff)
    };
    match printed.err().and_then(|error| Failure::from_output_error(&error)) {
        Some(failure) => Err(failure),
        None => Ok(ExitCode::SUCCESS),
    }
}

fn print_json(diff: &TaskDiff<'_>) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{}", printable_json(diff)?)
}

/// Prints a diff unchanged for programs such as `git apply`, coloured and without control characters on a terminal.
fn print(diff: &str) -> io::Result<()> {
    if !io::stdout().is_terminal() {
        return io::stdout().lock().write_all(diff.as_bytes());
    }
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    for line in diff.lines() {
        let style = match line.as_bytes() {
            [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] | [b'd', b'i', b'f', b'f', ..] => HEAD,
            [b'+', ..] => ADDED,
            [b'-', ..] => REMOVED,
            [b'@', ..] => RANGE,
            _ => Style::new(),
        };
        writeln!(out, "{style}{}{style:#}", printable_line(line))?;
    }
    out.flush()
}
