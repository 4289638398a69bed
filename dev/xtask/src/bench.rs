//! `cargo xtask bench NAME`: builds the benches with full optimisation and runs one.
//!
//! The benches themselves are in `dev/testkit/src/bin/bench/`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use crate::{shell, tools, web};

/// The bench, and the format of its report.
#[derive(Args)]
pub(crate) struct Options {
    /// Name of the bench; a wrong name lists them.
    name: String,
    /// Prints the report as one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs the bench and returns its exit status: 1 if a goal is missed.
pub(crate) fn run(options: &Options) -> ExitCode {
    if let Err(error) = ensure_prerequisites(options) {
        eprintln!("error: {error:#}");
        return ExitCode::FAILURE;
    }
    let mut command =
        shell::cargo_command(&["run", "--profile", "dist", "--package", "testkit", "--bin", "bench"]);
    command.arg("--").arg(&options.name).args(options.json.then_some("--json"));
    match command.status() {
        Ok(status) => status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1).into(),
        Err(error) => {
            eprintln!("error: start cargo: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Builds `jangdan`, and installs what the bench needs: the holder's target, and a browser for `web`.
fn ensure_prerequisites(options: &Options) -> Result<()> {
    tools::ensure_holder_target()?;
    if options.name == "web" {
        web::ensure_browser()?;
    }
    shell::run(&mut shell::cargo_command(&["build", "--profile", "dist", "--package", "cli"]))
}
