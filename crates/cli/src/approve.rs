//! `jangdan approve|reject [RUN] PHASE`: lets a phase pass its gate, or does not.

use std::process::ExitCode;

use clap::Args;
use domain::{Command, PhaseNumber, TaskId};

use crate::{
    failure::Failure,
    remote::Common,
    wish::{Words, misread, wish},
};

/// A phase that is to pass.
#[derive(Debug, Args)]
pub struct Approve {
    /// The run, where it is not this project's only one; the phase's number; a note
    #[arg(value_name = "WORDS", required = true)]
    words: Vec<String>,
    #[command(flatten)]
    common: Common,
}

/// A phase that is not to pass.
#[derive(Debug, Args)]
pub struct Reject {
    /// The run, where it is not this project's only one; the phase's number; why it does not pass
    #[arg(value_name = "WORDS", required = true)]
    words: Vec<String>,
    /// A task that is to be done again; may be given more than once
    #[arg(long = "task", value_name = "TASK")]
    tasks: Vec<TaskId>,
    #[command(flatten)]
    common: Common,
}

/// Lets it pass.
pub fn approve(arguments: &Approve) -> Result<ExitCode, Failure> {
    let words: Words<'_, PhaseNumber> = Words::split(&arguments.words)?;
    let phase = words.about;
    let note = Some(words.rest.join(" ")).filter(|note| !note.trim().is_empty());
    let command = Command::ApproveGate { phase, note };
    wish(&arguments.common, words.run, &command, &format!("phase {phase} is approved"))
}

/// Does not let it pass.
pub fn reject(arguments: &Reject) -> Result<ExitCode, Failure> {
    let words: Words<'_, PhaseNumber> = Words::split(&arguments.words)?;
    let (phase, reason) = (words.about, words.rest.join(" "));
    if reason.trim().is_empty() {
        return Err(misread("say why: the agents are told"));
    }
    let command = Command::RejectGate { phase, reason, tasks: arguments.tasks.clone() };
    wish(&arguments.common, words.run, &command, &format!("phase {phase} does not pass"))
}
