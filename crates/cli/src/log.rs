//! `jangdan log [RUN]`: the events of a run, one per line.
//!
//! Reads the log directly, also while a server writes it.

use std::{
    io::{self, Write},
    process::ExitCode,
    thread,
    time::Duration,
};

use anstyle::{AnsiColor, Style};
use clap::Args;
use domain::{ActionUpdate, Locale, RecordedEvent};
use views::{Views, describe_event, describe_event_in_korean};

use crate::{
    arguments::RunOperandArguments,
    failure::Failure,
    print_error::PrintError,
    printable::{printable, printable_json},
    remote,
    run_log::{PAGE_ENTRIES, RunLog},
    store_failure::failure,
    timestamp::format_utc,
};

const FAINT: Style = Style::new().dimmed();
const ACTOR: Style = AnsiColor::Cyan.on_default();

/// Width of the actor column; most names are shorter.
const ACTOR_WIDTH: usize = 12;

/// How long `--follow` waits before it reads again. A file does not announce that it changed; a person does not notice
/// this delay, and a read that finds nothing takes some microseconds.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    run: RunOperandArguments,
    /// Continue with new events until interrupted
    #[arg(long, short)]
    follow: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let log = RunLog::open(&arguments.run)?;
    match print_all(arguments, &log) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) => error.into_failure().map_or(Ok(ExitCode::SUCCESS), Err),
    }
}

fn print_all(arguments: &Arguments, log: &RunLog) -> Result<(), PrintError> {
    let json_output = arguments.run.common().json;
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    let mut views = Views::new(log.run.clone());
    let mut position = log.for_each_event(log.last, |recorded| {
        print(&mut out, json_output, &recorded, &mut views).map_err(PrintError::Output)
    })?;
    out.flush().map_err(PrintError::Output)?;
    if !arguments.follow {
        return Ok(());
    }
    loop {
        let entries = log.reader.read_all(position, PAGE_ENTRIES).map_err(failure)?;
        let Some(last) = entries.last() else {
            thread::sleep(POLL_INTERVAL);
            continue;
        };
        position = last.position;
        for entry in entries.iter().filter(|entry| entry.run == log.run) {
            let recorded = entry.to_recorded_event().map_err(failure)?;
            print(&mut out, json_output, &recorded, &mut views).map_err(PrintError::Output)?;
        }
        out.flush().map_err(PrintError::Output)?;
    }
}

/// Prints an event. `views` has the names of what the events refer to; all events before this one are applied to it.
fn print(out: &mut impl Write, as_json: bool, recorded: &RecordedEvent, views: &mut Views) -> io::Result<()> {
    if as_json {
        return writeln!(out, "{}", printable_json(recorded)?);
    }
    // Sentences do not need the actions.
    views.apply(recorded, &ActionUpdate::default());
    let (event, rows, actor) = (&recorded.event, views.rows(), &recorded.actor);
    let sentence = match remote::environment_locale() {
        Locale::En => describe_event(event, rows, actor).text,
        Locale::Ko => describe_event_in_korean(event, rows, actor),
    };
    let (at, actor) = (format_utc(recorded.at), printable(&recorded.actor.to_string()));
    let (sequence, text) = (recorded.sequence.0, printable(&sentence));
    writeln!(
        out,
        "{FAINT}{at}{FAINT:#} {sequence:>6} {ACTOR}{actor:<width$}{ACTOR:#} {text}",
        width = ACTOR_WIDTH
    )
}
