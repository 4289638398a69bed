//! `jangdan session start`: starts a program in a session of its own.

use std::{collections::BTreeMap, env, ffi::OsString, path::PathBuf, process::ExitCode};

use agents::{Sessions, Start};
use holder::protocol::{Attachment, Stderr, WindowSize};

use super::{attach, failure};
use crate::failure::Failure;

/// The window of a session that nobody looks at.
const WINDOW: WindowSize = WindowSize { columns: 120, rows: 40 };

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// A name for the session; without it it is called after its command
    #[arg(long)]
    name: Option<String>,
    /// Where the program starts; here, without it
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Connects the program by pipes instead of a terminal
    #[arg(long, conflicts_with = "attach")]
    pipes: bool,
    /// How much memory all its processes may need together, in MiB
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
    /// Attaches this terminal at once
    #[arg(long)]
    attach: bool,
    /// The program and its arguments
    #[arg(required = true, last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub fn run(sessions: &Sessions, arguments: &Arguments) -> Result<ExitCode, Failure> {
    let directory = match &arguments.directory {
        Some(directory) => std::path::absolute(directory),
        None => env::current_dir(),
    };
    let directory = directory.map_err(|error| Failure {
        what: format!("find the directory to start in: {error}"),
        hint: Some("name one with --directory".to_owned()),
        exit: 1,
    })?;
    let start = Start {
        name: arguments.name.clone(),
        command: arguments.command.clone(),
        directory,
        attachment: if arguments.pipes {
            Attachment::Pipes { stderr: Stderr::Apart }
        } else {
            Attachment::Terminal(attach::window().unwrap_or(WINDOW))
        },
        environment: BTreeMap::new(),
        memory_bytes_max: arguments.memory.map(|mib| mib.saturating_mul(1 << 20)),
    };
    let found = sessions.start(&start).map_err(failure)?;
    if arguments.attach {
        return attach::run(sessions, &found);
    }
    println!("{}", found.name);
    eprintln!("come back with: jangdan session attach {}", found.name);
    Ok(ExitCode::SUCCESS)
}
