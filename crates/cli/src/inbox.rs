//! `jangdan inbox [RUN]`: questions, approvals and problems that wait for the user, the most urgent first.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use anstyle::Style;
use clap::Args;
use serde::Serialize;
use views::{InboxRow, RunRow};

use crate::{
    arguments::RunOperandArguments,
    failure::Failure,
    localized::localized,
    printable::printable_json,
    row_source::RowSource,
    run_lookup::is_active,
    screen::line::{Line, collapse_whitespace},
    status::{draw_context, inbox_lines},
};

/// Help of the run's argument: without a name, this command shows more than one run.
const RUN_HELP: &str = "Run id, or the start of one [default: all active runs]";

#[derive(Debug, Args)]
#[command(mut_arg("operand", |arg| arg.help(RUN_HELP)), mut_arg("run", |arg| arg.help(RUN_HELP)))]
pub(crate) struct Arguments {
    #[command(flatten)]
    run: RunOperandArguments,
}

#[derive(Serialize)]
struct InboxEntry<'a> {
    run: &'a str,
    entry: &'a InboxRow,
}

/// Prints the inbox of one run, or of all active runs if none is named.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let common = arguments.run.common();
    let name = arguments.run.run_name();
    // A data directory without runs is an error only for a run that is named.
    let source = match name {
        Some(_) => Some(RowSource::open(common)?),
        None => RowSource::open_if_present(common)?,
    };
    let mut boards = Vec::new();
    if let Some(source) = source {
        let runs = match name {
            Some(_) => vec![source.find_run(name)?],
            None => source.runs()?.into_iter().filter(is_active).collect(),
        };
        for run in runs.into_iter().filter(|run| run.waits_for.person > 0) {
            let board = source.board(&run.id)?;
            boards.push((run, board));
        }
    }
    let urgent = |(_, board): &(RunRow, crate::screen::board::Board)| board.inbox().first().copied().cloned();
    boards.sort_by(|left, right| match (urgent(left), urgent(right)) {
        (Some(left), Some(right)) => left.cmp_urgency(&right),
        (left, right) => right.is_some().cmp(&left.is_some()),
    });
    let printed = boards.iter().try_for_each(|(run, board)| {
        if common.json {
            let entries = board.inbox();
            return entries.iter().try_for_each(|row| print_entry_json(run, row));
        }
        let heading = Line::styled(Style::new().bold(), &collapse_whitespace(&run.title))
            .append(Style::new().dimmed(), &format!(" {}", run.id));
        print_lines(
            &[heading]
                .into_iter()
                .chain(inbox_lines(draw_context(), board))
                .chain([Line::default()])
                .collect::<Vec<_>>(),
        )
    });
    if boards.is_empty() && !common.json {
        eprintln!("{}", localized("Nothing is waiting for you", "확인할 일이 없습니다"));
    }
    Failure::exit_after_output(printed)
}

fn print_entry_json(run: &RunRow, row: &InboxRow) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", printable_json(&InboxEntry { run: run.id.as_str(), entry: row })?)?;
    out.flush()
}

fn print_lines(lines: &[Line]) -> io::Result<()> {
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    for line in lines {
        writeln!(out, "{}", line.ansi_text())?;
    }
    out.flush()
}
