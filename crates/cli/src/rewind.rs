//! `jangdan rewind [RUN] TASK [CHECKPOINT]`: brings a task back to a checkpoint, or to its beginning.

use std::process::ExitCode;

use clap::Args;
use domain::{CheckpointId, Command, TaskId};
use views::{CheckpointRow, CheckpointState};

use crate::{
    failure::Failure,
    remote::Common,
    wish::{Wisher, Words, misread, parse},
};

/// A task, and where it is to go back to.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The run, where it is not this project's only one; the task; the checkpoint
    #[arg(value_name = "WORDS", required = true, num_args = 1..=3)]
    words: Vec<String>,
    /// Back to where the task began
    #[arg(long)]
    start: bool,
    #[command(flatten)]
    common: Common,
}

/// Brings it back.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let words: Words<'_, TaskId> = Words::split(&arguments.words)?;
    let task = words.about;
    let checkpoint: Option<CheckpointId> = match words.rest {
        [] => None,
        [checkpoint] => Some(parse(checkpoint)?),
        [..] => return Err(misread("a task and a checkpoint are enough")),
    };
    if checkpoint.is_some() && arguments.start {
        return Err(misread("name a checkpoint or --start, not both"));
    }
    let wisher = Wisher::find(&arguments.common, words.run)?;
    if checkpoint.is_none() && !arguments.start {
        return Err(which(&wisher, &task)?);
    }
    let to = checkpoint.map_or("its beginning".to_owned(), |checkpoint| checkpoint.to_string());
    let done = format!("{task} goes back to {to}");
    wisher.wish(&Command::RewindTask { task, checkpoint }, &done)
}

/// Says which checkpoints there are: to go back is nothing that one does by mistake.
fn which(wisher: &Wisher<'_>, task: &TaskId) -> Result<Failure, Failure> {
    let rows: Vec<CheckpointRow> = wisher.source.all(&wisher.run.id)?;
    let made = rows.iter().filter(|row| row.task == *task && row.state == CheckpointState::Made);
    let named: Vec<_> = made
        .map(|row| {
            format!("{} ({} UTC)", row.id, crate::moment::moment(row.finished_at.unwrap_or(row.ordered_at)))
        })
        .collect();
    let hint = match named.is_empty() {
        true => format!("{task} has no checkpoint yet; --start brings it back to its beginning"),
        false => format!("name one: {}; or --start for its beginning", named.join(", ")),
    };
    Ok(Failure { what: "which checkpoint?".to_owned(), hint: Some(hint), exit: 2 })
}
