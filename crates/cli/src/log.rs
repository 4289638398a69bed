//! `jangdan log RUN`: what happened, a line for each event.
//!
//! Reads beside a server that writes, and with `--follow` goes on as it does.

use std::{
    io::{self, Write},
    process::ExitCode,
    thread,
    time::Duration,
};

use anstyle::{AnsiColor, Style};
use clap::Args;
use domain::Recorded;
use views::line;

use crate::{
    data::{Found, PAGE_ENTRIES, RunArguments},
    failure::Failure,
    moment::moment,
    printable::{json, printable},
    store_failure::failure,
};

const FAINT: Style = Style::new().dimmed();
const ACTOR: Style = AnsiColor::Cyan.on_default();

/// How wide the column of actors is; most are shorter.
const ACTOR_WIDTH: usize = 12;

/// How long `--follow` waits before it reads again. A file does not announce that it changed; a person does not notice
/// this delay, and a read that finds nothing takes some microseconds.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The command's own arguments.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    run: RunArguments,
    /// Print each event as a JSON object on a line
    #[arg(long)]
    json: bool,
    /// Go on with what happens from now on, until interrupted
    #[arg(long)]
    follow: bool,
}

/// Prints the log of a run.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let found = arguments.run.find()?;
    match print_all(arguments, &found) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(Stop::Failure(failure)) => Err(failure),
        Err(Stop::Output(error)) => Failure::from_output(&error).map_or(Ok(ExitCode::SUCCESS), Err),
    }
}

/// Why printing ends before the log does.
enum Stop {
    Failure(Failure),
    Output(io::Error),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

fn print_all(arguments: &Arguments, found: &Found) -> Result<(), Stop> {
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    let mut position = found
        .each(found.last, |recorded| print(&mut out, arguments.json, &recorded).map_err(Stop::Output))?;
    out.flush().map_err(Stop::Output)?;
    if !arguments.follow {
        return Ok(());
    }
    loop {
        let entries = found.reader.read_all(position, PAGE_ENTRIES).map_err(failure)?;
        let Some(last) = entries.last() else {
            thread::sleep(POLL_INTERVAL);
            continue;
        };
        position = last.position;
        for entry in entries.iter().filter(|entry| entry.run == found.run) {
            let recorded = entry.recorded().map_err(failure)?;
            print(&mut out, arguments.json, &recorded).map_err(Stop::Output)?;
        }
        out.flush().map_err(Stop::Output)?;
    }
}

fn print(out: &mut impl Write, as_json: bool, recorded: &Recorded) -> io::Result<()> {
    if as_json {
        return writeln!(out, "{}", json(recorded)?);
    }
    let (at, actor) = (moment(recorded.at), printable(&recorded.actor.to_string()));
    let (sequence, text) = (recorded.sequence.0, printable(&line(&recorded.event).text));
    writeln!(
        out,
        "{FAINT}{at}{FAINT:#} {sequence:>6} {ACTOR}{actor:<width$}{ACTOR:#} {text}",
        width = ACTOR_WIDTH
    )
}
