//! `jangdan hook`: what Claude Code calls when something happens, and what becomes of it here.
//!
//! A hook never breaks the agent: whatever comes in, the exit status is 0 (2 would stop it), and outside of a session
//! nothing is said. What is said goes the way of `jangdan say`.

mod feedback;
mod heard;
mod settings;

use std::{
    env,
    io::{self, Read, Write},
    process::ExitCode,
    time::Duration,
};

use domain::{AgentMessage, AgentName};
use serde_json::Value;

use crate::{
    failure::{Failure, say_error},
    say,
};

/// An event can carry a tool's whole output. What is longer is read away and not understood.
const INPUT_BYTES_MAX: u64 = 16 << 20;
/// How much is read away: whoever writes it should not find its reader gone.
const DRAINED_BYTES_MAX: u64 = 1 << 30;
/// The agent waits for the hook, so it does not wait long for the holder.
const ANSWER_MAX: Duration = Duration::from_secs(5);
/// No decision, no notification, no word.
const NOTHING: &str = "{}";

/// Tells the session what happened in Claude Code.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Notification, Stop, PermissionRequest, PostToolUse or test-feedback; `settings` prints what wires them
    event: Option<String>,
    /// Who gets the feedback of the tests; without it the one that the feedback names, or nobody
    #[arg(long, value_name = "AGENT")]
    to: Option<String>,
    /// What a newer Claude Code may add. To refuse it would stop the agent.
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// What a hook answers, and what it says in the session.
struct Outcome {
    answer: String,
    said: Option<AgentMessage>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let event = arguments.event.as_deref().unwrap_or_default();
    if event == "settings" {
        print(&settings::text());
        return Ok(ExitCode::SUCCESS);
    }
    let to: Option<AgentName> = arguments.to.as_deref().and_then(|name| name.parse().ok());
    let input = read();
    // Written in one word or several, as people write it.
    let event: String = event.chars().filter(|sign| sign.is_ascii_alphanumeric()).collect();
    let said = |said| Outcome { answer: NOTHING.to_owned(), said };
    let outcome = match event.to_ascii_lowercase().as_str() {
        "notification" => said(heard::notification(&input)),
        "stop" => said(heard::stop(&input)),
        "posttooluse" => said(heard::tool_use(&input)),
        "testfeedback" => feedback::hear(&input, to),
        // Who may decide is not here but at the server, which a hook does not reach yet. No decision: Claude Code asks.
        "permissionrequest" => said(None),
        _ => {
            let hint = "there are Notification, Stop, PermissionRequest, PostToolUse and test-feedback";
            say_error("no hook has this name; nothing is said", Some(hint));
            said(None)
        }
    };
    if let Some(said) = &outcome.said
        && env::var_os(say::SESSION).is_some()
        && let Err(failure) = say::say(said, ANSWER_MAX)
    {
        say_error(&failure.what, None);
    }
    print(&outcome.answer);
    Ok(ExitCode::SUCCESS)
}

/// Reads the event. What can't be read as JSON is nothing, in which nobody finds anything.
fn read() -> Value {
    let mut stdin = io::stdin().lock();
    let mut bytes = Vec::new();
    let is_read = (&mut stdin).take(INPUT_BYTES_MAX).read_to_end(&mut bytes).is_ok();
    let n_drained = io::copy(&mut stdin.take(DRAINED_BYTES_MAX), &mut io::sink()).unwrap_or(0);
    if !is_read || n_drained > 0 {
        return Value::Null;
    }
    serde_json::from_slice(&bytes).unwrap_or(Value::Null)
}

/// Prints the answer. One that nobody reads is no reason to break the agent.
fn print(answer: &str) {
    let _ = writeln!(io::stdout().lock(), "{answer}");
}
