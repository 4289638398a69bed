//! `jangdan chat TEXT`: sends a message to the orchestrator, or answers the only open question.

use std::process::ExitCode;

use clap::Args;
use domain::UserCommand;

use crate::{arguments::RunArguments, failure::Failure, localized::localized, run_command::send_run_command};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Text of the message
    #[arg(required = true)]
    text: Vec<String>,
    #[command(flatten)]
    run: RunArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let command = UserCommand::Chat { text: arguments.text.join(" "), talk_only: false };
    send_run_command(&arguments.run, &command, &localized("message sent", "메시지를 보냈습니다"))
}
