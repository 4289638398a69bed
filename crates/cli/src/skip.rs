//! `jangdan skip [RUN] TASK`: leaves a task out; whoever waits for it goes on.

use std::process::ExitCode;

use clap::Args;
use domain::{Command, TaskId};

use crate::{
    failure::Failure,
    remote::Common,
    wish::{Words, no_more, wish},
};

/// A task that is to be left out.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The run, where it is not this project's only one; the task
    #[arg(value_name = "WORDS", required = true, num_args = 1..=2)]
    words: Vec<String>,
    #[command(flatten)]
    common: Common,
}

/// Leaves it out.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let words: Words<'_, TaskId> = Words::split(&arguments.words)?;
    no_more(words.rest)?;
    let done = format!("{} is left out", words.about);
    wish(&arguments.common, words.run, &Command::SkipTask(words.about), &done)
}
