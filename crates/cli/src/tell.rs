//! `jangdan tell [RUN] TASK TEXT`: says something to whoever works at a task.

use std::process::ExitCode;

use clap::Args;
use domain::{Command, TaskId};

use crate::{
    failure::Failure,
    remote::Common,
    wish::{Words, misread, wish},
};

/// Something that is said to an agent.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The run, where it is not this project's only one; the task; what its agent should know
    #[arg(value_name = "WORDS", required = true)]
    words: Vec<String>,
    #[command(flatten)]
    common: Common,
}

/// Says it.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let words: Words<'_, TaskId> = Words::split(&arguments.words)?;
    let (task, text) = (words.about, words.rest.join(" "));
    if text.trim().is_empty() {
        return Err(misread("say what: the agent hears it when its turn is over"));
    }
    let done = format!("{task}'s agent hears it when its turn is over");
    wish(&arguments.common, words.run, &Command::SendMessage { task, text }, &done)
}
