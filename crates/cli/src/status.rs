//! `jangdan status [RUN]`: the tasks of a run and what waits for the user.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::Args;
use views::{Kind, RunRow};

use crate::{
    arguments::RunOperandArguments,
    failure::{Failure, say_hint},
    printable::json,
    remote,
    run_lookup::is_active,
    screen::{
        Look,
        board::{Board, KINDS},
        draw::{draw, whole},
        entry::entry,
        line::Line,
        prompt::Prompt,
    },
    source::Source,
    watch::now,
};

/// How wide lines are where there is no terminal.
const WIDTH: usize = 100;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    run: RunOperandArguments,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let common = arguments.run.common();
    let source = Source::open(common)?;
    let run = source.find(arguments.run.name())?;
    if common.json {
        let kinds: Vec<Kind> = KINDS.iter().copied().filter(|kind| *kind != Kind::TaskDetail).collect();
        written(print_json(&source.rows(&run.id, &kinds)?))?;
    } else {
        show(&source, &run)?;
    }
    if source.client().is_none() && is_active(&run) {
        say_hint(&format!("no server runs, so nothing goes on: jangdan resume {}", run.id));
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints how a run stands, for people.
pub fn show(source: &Source, run: &RunRow) -> Result<(), Failure> {
    written(print(&source.board(&run.id)?))
}

fn written(printed: io::Result<()>) -> Result<(), Failure> {
    printed.err().and_then(|error| Failure::from_output(&error)).map_or(Ok(()), Err)
}

fn print_json(rows: &crate::source::Rows) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", json(rows)?)?;
    out.flush()
}

fn print(board: &Board) -> io::Result<()> {
    let look = look();
    // All lines of the board, and none to type on.
    let mut picture = draw(look, board, &Prompt::default());
    if board.run.as_ref().is_some_and(|run| run.ended_at.is_none()) {
        picture.lines.pop();
    }
    let mut lines = picture.lines;
    for name in board.externals() {
        lines.push(Line::of(anstyle::Style::new(), &format!("tasks wait until this is there: {name}")));
    }
    lines.extend(inbox(look, board));
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    for line in lines {
        writeln!(out, "{}", line.painted())?;
    }
    out.flush()
}

/// Returns all that waits for the person, whole.
pub fn inbox(look: Look, board: &Board) -> Vec<Line> {
    let entries = board.inbox().into_iter().filter_map(|row| entry(board, look.locale, look.now, row));
    entries.flat_map(|entry| [Line::default()].into_iter().chain(whole(look, &entry))).collect()
}

/// Returns how to draw for whoever called this command.
pub fn look() -> Look {
    let width = terminal_size::terminal_size().map_or(WIDTH, |(width, _)| usize::from(width.0));
    Look { locale: remote::locale(), width: width.max(20), height: usize::MAX, now: now() }
}
