//! `jangdan say`: a message of the protocol from an agent's shell, for agents that would rather call a program.
//!
//! It is written into the session's own spool, in its order with the output: what was said is not lost when nobody
//! listens just then.

mod words;

use std::{env, ffi::OsString, process::ExitCode, time::Duration};

use domain::{AgentMessage, SessionKey};
use holder::protocol::Request;
use sessions::{Sessions, name_of_mark};

use crate::{data, failure::Failure, session};

/// The variable that names the session a process is part of.
pub const SESSION: &str = "JANGDAN_SESSION";
const ANSWER_MAX: Duration = Duration::from_secs(20);

/// Says a message.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    words: words::Words,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    // First of all, so that somebody outside of a session learns that and nothing else.
    variable(SESSION)?;
    say(&arguments.words.said()?, ANSWER_MAX)?;
    Ok(ExitCode::SUCCESS)
}

/// Says a message in the session that this process is part of.
pub fn say(said: &AgentMessage, time_max: Duration) -> Result<(), Failure> {
    let session = variable(SESSION)?;
    let key: SessionKey = variable("JANGDAN_KEY")?.to_string_lossy().parse().map_err(|error| Failure {
        what: format!("read JANGDAN_KEY: {error}"),
        hint: Some("leave the session's variables as they are".to_owned()),
        exit: 1,
    })?;
    let text = protocol::encode(said, Some(&key)).map_err(|error| Failure {
        what: error.to_string(),
        hint: Some("say it in other words, or put it into a file and name that".to_owned()),
        exit: 1,
    })?;
    let sessions = Sessions::open(&data::directory(None)?).map_err(session::failure)?;
    let mark = session.to_string_lossy();
    let found = sessions.find(name_of_mark(&mark)).map_err(session::failure)?;
    let request = Request::SayAside { bytes: text.into_bytes() };
    sessions.ask(&found, &request, time_max).map_err(session::failure)?;
    Ok(())
}

fn variable(name: &str) -> Result<OsString, Failure> {
    env::var_os(name).ok_or_else(|| Failure {
        what: format!("{name} is not set: this is no session of Jangdan's"),
        hint: Some(
            "call it from an agent that was started with `jangdan session start` or by a run".to_owned(),
        ),
        exit: 1,
    })
}
