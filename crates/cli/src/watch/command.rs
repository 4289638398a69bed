//! `jangdan watch [RUN]`: shows a run that goes on in another process.

use std::process::ExitCode;

use clap::Args;
use domain::Command;

use super::{Options, Outcome, watch};
use crate::{
    failure::Failure,
    remote::{self, Common},
    source::Source,
    status,
};

/// Which run, and how.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The run, or the beginning of its name; without it this project's
    run: Option<String>,
    /// Return with status 3 as soon as nothing goes on without a person
    #[arg(long)]
    no_wait: bool,
    #[command(flatten)]
    common: Common,
}

/// Watches it.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let source = Source::open(&arguments.common)?;
    let run = source.find(arguments.run.as_deref())?;
    if let (None, Some(outcome)) = (source.client(), Outcome::of(&run)) {
        // Nothing happens any more that a server would have to tell.
        status::show(&source, &run)?;
        return Ok(outcome.exit());
    }
    let client = arguments.common.client()?;
    let options = Options {
        json: arguments.common.json,
        no_wait: arguments.no_wait,
        locale: remote::locale(),
        person: runtime::prepare::person(),
    };
    let outcome = watch(&client, &run.id, &options)?;
    if outcome == Outcome::StopAgents {
        // The server is somebody else's: only this run is to stand still.
        let paused = client.wish(&run.id, &options.person, &Command::PauseRun);
        paused.map_err(|error| remote::failure(&error))?;
    }
    Ok(outcome.exit())
}
