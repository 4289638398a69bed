//! `jangdan hook`: called by Claude Code for its events, which are sent to the session as protocol messages.
//!
//! A hook never stops the agent: the exit status is always 0 (2 would stop it), and outside of a session it sends
//! nothing. Messages are sent as by `jangdan say`.

mod events;
mod feedback;
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
    failure::{Failure, print_error},
    say,
};

/// Size limit of an event, which can contain the output of a tool. Larger events are discarded.
const INPUT_BYTES_MAX: u64 = 16 << 20;
/// How much of a larger event is read, so that the writer does not get a closed pipe.
const DRAINED_BYTES_MAX: u64 = 1 << 30;
/// Time limit for the session; the agent waits for the hook.
const SEND_TIMEOUT: Duration = Duration::from_secs(5);
/// Answer without a decision or a notification.
const NO_DECISION: &str = "{}";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Notification, Stop, PermissionRequest, PostToolUse or test-feedback; `settings` prints the settings of Claude Code
    event: Option<String>,
    /// Agent that receives test feedback [default: the agent that the feedback names]
    #[arg(long, value_name = "AGENT")]
    to: Option<String>,
    /// Arguments of newer versions of Claude Code, which are ignored: an error would stop the agent
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// The answer of a hook and the message that it sends.
struct HookOutcome {
    answer: String,
    message: Option<AgentMessage>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let event = arguments.event.as_deref().unwrap_or_default();
    if event == "settings" {
        print_answer(&settings::settings_json());
        return Ok(ExitCode::SUCCESS);
    }
    let to: Option<AgentName> = arguments.to.as_deref().and_then(|name| name.parse().ok());
    let input = read_event();
    // Accept variants such as `post-tool-use`.
    let event: String = event.chars().filter(|char| char.is_ascii_alphanumeric()).collect();
    let message = |message| HookOutcome { answer: NO_DECISION.to_owned(), message };
    let outcome = match event.to_ascii_lowercase().as_str() {
        "notification" => message(events::notification_to_message(&input)),
        "stop" => message(events::stop_to_message(&input)),
        "posttooluse" => message(events::tool_use_to_message(&input)),
        "testfeedback" => feedback::handle_test_feedback(&input, to),
        // The server decides permissions, and a hook cannot reach it yet. Without a decision Claude Code asks.
        "permissionrequest" => message(None),
        _ => {
            let hint = "Hooks: Notification, Stop, PermissionRequest, PostToolUse, test-feedback";
            print_error("Unknown hook; nothing was sent.", Some(hint));
            message(None)
        }
    };
    if let Some(message) = &outcome.message
        && env::var_os(say::SESSION).is_some()
        && let Err(failure) = say::send_message(message, SEND_TIMEOUT)
    {
        print_error(&failure.what, None);
    }
    print_answer(&outcome.answer);
    Ok(ExitCode::SUCCESS)
}

/// Reads the event; `Null` if it is not JSON or too large.
fn read_event() -> Value {
    let mut stdin = io::stdin().lock();
    let mut bytes = Vec::new();
    let is_read = (&mut stdin).take(INPUT_BYTES_MAX).read_to_end(&mut bytes).is_ok();
    let n_drained = io::copy(&mut stdin.take(DRAINED_BYTES_MAX), &mut io::sink()).unwrap_or(0);
    if !is_read || n_drained > 0 {
        return Value::Null;
    }
    serde_json::from_slice(&bytes).unwrap_or(Value::Null)
}

/// Prints the answer. A closed pipe must not stop the agent.
fn print_answer(answer: &str) {
    let _ = writeln!(io::stdout().lock(), "{answer}");
}
