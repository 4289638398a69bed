//! `jangdan resolve [RUN] ESCALATION ACTION`: does something about a problem.

use std::process::ExitCode;

use clap::Args;
use domain::{AgentName, Budget, Command, EscalationAction, EscalationId};
use views::EscalationRow;

use crate::{
    failure::Failure,
    remote::Common,
    wish::{Wisher, Words, misread, parse},
};

/// A problem, and what to do about it.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The run, where it is not this project's only one; the escalation; what to do: the number that `jangdan inbox`
    /// shows, or retry [HINT], reassign AGENT, skip, waive, raise BUDGET, give-up, dismiss
    #[arg(value_name = "WORDS", required = true)]
    words: Vec<String>,
    /// A word about it
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    #[command(flatten)]
    common: Common,
}

/// Does it.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let words: Words<'_, EscalationId> = Words::split(&arguments.words)?;
    let escalation = words.about;
    let Some((name, rest)) = words.rest.split_first() else {
        return Err(misread(
            "what is to be done? a number, or retry, reassign, skip, waive, raise, give-up, dismiss",
        ));
    };
    let wisher = Wisher::find(&arguments.common, words.run)?;
    let action = match name.parse::<usize>() {
        Ok(number) => suggested(&wisher, escalation, number)?,
        Err(_) => action(name, rest)?,
    };
    let done = format!("{escalation} is settled: {action}");
    wisher.wish(&Command::Resolve { escalation, action, note: arguments.note.clone() }, &done)
}

fn action(name: &str, rest: &[String]) -> Result<EscalationAction, Failure> {
    let word = |what: &str| rest.first().ok_or_else(|| misread(&format!("{name} needs {what}")));
    match name {
        "retry" => Ok(EscalationAction::Retry { hint: Some(rest.join(" ")).filter(|hint| !hint.is_empty()) }),
        "reassign" => Ok(EscalationAction::Reassign { agent: parse::<AgentName>(word("an agent")?)? }),
        "skip" => Ok(EscalationAction::Skip),
        "waive" => Ok(EscalationAction::Waive),
        "raise" => Ok(EscalationAction::RaiseBudget { budget: parse::<Budget>(word("a budget")?)? }),
        "give-up" => Ok(EscalationAction::MarkFailed),
        "dismiss" => Ok(EscalationAction::Dismiss),
        other => {
            let what = format!("'{other}' is nothing that can be done");
            let hint = "write a number, or retry, reassign, skip, waive, raise, give-up, dismiss".to_owned();
            Err(Failure { what, hint: Some(hint), exit: 2 })
        }
    }
}

/// Returns the action behind a number.
fn suggested(
    wisher: &Wisher<'_>,
    escalation: EscalationId,
    number: usize,
) -> Result<EscalationAction, Failure> {
    let rows: Vec<EscalationRow> = wisher.source.all(&wisher.run.id)?;
    let row = rows.iter().find(|row| row.id == escalation).ok_or_else(|| Failure {
        what: format!("there is no escalation {escalation} in {}", wisher.run.id),
        hint: Some("jangdan inbox shows what waits for you".to_owned()),
        exit: 1,
    })?;
    let chosen = number.checked_sub(1).and_then(|index| row.suggested.get(index));
    chosen.cloned().ok_or_else(|| {
        let all: Vec<_> =
            row.suggested.iter().enumerate().map(|(at, action)| format!("{} {action}", at + 1)).collect();
        let what = format!("{escalation} suggests no action {number}");
        Failure { what, hint: Some(format!("it suggests {}", all.join(", "))), exit: 1 }
    })
}
