//! `jangdan sandboxed`: restricts this process and executes another program in it. Sessions use it internally.
//!
//! If the sandbox cannot be set up, the program is not executed.

use std::{
    error::Error,
    ffi::OsString,
    io,
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Command, ExitCode},
};

use sessions::{SandboxPaths, restrict};

use crate::failure::Failure;

/// Exit statuses as of `env` and `nice`: own failure, program not executable, program not found.
const EXIT_FAILED: u8 = 125;
const EXIT_NOT_RUN: u8 = 126;
const EXIT_NOT_FOUND: u8 = 127;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Path that the program may write to; repeat for several
    #[arg(long, value_name = "PATH")]
    write: Vec<PathBuf>,
    /// Path that the program may write to, without creating named pipes; repeat for several
    #[arg(long, value_name = "PATH")]
    write_files: Vec<PathBuf>,
    /// Path in which the program may create and remove folders, but no files; repeat for several
    #[arg(long, value_name = "PATH")]
    make_folders: Vec<PathBuf>,
    /// Directory that the program may not read
    #[arg(long, value_name = "DIR")]
    hide: Option<PathBuf>,
    /// Path in the hidden directory that it may read; repeat for several
    #[arg(long, value_name = "PATH")]
    show: Vec<PathBuf>,
    /// Program and its arguments
    #[arg(required = true, last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Executes the program. Returns only on failure.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let bounds = SandboxPaths {
        write: arguments.write.clone(),
        write_files: arguments.write_files.clone(),
        make_folders: arguments.make_folders.clone(),
        hide: arguments.hide.clone(),
        show: arguments.show.clone(),
    };
    restrict(&bounds).map_err(|error| {
        let mut what = format!("Cannot sandbox the program: {error}");
        let mut cause = error.source();
        while let Some(error) = cause {
            what = format!("{what}: {error}");
            cause = error.source();
        }
        let hint = "The program was not started. Use --sandbox off to start it without a sandbox.".to_owned();
        Failure { what, hint: Some(hint), exit: EXIT_FAILED }
    })?;
    let (program, rest) = arguments.command.split_first().unzip();
    let program = program.cloned().unwrap_or_default();
    let error = Command::new(&program).args(rest.unwrap_or_default()).exec();
    let exit = if error.kind() == io::ErrorKind::NotFound { EXIT_NOT_FOUND } else { EXIT_NOT_RUN };
    Err(Failure { what: format!("Cannot execute {} ({error}).", program.display()), hint: None, exit })
}
