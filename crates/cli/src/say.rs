//! `jangdan say`: sends a protocol message from an agent's shell, for agents that prefer to call a program.
//!
//! The message is written to the spool of the session, in order with the output, so it is not lost while no server reads.

mod message_command;

use std::{env, ffi::OsString, process::ExitCode, time::Duration};

use domain::{AgentMessage, SessionKey};
use holder::protocol::Request;
use sessions::{Sessions, session_name_from_tag};

use crate::{data, failure::Failure, session};

/// Environment variable that names the session of a process.
pub(crate) const SESSION: &str = "JANGDAN_SESSION";
const SEND_TIMEOUT: Duration = Duration::from_secs(20);

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    message: message_command::MessageCommand,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    // Outside of a session, report that before any other error.
    session_variable(SESSION)?;
    send_message(&arguments.message.message()?, SEND_TIMEOUT)?;
    Ok(ExitCode::SUCCESS)
}

/// Sends a message in the session of this process.
pub(crate) fn send_message(message: &AgentMessage, timeout: Duration) -> Result<(), Failure> {
    let session = session_variable(SESSION)?;
    let key: SessionKey =
        session_variable("JANGDAN_KEY")?.to_string_lossy().parse().map_err(|error| Failure {
            what: format!("JANGDAN_KEY is invalid ({error})."),
            hint: Some("Do not change the variables of the session.".to_owned()),
            exit: 1,
        })?;
    let text = protocol::encode(message, Some(&key)).map_err(|error| Failure {
        what: error.to_string(),
        hint: Some("Shorten it, or write it to a file and name the file.".to_owned()),
        exit: 1,
    })?;
    let sessions = Sessions::open(&data::directory(None)?).map_err(session::session_failure)?;
    let mark = session.to_string_lossy();
    let found = sessions.find(session_name_from_tag(&mark)).map_err(session::session_failure)?;
    let request = Request::WriteSideChannel { bytes: text.into_bytes() };
    sessions.request(&found, &request, timeout).map_err(session::session_failure)?;
    Ok(())
}

fn session_variable(name: &str) -> Result<OsString, Failure> {
    env::var_os(name).ok_or_else(|| Failure {
        what: format!("{name} is not set: this is not a session of Jangdan."),
        hint: Some("Call it from an agent that was started by a run or by: jangdan session start".to_owned()),
        exit: 1,
    })
}
