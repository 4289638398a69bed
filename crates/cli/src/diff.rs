//! `jangdan diff [RUN] TASK`: what a task has changed so far.

use std::{
    io::{self, IsTerminal, Write},
    process::ExitCode,
};

use anstyle::{AnsiColor, Style};
use clap::Args;
use domain::TaskId;
use serde::Serialize;

use crate::{
    failure::Failure,
    printable::{json, printable_line},
    remote::{self, Common},
    wish::{Words, no_more},
};

const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const PLACE: Style = AnsiColor::Cyan.on_default();
const HEAD: Style = Style::new().bold();

/// Which task.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The run, where it is not this project's only one; the task
    #[arg(value_name = "WORDS", required = true, num_args = 1..=2)]
    words: Vec<String>,
    #[command(flatten)]
    common: Common,
}

#[derive(Serialize)]
struct Diff<'a> {
    run: &'a str,
    task: &'a str,
    diff: &'a str,
}

/// Prints it.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let words: Words<'_, TaskId> = Words::split(&arguments.words)?;
    no_more(words.rest)?;
    let task = words.about;
    let (run, diff) = arguments.common.reach(words.run, |client, run| {
        client.diff(&run.id, &task).map_err(|error| remote::failure(&error))
    })?;
    let printed = if arguments.common.json {
        print_json(&Diff { run: run.id.as_str(), task: task.as_str(), diff: &diff })
    } else {
        print(&diff)
    };
    match printed.err().and_then(|error| Failure::from_output(&error)) {
        Some(failure) => Err(failure),
        None => Ok(ExitCode::SUCCESS),
    }
}

fn print_json(diff: &Diff<'_>) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{}", json(diff)?)
}

/// Prints a diff as it is for programs, such as `git apply`, and made safe for a person's terminal.
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
            [b'@', ..] => PLACE,
            _ => Style::new(),
        };
        writeln!(out, "{style}{}{style:#}", printable_line(line))?;
    }
    out.flush()
}
