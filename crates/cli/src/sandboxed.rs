//! `jangdan sandboxed`: restricts itself and becomes another program. Sessions are started by it; people have no need to.
//!
//! What can't be restricted is not run: whoever calls this has decided that a sandbox can be had.

use std::{
    error::Error,
    ffi::OsString,
    io,
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Command, ExitCode},
};

use sessions::{Bounds, restrict};

use crate::failure::Failure;

/// As of `env`, `nice` and others that become another program: their own failure, and a program that is not there.
const EXIT_FAILED: u8 = 125;
const EXIT_NOT_RUN: u8 = 126;
const EXIT_NOT_FOUND: u8 = 127;

/// Runs a program that may not do everything.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// What it may write to
    #[arg(long, value_name = "PATH")]
    write: Vec<PathBuf>,
    /// What it may not read
    #[arg(long, value_name = "DIR")]
    hide: Option<PathBuf>,
    /// What it may read in spite of that
    #[arg(long, value_name = "PATH")]
    show: Vec<PathBuf>,
    /// The program and its arguments
    #[arg(required = true, last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Runs the command. Returns only if it can't be run.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let bounds =
        Bounds { write: arguments.write.clone(), hide: arguments.hide.clone(), show: arguments.show.clone() };
    restrict(&bounds).map_err(|error| {
        let mut what = format!("sandbox the program: {error}");
        let mut cause = error.source();
        while let Some(error) = cause {
            what = format!("{what}: {error}");
            cause = error.source();
        }
        let hint = "nothing was started; without a sandbox it starts with --sandbox off".to_owned();
        Failure { what, hint: Some(hint), exit: EXIT_FAILED }
    })?;
    let (program, rest) = arguments.command.split_first().unzip();
    let program = program.cloned().unwrap_or_default();
    let error = Command::new(&program).args(rest.unwrap_or_default()).exec();
    let exit = if error.kind() == io::ErrorKind::NotFound { EXIT_NOT_FOUND } else { EXIT_NOT_RUN };
    Err(Failure { what: format!("run {}: {error}", program.display()), hint: None, exit })
}
