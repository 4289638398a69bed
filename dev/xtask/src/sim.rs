//! `cargo xtask sim`: builds the simulator with full optimisation and runs it.

use anyhow::Result;
use clap::Args;

use crate::shell;

/// Arguments, passed on to the simulator.
#[derive(Args)]
pub(crate) struct Options {
    /// See `cargo xtask sim -- --help`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Runs the simulator; a broken rule is an error.
pub(crate) fn run(options: &Options) -> Result<()> {
    let arguments: Vec<&str> = options.arguments.iter().map(String::as_str).collect();
    simulate(&arguments)
}

/// Runs the simulator with these arguments.
pub(crate) fn simulate(arguments: &[&str]) -> Result<()> {
    let mut command = shell::cargo_command(&["run", "--quiet", "--release", "--package", "simulator", "--"]);
    shell::run(command.args(arguments))
}
