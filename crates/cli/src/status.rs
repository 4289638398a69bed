//! `jangdan status [RUN]`: the tasks of a run and what waits for the user.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::Args;
use views::{RowKind, RunRow};

use crate::{
    arguments::RunOperandArguments,
    failure::{Failure, print_hint},
    localized::localized,
    printable::printable_json,
    remote,
    row_source::RowSource,
    run_lookup::is_active,
    screen::{
        DrawContext,
        board::{Board, KINDS},
        draw::{all_tasks, draw, full_entry_lines, marked_tasks},
        entry::entry,
        line::Line,
        prompt::Prompt,
    },
    watch::now,
};

/// Line width without a terminal.
const WIDTH: usize = 100;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// List every task, also those that are waiting or done
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    run: RunOperandArguments,
}

/// Which tasks are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListedTasks {
    /// Those in progress, and the done ones that have marks.
    Notable,
    All,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let common = arguments.run.common();
    let source = RowSource::open(common)?;
    let run = source.find_run(arguments.run.run_name())?;
    if common.json {
        let kinds: Vec<RowKind> = KINDS.iter().copied().filter(|kind| *kind != RowKind::TaskDetail).collect();
        ignore_closed_pipe(print_json(&source.rows_of_kinds(&run.id, &kinds)?))?;
    } else {
        let listed = if arguments.all { ListedTasks::All } else { ListedTasks::Notable };
        show(&source, &run, listed)?;
    }
    if source.client().is_none() && is_active(&run) {
        print_hint(&localized(
            format!("No server is running. Continue the run: jangdan resume {}", run.id),
            format!("실행 중인 서버가 없습니다. 실행을 계속하려면: jangdan resume {}", run.id),
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the tasks of a run and what waits for the user.
pub(crate) fn show(source: &RowSource, run: &RunRow, listed: ListedTasks) -> Result<(), Failure> {
    ignore_closed_pipe(print(&source.board(&run.id)?, listed))
}

fn ignore_closed_pipe(printed: io::Result<()>) -> Result<(), Failure> {
    printed.err().and_then(|error| Failure::from_output_error(&error)).map_or(Ok(()), Err)
}

fn print_json(rows: &crate::row_source::RowsByKind) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", printable_json(rows)?)?;
    out.flush()
}

fn print(board: &Board, listed: ListedTasks) -> io::Result<()> {
    let context = draw_context();
    let mut lines = match listed {
        ListedTasks::All => all_tasks(context, board),
        ListedTasks::Notable => {
            // All lines except the input line.
            let mut lines = draw(context, board, &Prompt::default()).lines;
            if board.run.as_ref().is_some_and(|run| run.ended_at.is_none()) {
                lines.pop();
            }
            lines.into_iter().chain(marked_tasks(context, board)).collect()
        }
    };
    for name in board.unmet_externals() {
        lines.push(Line::styled(
            anstyle::Style::new(),
            &localized(
                format!("Waiting for an external dependency: {name}"),
                format!("외부 의존성 대기: {name}"),
            ),
        ));
    }
    lines.extend(inbox_lines(context, board));
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    for line in lines {
        writeln!(out, "{}", line.ansi_text())?;
    }
    out.flush()
}

/// Returns the full text of everything that waits for the user.
pub(crate) fn inbox_lines(context: DrawContext, board: &Board) -> Vec<Line> {
    let entries = board.inbox().into_iter().filter_map(|row| entry(board, context.locale, context.now, row));
    entries.flat_map(|entry| [Line::default()].into_iter().chain(full_entry_lines(context, &entry))).collect()
}

/// Returns the context for output of this size and language.
pub(crate) fn draw_context() -> DrawContext {
    let width = terminal_size::terminal_size().map_or(WIDTH, |(width, _)| usize::from(width.0));
    DrawContext { locale: remote::environment_locale(), width: width.max(20), height: usize::MAX, now: now() }
}
