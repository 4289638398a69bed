//! `jangdan conversation [RUN] TASK`: what a task's agent was told and what it said, turn by turn.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use anstyle::{AnsiColor, Style};
use clap::Args;
use domain::TaskId;
use views::{Speaker, TurnRow};

use crate::{
    failure::Failure,
    moment::moment,
    printable::json,
    remote::Common,
    screen::line::{Line, wrap},
    source::Source,
    status::look,
    wish::{Words, no_more},
};

const FAINT: Style = Style::new().dimmed();
const TOLD: Style = AnsiColor::Cyan.on_default().bold();
const SAID: Style = AnsiColor::Green.on_default().bold();

/// Which task.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The run, where it is not this project's only one; the task
    #[arg(value_name = "WORDS", required = true, num_args = 1..=2)]
    words: Vec<String>,
    #[command(flatten)]
    common: Common,
}

/// Prints it.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let words: Words<'_, TaskId> = Words::split(&arguments.words)?;
    no_more(words.rest)?;
    let source = Source::open(&arguments.common)?;
    let run = source.find(words.run)?;
    let mut turns: Vec<TurnRow> = source.all(&run.id)?;
    turns.retain(|turn| turn.task == words.about);
    turns.sort_by_key(|turn| turn.index);
    if turns.is_empty() && !arguments.common.json {
        eprintln!("{} was told nothing yet", words.about);
    }
    let printed = turns.iter().try_for_each(|turn| match arguments.common.json {
        true => print_json(turn),
        false => print(turn),
    });
    match printed.err().and_then(|error| Failure::from_output(&error)) {
        Some(failure) => Err(failure),
        None => Ok(ExitCode::SUCCESS),
    }
}

fn print_json(turn: &TurnRow) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{}", json(turn)?)
}

fn print(turn: &TurnRow) -> io::Result<()> {
    let (style, who) = match (turn.role, &turn.agent) {
        (Speaker::Agent, Some(agent)) => (SAID, agent.to_string()),
        (Speaker::Agent, None) => (SAID, "agent".to_owned()),
        (Speaker::Orchestrator, Some(agent)) => (TOLD, agent.to_string()),
        (Speaker::Orchestrator, None) => (TOLD, "Jangdan".to_owned()),
    };
    let question = turn.question.map(|question| format!(" {question}")).unwrap_or_default();
    let heading = Line::of(style, &who).and(FAINT, &format!("{question} {} UTC", moment(turn.said_at)));
    let content = wrap(&turn.content, look().width.saturating_sub(2));
    let content = content.iter().map(|line| Line::of(Style::new(), &format!("  {line}")));
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    for line in [heading].into_iter().chain(content).chain([Line::default()]) {
        writeln!(out, "{}", line.painted())?;
    }
    out.flush()
}
