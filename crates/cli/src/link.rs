//! `jangdan link`: the link that opens the page of a server that runs.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::Args;
use domain::RunId;
use serde::Serialize;
use server::{Client, Loopback};

use crate::{
    arguments::CommonArguments,
    failure::{Failure, say_hint},
    printable::json,
    remote,
    settings::{SetArguments, Settings},
};

/// Of which server.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Serialize)]
struct Linked {
    link: String,
}

/// Prints it.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let client = remote::client(&arguments.common)?;
    let link = client.link(None).map_err(|error| remote::failure(&error))?.ok_or_else(|| Failure {
        what: "the server that runs has no page".to_owned(),
        hint: Some("start one that has: jangdan serve".to_owned()),
        exit: 1,
    })?;
    let mut out = io::stdout().lock();
    let written = match arguments.common.json {
        true => json(&Linked { link }).map_err(io::Error::from).and_then(|text| writeln!(out, "{text}")),
        false => writeln!(out, "{link}"),
    };
    match written.err().and_then(|error| Failure::from_output(&error)) {
        Some(failure) => Err(failure),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Tells a person where the page is, of a run where there is one. That there is none hinders nothing.
pub fn say(client: &Client, run: Option<&RunId>) {
    if let Ok(Some(link)) = client.link(run) {
        say_hint(&format!("see it in a browser: {link}"));
    }
}

/// Returns the port that a server is to have by the configuration.
pub fn port(config: &config::Config) -> Loopback {
    Loopback::Port { port: config.port }
}

/// Returns the same for a command that needs nothing else of the configuration.
pub fn configured() -> Result<Loopback, Failure> {
    let loaded = Settings::read(&SetArguments::default())?.load()?;
    Ok(port(&loaded.config))
}
