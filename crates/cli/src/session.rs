//! `jangdan session`: starts agents that outlive the terminal, and comes back to them.

mod answers;
mod attach;
pub(crate) mod converse;
mod list;
mod log;
mod show;
mod start;

use std::{path::PathBuf, process::ExitCode, time::Duration};

use clap::{Args, Subcommand};
use drivers::preset::DriverName;
use holder::{
    ClientError, END_GRACE,
    protocol::{Refusal, Reply, Request},
};
use sessions::{InputRecord, InputWriter, SessionEntry, SessionError, SessionState, Sessions};

use crate::{data, failure::Failure, remote::chain};

/// How long a session may take to stop all its processes.
const STOP_MAX: Duration = Duration::from_secs(15);

/// Where sessions are kept.
#[derive(Debug, Args)]
pub struct DataArguments {
    /// The data directory; without it JANGDAN_DATA, then the user's own
    #[arg(long, value_name = "DIR", global = true)]
    data: Option<PathBuf>,
}

/// Sessions of agents, or of any other program.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Starts a program in a session that outlives this terminal
    Start(start::Arguments),
    /// Lists the sessions and how they are
    List(list::Arguments),
    /// Connects this terminal to a session; Ctrl-] leaves it again
    Attach(Named),
    /// Prints what a session has written
    Log(log::Arguments),
    /// Tells an agent something, or types a line into a program's session
    Say {
        #[command(flatten)]
        named: Named,
        /// What to tell; where the agent waits for an answer, that: its number, its words, yes or no
        text: String,
        /// Waits for the end of the agent's turn, and shows what it says
        #[arg(long)]
        wait: bool,
    },
    /// Stops all processes of a session where they are
    Pause(Named),
    /// Lets a paused session go on
    Resume(Named),
    /// Ends all processes of a session; what it wrote is kept
    Stop(Named),
    /// Removes a session that is over, with what it wrote
    Remove(Named),
}

/// Names a session.
#[derive(Debug, Args)]
pub struct Named {
    /// The session, or the beginning of its name
    name: String,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let data = data::directory(arguments.data.data.as_deref())?;
    let sessions = Sessions::open(&data).map_err(failure)?;
    match &arguments.command {
        Command::Start(arguments) => start::run(&sessions, arguments),
        Command::List(arguments) => list::run(&sessions, arguments),
        Command::Attach(named) => attach(&sessions, &find(&sessions, named)?),
        Command::Log(arguments) => log::run(&sessions, arguments),
        Command::Say { named, text, wait } => say(&sessions, &find(&sessions, named)?, text, *wait),
        Command::Pause(named) => ask(&sessions, named, &Request::Stop, "paused"),
        Command::Resume(named) => ask(&sessions, named, &Request::Continue, "goes on"),
        Command::Stop(named) => stop(&sessions, &find(&sessions, named)?),
        Command::Remove(named) => remove(&sessions, &find(&sessions, named)?),
    }
}

fn find(sessions: &Sessions, named: &Named) -> Result<SessionEntry, Failure> {
    sessions.find(&named.name).map_err(failure)
}

fn ask(sessions: &Sessions, named: &Named, request: &Request, done: &str) -> Result<ExitCode, Failure> {
    let found = find(sessions, named)?;
    sessions.request(&found, request, STOP_MAX).map_err(failure)?;
    eprintln!("{} {done}", found.name);
    Ok(ExitCode::SUCCESS)
}

fn attach(sessions: &Sessions, found: &SessionEntry) -> Result<ExitCode, Failure> {
    if !is_spoken_with(found) {
        return attach::run(sessions, found);
    }
    check_alive(found)?;
    converse::attach(found)
}

/// Whether words go through a driver; a program on a terminal is typed to by who sits there.
pub(crate) fn is_spoken_with(found: &SessionEntry) -> bool {
    found.metadata.agent.as_ref().is_some_and(|agent| agent.preset.driver != DriverName::Pty)
}

