//! `jangdan chat [RUN] TEXT`: says something to the orchestrator, or answers the only question that waits.

use std::process::ExitCode;

use clap::Args;
use domain::Command;

use crate::{failure::Failure, remote::Common, source::Source, wish::wish};

/// What is said.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The run by its whole name, where it is not this project's only one; what is said
    #[arg(value_name = "WORDS", required = true)]
    words: Vec<String>,
    #[command(flatten)]
    common: Common,
}

/// Says it.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    // A first word counts as a run only where it is one: people begin sentences with all sorts of words.
    let runs = Source::of(&arguments.common, arguments.common.client()?)?.runs()?;
    let (run, words) = match arguments.words.split_first() {
        Some((first, rest)) if !rest.is_empty() && runs.iter().any(|run| run.id.as_str() == first) => {
            (Some(first.as_str()), rest)
        }
        Some(_) | None => (None, arguments.words.as_slice()),
    };
    wish(&arguments.common, run, &Command::Chat { text: words.join(" "), talk_only: false }, "said")
}
