//! `jangdan watch [RUN]`: shows a run that goes on in another process.

use std::process::ExitCode;

use clap::Args;
use runtime::AfterStop;

use super::{Options, Outcome, watch};
use crate::{
    failure::Failure,
    remote::{self, Common},
    wish::Wisher,
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
    let found = Wisher::find(&arguments.common, arguments.run.as_deref())?;
    let client = arguments.common.client()?;
    let options = Options {
        json: arguments.common.json,
        no_wait: arguments.no_wait,
        locale: remote::locale(),
        person: remote::person(),
    };
    let outcome = watch(&client, &found.run.id, &options)?;
    if outcome == Outcome::StopAgents {
        client.stop(AfterStop::EndSessions).map_err(|error| remote::failure(&error))?;
    }
    Ok(outcome.exit())
}