/// An agent that is over can come back in a session of its own.
fn check_alive(found: &SessionEntry) -> Result<(), Failure> {
    if let SessionState::Alive(_) = found.state {
        return Ok(());
    }
    let mut failure = failure(SessionError::Over { name: found.name.clone() });
    let record = InputRecord::read(&found.directory).ok();
    let id = record.and_then(|record| record.progress.checkpoint.agent_session);
    if let Some((agent, id)) = found.metadata.agent.as_ref().zip(id) {
        let again = format!("jangdan session start --agent {} --resume {id}", agent.name);
        failure.hint = Some(format!("go on with what it knows: {again}"));
    }
    Err(failure)
}

fn say(sessions: &Sessions, found: &SessionEntry, text: &str, waits: bool) -> Result<ExitCode, Failure> {
    if is_spoken_with(found) {
        check_alive(found)?;
        return converse::say(found, text, waits);
    }
    // Enter on a terminal, a new line in a pipe.
    let end = if found.metadata.has_terminal { "\r" } else { "\n" };
    let mut typist = InputWriter::connect(sessions, found).map_err(failure)?;
    typist.write(format!("{text}{end}").as_bytes()).map_err(failure)?;
    Ok(ExitCode::SUCCESS)
}

fn stop(sessions: &Sessions, found: &SessionEntry) -> Result<ExitCode, Failure> {
    match found.state {
        SessionState::Ended { .. } => eprintln!("{} is over already", found.name),
        SessionState::Starting | SessionState::Lost => {
            let n_ended = sessions.kill_orphans(found);
            eprintln!("{} was lost; {n_ended} processes of it were still there and are ended", found.name);
        }
        SessionState::Alive(_) => {
            match sessions.request(found, &Request::End { grace: END_GRACE }, END_GRACE + STOP_MAX) {
                Ok(Reply::Done) | Err(SessionError::Over { .. }) => eprintln!("{} is over", found.name),
                Ok(_) => return Err(failure(SessionError::Over { name: found.name.clone() })),
                Err(error) => return Err(failure(error)),
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn remove(sessions: &Sessions, found: &SessionEntry) -> Result<ExitCode, Failure> {
    if let SessionState::Alive(_) = found.state {
        let what = format!("session '{}' lives", found.name);
        let hint = Some(format!("end it first: jangdan session stop {}", found.name));
        return Err(Failure { what, hint, exit: 1 });
    }
    sessions.kill_orphans(found);
    sessions.remove(found).map_err(failure)?;
    eprintln!("{} is removed", found.name);
    Ok(ExitCode::SUCCESS)
}

/// Puts an error into words, with what to do about it.
pub(crate) fn failure(error: SessionError) -> Failure {
    let hint = match &error {
        SessionError::Unknown { known, .. } if known.is_empty() => {
            Some("start one: jangdan session start -- COMMAND".to_owned())
        }
        SessionError::Unknown { known, .. } => Some(format!("there are {}", known.join(", "))),
        SessionError::Ambiguous { known, .. } => Some(format!("write more of it: {}", known.join(", "))),
        SessionError::Taken { name } => Some(format!("take another name, or: jangdan session attach {name}")),
        SessionError::Over { name } => Some(format!("read what it wrote: jangdan session log {name}")),
        SessionError::Holder { source: ClientError::Refused(Refusal::Failed { .. }), .. } => {
            Some("is the program there, and on your PATH?".to_owned())
        }
        SessionError::NoProgram { .. } => Some("is it there, and on your PATH?".to_owned()),
        SessionError::NoSandbox { .. } => {
            Some("with --sandbox worktree it starts with what there is, and says what is missing".to_owned())
        }
        SessionError::InUse { name } => {
            Some(format!("say it there, or read along: jangdan session log --follow {name}"))
        }
        SessionError::Io { .. }
        | SessionError::BadName { .. }
        | SessionError::Holder { .. }
        | SessionError::Spool { .. }
        | SessionError::Refused(_)
        | SessionError::QueueFull => None,
    };
    Failure { what: chain(&error), hint, exit: 1 }
}
