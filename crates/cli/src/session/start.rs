//! `jangdan session start`: starts a program in a session of its own.

use std::{collections::BTreeMap, env, ffi::OsString, path::PathBuf, process::ExitCode};

use clap::ValueEnum;
use drivers::preset::{self, DriverName};
use holder::protocol::{Attachment, Stderr, WindowSize};
use sessions::{
    AgentLaunch, CommandLine, Enforcement, Sandbox, SandboxPolicy, SandboxReport, Sessions, StartRequest,
    command_line, new_session_id,
};

use super::{attach, converse, failure};
use crate::{
    failure::{Failure, say_warning},
    settings::{SetArguments, Settings},
};

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
    /// An agent that Jangdan knows, instead of a command: see `jangdan agents`
    #[arg(long, value_name = "NAME", conflicts_with_all = ["pipes", "command"])]
    agent: Option<String>,
    /// Goes on with a session that the agent knows by this id
    #[arg(long, value_name = "ID", requires = "agent")]
    resume: Option<String>,
    /// What the agent is told first
    #[arg(requires = "agent")]
    prompt: Option<String>,
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
    #[arg(required_unless_present = "agent", last = true, value_name = "COMMAND")]
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
    let hired = arguments.agent.as_deref().map(|name| hire(name, arguments)).transpose()?;
    let directory = match &arguments.directory {
        Some(directory) => std::path::absolute(directory),
        None => env::current_dir(),
    };
    let directory = directory.map_err(|error| Failure {
        what: format!("find the directory to start in: {error}"),
        hint: Some("name one with --directory".to_owned()),
        exit: 1,
    })?;
    let line = match &hired {
        Some(hired) => command_line(&hired.preset, hired.launch()),
        None => CommandLine {
            command: arguments.command.clone(),
            environment: BTreeMap::new(),
            attachment: if arguments.pipes {
                Attachment::Pipes { stderr: Stderr::Apart }
            } else {
                Attachment::Terminal(attach::window().unwrap_or(WINDOW))
            },
        },
    };
    let start = StartRequest {
        name: arguments.name.clone(),
        command: line.command,
        directory,
        attachment: line.attachment,
        environment: line.environment,
        memory_bytes_max: arguments.memory.map(|mib| mib.saturating_mul(1 << 20)),
        sandbox: Sandbox { policy: arguments.sandbox.into(), write: arguments.write.clone() },
        // A program on a terminal is spoken with by who sits there.
        agent: hired.filter(|hired| hired.preset.driver != DriverName::Pty),
    };
    let found = sessions.start(&start).map_err(failure)?;
    found.metadata.sandbox.iter().for_each(warn);
    let told = arguments.prompt.as_deref().map(|prompt| converse::say(&found, prompt, false)).transpose();
    if let Err(failure) = told {
        eprintln!("{} was started", found.name);
        return Err(failure);
    }
    if arguments.attach {
        return super::attach(sessions, &found);
    }
    println!("{}", found.name);
    eprintln!("come back with: jangdan session attach {}", found.name);
    Ok(ExitCode::SUCCESS)
}

/// Finds the agent, and the id that its session shall have.
fn hire(name: &str, arguments: &Arguments) -> Result<AgentLaunch, Failure> {
    let presets = &Settings::read(&SetArguments::default())?.load()?.config.agents;
    let failed = |what: String, hint: &str| Failure { what, hint: Some(hint.to_owned()), exit: 1 };
    let preset = preset::pick(name, presets)
        .map_err(|error| failed(error.to_string(), "jangdan agents lists those that are here"))?;
    if preset.driver == DriverName::Pty && arguments.prompt.is_some() {
        let what = format!("{name} works on a terminal, and is told things there");
        return Err(failed(
            what,
            "leave the prompt away, and type it with --attach or `jangdan session say`",
        ));
    }
    if arguments.resume.is_some() && !preset.can_resume() {
        return Err(failed(format!("{name} can't go on with a session"), "leave --resume away"));
    }
    let session = match &arguments.resume {
        Some(id) => id.clone(),
        None => {
            new_session_id().map_err(|error| failed(format!("make a session id: {error}"), "try again"))?
        }
    };
    let is_resumed = arguments.resume.is_some();
    Ok(AgentLaunch { name: name.to_owned(), preset, session, is_resumed, is_owned_by_run: false })
}

/// Says loudly where a sandbox is not what was wished for.
fn warn(report: &SandboxReport) {
    let Some(reason) = &report.reason else { return };
    let what = match report.state {
        Enforcement::Enforced => "the sandbox is narrower than usual",
        Enforcement::Partly => "the session is sandboxed only in part",
        Enforcement::NotAvailable => "the session is NOT sandboxed, and may do what you may",
    };
    say_warning(&format!("{what}: {reason}"));
}

impl From<Wish> for SandboxPolicy {
    fn from(wish: Wish) -> Self {
        match wish {
            Wish::Off => Self::Off,
            Wish::Worktree => Self::Worktree,
            Wish::Required => Self::Required,
        }
    }
}
