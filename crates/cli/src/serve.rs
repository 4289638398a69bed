//! `jangdan serve`: a server that stays, so that runs go on while nobody watches.

use std::{process::ExitCode, time::Duration};

use clap::Args;
use runtime::AfterStop;
use server::Running;

use crate::{
    arguments::CommonArguments,
    failure::Failure,
    link,
    printable::json,
    remote::{self, chain},
    watch::signals::Signals,
};

/// How often it looks whether somebody asked for its end.
const LOOK: Duration = Duration::from_millis(200);

/// How the server is to end.
#[derive(Debug, Args)]
pub struct Arguments {
    /// End the agents when the server is interrupted; without it they work on and are found again
    #[arg(long)]
    end_agents: bool,
    #[command(flatten)]
    common: CommonArguments,
}

/// Serves until it is interrupted, or somebody asks for its end.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let data = arguments.common.data()?;
    let loopback = link::configured()?;
    let signals = Signals::take()?;
    let failed = |error: server::EnsureError| Failure {
        what: chain(&error),
        hint: Some(error.hint().to_owned()),
        exit: 1,
    };
    let Running { client, inside } = server::ensure(&data, loopback).map_err(failed)?;
    let Some(server) = inside else {
        let status = client.status().map_err(|error| remote::failure(&error))?;
        let what = format!("a server runs for {} already (process {})", data.display(), status.pid);
        return Err(Failure { what, hint: Some("use it: jangdan runs".to_owned()), exit: 1 });
    };
    eprintln!("serves {}; Ctrl-C ends it", data.display());
    if arguments.common.json {
        let status = client.status().map_err(|error| remote::failure(&error))?;
        println!("{}", json(&status).unwrap_or_default());
    } else {
        link::say(&client, None);
    }
    while !signals.is_ended() {
        signals.wait(LOOK);
        // Somebody else may have asked for the end, which counts then; or its folder is gone, and nobody can ask.
        if !server.is_reachable() {
            server.stop(AfterStop::LeaveWorking);
            return Ok(ExitCode::SUCCESS);
        }
    }
    let agents = if arguments.end_agents { AfterStop::EndSessions } else { AfterStop::LeaveWorking };
    server.stop(agents);
    Ok(ExitCode::SUCCESS)
}
