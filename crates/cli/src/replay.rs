//! `jangdan replay RUN --to SEQ`: the rows of a run as they were when that event had happened.
//!
//! Makes them anew from the log, so what it shows is what the log says, whatever is saved beside it.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    process::ExitCode,
};

use clap::Args;
use domain::{RunId, Sequence, Timestamp};
use serde::Serialize;
use views::{Kind, Row, Views};

use crate::{data::RunArguments, failure::Failure, printable::json};

mod tables;

/// The command's own arguments.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    run: RunArguments,
    /// The number of the event; without it the last one
    #[arg(long, value_name = "SEQ")]
    to: Option<u64>,
    /// Print all rows as one JSON object
    #[arg(long)]
    json: bool,
}

/// Everything that is known of a run at one of its events.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replay {
    run: RunId,
    sequence: Sequence,
    at: Timestamp,
    rows: BTreeMap<&'static str, Vec<Row>>,
}

/// Prints the rows of a run.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let found = arguments.run.find()?;
    let to = arguments.to.map_or(found.last, Sequence);
    if to > found.last {
        let what = format!("run {} has no event {to}", found.run);
        return Err(Failure { what, hint: Some(format!("its last one is {}", found.last)), exit: 1 });
    }
    let mut views = Views::new(found.run.clone());
    let mut at = Timestamp::default();
    found.each(to, |recorded| {
        views.apply(&recorded);
        at = recorded.at;
        Ok::<(), Failure>(())
    })?;
    let printed = if arguments.json {
        let rows = Kind::ALL.iter().map(|kind| (kind.name(), views.rows().of(*kind))).collect();
        print_json(&Replay { run: found.run, sequence: to, at, rows })
    } else {
        tables::print(&views, &found.run, to, at)
    };
    match printed.err().and_then(|error| Failure::from_output(&error)) {
        Some(failure) => Err(failure),
        None => Ok(ExitCode::SUCCESS),
    }
}

fn print_json(replay: &Replay) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{}", json(replay)?)?;
    stdout.flush()
}
