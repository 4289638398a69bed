//! `jangdan plan diff|take|leave [RUN]`: a plan file that changed while it is run. `jangdan plan met [RUN] NAME`.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use anstyle::{AnsiColor, Style};
use clap::Args;
use domain::{Command, OfferId};
use views::{PlanOfferRow, PlanOfferState, RunRow};

use crate::{
    failure::{Failure, say_hint},
    printable::{json, printable_line},
    remote::Common,
    screen::plan_diff::{DiffLine, Sign, plan_diff},
    source::Source,
    wish::{Wisher, wish},
};

/// Which run.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The run, or the beginning of its name; without it this project's
    run: Option<String>,
    #[command(flatten)]
    common: Common,
}

/// What is there.
#[derive(Debug, Args)]
pub struct MetArguments {
    /// The run, where it is not this project's only one; the name, as the plan has it
    #[arg(value_name = "WORDS", required = true, num_args = 1..=2)]
    words: Vec<String>,
    #[command(flatten)]
    common: Common,
}

/// Shows what the plan file says that the run's plan does not.
pub fn diff(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let source = Source::open(&arguments.common)?;
    let run = source.find(arguments.run.as_deref())?;
    let offer = offered(&source, &run)?;
    let printed = match &offer {
        _ if arguments.common.json => print_json(offer.as_ref()),
        Some(offer) => print(&plan_diff(&source.board(&run.id)?, &offer.changes)),
        None => Ok(()),
    };
    if let Some(failure) = printed.err().and_then(|error| Failure::from_output(&error)) {
        return Err(failure);
    }
    if !arguments.common.json {
        say_hint(&match &offer {
            None => "no change of the plan file waits for you".to_owned(),
            Some(PlanOfferRow { problem: Some(problem), .. }) => {
                format!("it can't be taken as it is: {problem}")
            }
            Some(_) => {
                format!("take it with `jangdan plan take {0}`, or leave it: jangdan plan leave {0}", run.id)
            }
        });
    }
    Ok(ExitCode::SUCCESS)
}

/// Lets the change of the plan file hold for the run.
pub fn take(arguments: &Arguments) -> Result<ExitCode, Failure> {
    settle(arguments, |offer| Command::ApplyPlanChange { offer }, "the plan is changed")
}

/// Lets the plan stay as the run has it.
pub fn leave(arguments: &Arguments) -> Result<ExitCode, Failure> {
    settle(arguments, |offer| Command::IgnorePlanChange { offer }, "the plan stays as it is")
}

/// Says that something is there that tasks wait for outside of the plan.
pub fn met(arguments: &MetArguments) -> Result<ExitCode, Failure> {
    let (run, name) = match arguments.words.as_slice() {
        [run, name] => (Some(run.as_str()), name),
        [name, ..] => (None, name),
        [] => return Err(crate::wish::misread("something is missing")),
    };
    let done = format!("'{name}' is there");
    wish(&arguments.common, run, &Command::MarkExternalMet { name: name.clone() }, &done)
}

fn settle(
    arguments: &Arguments,
    command: impl FnOnce(OfferId) -> Command,
    done: &str,
) -> Result<ExitCode, Failure> {
    let wisher = Wisher::find(&arguments.common, arguments.run.as_deref())?;
    let offer = offered(&wisher.source, &wisher.run)?.ok_or_else(|| Failure {
        what: format!("no change of the plan waits in run {}", wisher.run.id),
        hint: Some(
            "a change of the file is seen within a few seconds; see it with `jangdan plan diff`".to_owned(),
        ),
        exit: 1,
    })?;
    wisher.wish(&command(offer.id), done)
}

/// Returns the change that waits for the person.
fn offered(source: &Source, run: &RunRow) -> Result<Option<PlanOfferRow>, Failure> {
    let offers: Vec<PlanOfferRow> = source.all(&run.id)?;
    Ok(offers.into_iter().find(|offer| offer.state == PlanOfferState::Open))
}

fn print_json(offer: Option<&PlanOfferRow>) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{}", json(&offer)?)
}

fn print(lines: &[DiffLine]) -> io::Result<()> {
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    for line in lines {
        let style = match line.sign {
            Sign::Added => AnsiColor::Green.on_default(),
            Sign::Removed => AnsiColor::Red.on_default(),
            Sign::Changed => Style::new().bold(),
            Sign::Kept => Style::new().dimmed(),
        };
        writeln!(out, "{style}{}{style:#}", printable_line(&line.text))?;
    }
    out.flush()
}
