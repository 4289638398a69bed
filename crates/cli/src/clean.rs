//! `jangdan clean [RUN]`: removes the worktrees that nobody needs any more. What is in them is kept in git.

use std::process::ExitCode;

use clap::Args;
use runtime::Cleaned;

use crate::{
    failure::Failure,
    plural::plural,
    printable::{json, printable},
    remote::{self, Common},
};

/// Which run.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The run, or the beginning of its name; without it this project's
    run: Option<String>,
    #[command(flatten)]
    common: Common,
}

/// Cleans up, and says what stays.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let (_, cleaned) = arguments.common.reach(arguments.run.as_deref(), |client, run| {
        let cleaned: Result<Cleaned, _> = client.post(&format!("/api/runs/{}/clean", run.id), &());
        cleaned.map_err(|error| remote::failure(&error))
    })?;
    if arguments.common.json {
        println!("{}", json(&cleaned).unwrap_or_default());
        return Ok(ExitCode::SUCCESS);
    }
    let n_removed = cleaned.removed.len() + cleaned.desks_removed.len();
    eprintln!("{} removed", plural(n_removed, "worktree"));
    for (task, why) in &cleaned.left {
        eprintln!("{}", printable(&format!("{task} stays: {why}")));
    }
    for (session, why) in &cleaned.desks_left {
        eprintln!("{}", printable(&format!("{session} stays: {why}")));
    }
    Ok(ExitCode::SUCCESS)
}
