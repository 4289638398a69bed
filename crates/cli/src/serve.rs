//! `jangdan serve`: a server that stays, so that runs go on while nobody watches.

use std::{process::ExitCode, time::Duration};

use clap::Args;
use runtime::{AfterStop, Host};
use server::{Client, Server};

use crate::{
    failure::Failure,
    link,
    printable::json,
    remote::{self, Common, chain},
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
    common: Common,
}

/// Serves until it is interrupted, or somebody asks for its end.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let data = arguments.common.data()?;
    if let Some(client) = arguments.common.connect()? {
        let status = client.status().map_err(|error| remote::failure(&error))?;
        let what = format!("a server runs for {} already (process {})", data.display(), status.pid);
        return Err(Failure { what, hint: Some("use it: jangdan runs".to_owned()), exit: 1 });
    }
    server::prepare();
    let loopback = link::configured()?;
    let signals = Signals::take()?;
    let host = Host::open(&data).map_err(|error| Failure {
        what: format!("open the runs in {}: {}", data.display(), chain(&error)),
        hint: Some("is another server about to start or to end? try again in a moment".to_owned()),
        exit: 1,
    })?;
    let server = Server::start(host, &data, loopback).map_err(|error| Failure {
        what: chain(&error),
        hint: Some(error.hint().to_owned()),
        exit: 1,
    })?;
    eprintln!("serves {}; Ctrl-C ends it", data.display());
    let client = arguments.common.connect()?;
    if let Some(client) = client.as_ref().filter(|_| !arguments.common.json) {
        link::say(client);
    }
    if let (true, Some(client)) = (arguments.common.json, client) {
        let status = client.status().map_err(|error| remote::failure(&error))?;
        println!("{}", json(&status).unwrap_or_default());
    }
    while !signals.is_ended() {
        signals.wait(LOOK);
        // Somebody else may have asked for the end.
        if Client::connect(&data).is_ok_and(|client| client.is_none()) {
            server.wait();
            return Ok(ExitCode::SUCCESS);
        }
    }
    let agents = if arguments.end_agents { AfterStop::EndSessions } else { AfterStop::LeaveWorking };
    server.stop(agents);
    Ok(ExitCode::SUCCESS)
}
