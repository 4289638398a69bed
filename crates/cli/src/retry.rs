//! `jangdan retry [RUN] TASK`: tries a task again, with a word of advice.

use std::process::ExitCode;

use clap::Args;
use domain::{Command, TaskId};

use crate::{
    failure::Failure,
    remote::Common,
    wish::{Words, no_more, wish},
};

/// A task that is to be tried again.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The run, where it is not this project's only one; the task
    #[arg(value_name = "WORDS", required = true, num_args = 1..=2)]
    words: Vec<String>,
    /// What the agent should do differently
    #[arg(long, value_name = "TEXT")]
    hint: Option<String>,
    #[command(flatten)]
    common: Common,
}

/// Tries it again.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let words: Words<'_, TaskId> = Words::split(&arguments.words)?;
    no_more(words.rest)?;
    let done = format!("{} is tried again", words.about);
    let command = Command::RetryTask { task: words.about, hint: arguments.hint.clone() };
    wish(&arguments.common, words.run, &command, &done)
}
