//! `jangdan answer [RUN] QUESTION TEXT`: answers a question, by words or by the number of an option.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use domain::{Command, Locale, PermissionScope, QuestionId};
use views::InboxItem;

use crate::{
    failure::Failure,
    remote::Common,
    screen::entry::{Meaning, entry},
    watch::now,
    wish::{Wisher, Words, misread},
};

/// A question and its answer.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The run, where it is not this project's only one; the question; the answer
    #[arg(value_name = "WORDS", required = true)]
    words: Vec<String>,
    /// The option of this number, as `jangdan inbox` shows them
    #[arg(long, value_name = "NUMBER")]
    option: Option<usize>,
    /// For how long a permission holds
    #[arg(long, value_enum, default_value_t = KeepFor::Once)]
    keep: KeepFor,
    /// Ask the agent back instead: the question stays open
    #[arg(long, conflicts_with = "option")]
    back: bool,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum KeepFor {
    /// For this prompt alone
    Once,
    /// While the task lasts
    Task,
    /// While the run lasts
    Run,
    /// For every run of the project
    Project,
}

/// Answers.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let words: Words<'_, QuestionId> = Words::split(&arguments.words)?;
    let (question, text) = (words.about, words.rest.join(" "));
    if text.trim().is_empty() && arguments.option.is_none() {
        return Err(misread("the answer is missing: write it, or --option NUMBER"));
    }
    if !text.trim().is_empty() && arguments.option.is_some() {
        return Err(misread("write the answer or --option NUMBER, not both"));
    }
    let wisher = Wisher::find(&arguments.common, words.run)?;
    if arguments.back {
        return wisher
            .wish(&Command::RequestClarification { question, text }, &format!("{question} is asked back"));
    }
    let keep = arguments.keep.keep();
    let command = match arguments.option {
        Some(number) => option(&wisher, question, number)?,
        None => Command::Answer { question: Some(question), task: None, answer: text, scope: keep },
    };
    // What is said aloud counts more than what a number stands for.
    let command = match command {
        Command::Answer { question, task, answer, scope: PermissionScope::Once } => {
            Command::Answer { question, task, answer, scope: keep }
        }
        other => other,
    };
    let done = match &command {
        Command::Answer { answer, .. } => format!("{question} is answered: {answer}"),
        _ => format!("{question} is answered"),
    };
    wisher.wish(&command, &done)
}

/// Returns what a number means, as the inbox shows it.
fn option(wisher: &Wisher<'_>, question: QuestionId, number: usize) -> Result<Command, Failure> {
    let board = wisher.source.board(&wisher.run.id)?;
    let inbox = board.inbox();
    let row = inbox.iter().find(|row| row.item == InboxItem::Question(question));
    let entry = row.and_then(|row| entry(&board, Locale::En, now(), row)).ok_or_else(|| Failure {
        what: format!("{question} does not wait for you in {}", wisher.run.id),
        hint: Some("jangdan inbox shows what does".to_owned()),
        exit: 1,
    })?;
    let chosen = number.checked_sub(1).map(|index| entry.chosen(Locale::En, index, ""));
    if let Some(Meaning::Wish(command)) = chosen {
        return Ok(command);
    }
    let labels = entry.choices.iter().enumerate().map(|(at, choice)| format!("{} {}", at + 1, choice.label));
    let options: Vec<_> = labels.collect();
    let hint = match options.is_empty() {
        true => "it offers none: write the answer".to_owned(),
        false => format!("it offers {}", options.join(", ")),
    };
    Err(Failure { what: format!("{question} has no option {number}"), hint: Some(hint), exit: 1 })
}

impl KeepFor {
    fn keep(self) -> PermissionScope {
        match self {
            Self::Once => PermissionScope::Once,
            Self::Task => PermissionScope::Task,
            Self::Run => PermissionScope::Run,
            Self::Project => PermissionScope::Project,
        }
    }
}
