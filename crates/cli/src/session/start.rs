//! `jangdan session start`: starts a program in a session of its own.

use std::{collections::BTreeMap, env, ffi::OsString, path::PathBuf, process::ExitCode};

use agents::{Demand, Enforcement, Report, Sandbox, Sessions, Start};
use clap::ValueEnum;
use holder::protocol::{Attachment, Stderr, WindowSize};

use super::{attach, failure};
use crate::failure::{Failure, say_warning};

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
    /// Keeps the program from writing outside of its directory, and from reading Jangdan's own files
    #[arg(long, value_enum, default_value_t = Wish::Off, value_name = "WISH")]
    sandbox: Wish,
    /// What a sandboxed program may write to, beside its directory and the usual; may be there several times
    #[arg(long, value_name = "PATH")]
    write: Vec<PathBuf>,
    /// Attaches this terminal at once
    #[arg(long)]
    attach: bool,
    /// The program and its arguments
    #[arg(required = true, last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Whether the program is to be kept in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Wish {
    /// It may do what you may
    Off,
    /// As well as this machine can, and said where it can't
    Worktree,
    /// Whole, or the session does not start
    Required,
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
        sandbox: Sandbox { demand: arguments.sandbox.into(), write: arguments.write.clone() },
    };
    let found = sessions.start(&start).map_err(failure)?;
    found.about.sandbox.iter().for_each(warn);
    if arguments.attach {
        return attach::run(sessions, &found);
    }
    println!("{}", found.name);
    eprintln!("come back with: jangdan session attach {}", found.name);
    Ok(ExitCode::SUCCESS)
}

/// Says loudly where a sandbox is not what was wished for.
fn warn(report: &Report) {
    let Some(reason) = &report.reason else { return };
    let what = match report.state {
        Enforcement::Enforced => "the sandbox is narrower than usual",
        Enforcement::Partly => "the session is sandboxed only in part",
        Enforcement::NotAvailable => "the session is NOT sandboxed, and may do what you may",
    };
    say_warning(&format!("{what}: {reason}"));
}

impl From<Wish> for Demand {
    fn from(wish: Wish) -> Self {
        match wish {
            Wish::Off => Self::Off,
            Wish::Worktree => Self::Worktree,
            Wish::Required => Self::Required,
        }
    }
}
