//! `jangdan completions`: prints the completion script of a shell.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;

use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Shell to print the script for
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    // In memory first: the generator panics if its output fails.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut visible_command(), "jangdan", &mut script);
    let written = io::stdout().lock().write_all(&script);
    written.or_else(|error| Failure::from_output_error(&error).map_or(Ok(()), Err))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the command line without hidden commands, which the generator would complete.
fn visible_command() -> Command {
    let command = crate::Arguments::command();
    let visible = command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set());
    Command::new("jangdan").args(command.get_arguments()).subcommands(visible)
}
