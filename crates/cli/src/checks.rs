//! `jangdan checks TASK`: the checks of a task with their outcome and output, the oldest first.
//!
//! A receipt keeps the end of the output, and the hash of all of it.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use anstyle::{AnsiColor, Style};
use clap::Args;
use domain::{Locale, TaskId};
use views::{ReceiptPurpose, ReceiptRow, TaskRow, describe_check};

use crate::{
    arguments::{RunArguments, parse_task_id},
    failure::Failure,
    localized::localized,
    logs::unknown_task_failure,
    printable::{printable_json, printable_line},
    remote,
    row_source::RowSource,
    screen::{amounts::format_duration, line::Line},
    timestamp::format_utc,
};

const FAINT: Style = Style::new().dimmed();
const PASSED: Style = AnsiColor::Green.on_default().bold();
const FAILED: Style = AnsiColor::Red.on_default().bold();

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Task, such as T1.2
    #[arg(value_parser = parse_task_id)]
    task: TaskId,
    #[command(flatten)]
    run: RunArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let (task, common) = (&arguments.task, &arguments.run.common);
    let source = RowSource::open(common)?;
    let run = source.find_run(arguments.run.run_name())?;
    let mut receipts: Vec<ReceiptRow> = source.rows_of_kind(&run.id)?;
    receipts.retain(|row| row.task.as_ref() == Some(task));
    receipts.sort_by_key(|row| (row.sequence, row.index));
    let tasks: Vec<TaskRow> = source.rows_of_kind(&run.id)?;
    if tasks.iter().all(|row| row.id != *task) {
        return Err(unknown_task_failure(&run.id, task));
    }
    if receipts.is_empty() && !common.json {
        eprintln!(
            "{}",
            localized(
                format!("{task} has no checks yet"),
                format!("{task} 작업에는 아직 검증 결과가 없습니다")
            )
        );
    }
    let printed = receipts.iter().try_for_each(|row| match common.json {
        true => print_receipt_json(row),
        false => print_receipt(remote::environment_locale(), row),
    });
    match printed.err().and_then(|error| Failure::from_output_error(&error)) {
        Some(failure) => Err(failure),
        None => Ok(ExitCode::SUCCESS),
    }
}

fn print_receipt_json(row: &ReceiptRow) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{}", printable_json(row)?)
}

fn print_receipt(locale: Locale, row: &ReceiptRow) -> io::Result<()> {
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    writeln!(out, "{}", heading(locale, row).ansi_text())?;
    for line in row.receipt.output_tail.trim_end().lines() {
        writeln!(out, "  {}", printable_line(line))?;
    }
    writeln!(out)?;
    out.flush()
}

/// Returns the command, its outcome, how long it ran, and when.
fn heading(locale: Locale, row: &ReceiptRow) -> Line {
    let receipt = &row.receipt;
    let milliseconds = u64::try_from(receipt.finished_at.0.saturating_sub(receipt.started_at.0)).unwrap_or(0);
    let purpose = match (row.purpose, locale) {
        (ReceiptPurpose::Check, _) => "",
        (ReceiptPurpose::Merge, Locale::En) => ", on the merged files",
        (ReceiptPurpose::Merge, Locale::Ko) => ", 병합 결과 검증",
        (ReceiptPurpose::Gate, Locale::En) => ", at the gate",
        (ReceiptPurpose::Gate, Locale::Ko) => ", 게이트 검증",
    };
    let attempts = match (receipt.attempts, locale) {
        (0 | 1, _) => String::new(),
        (attempts, Locale::En) => format!(", attempt {attempts}"),
        (attempts, Locale::Ko) => format!(", {attempts}번째 실행"),
    };
    let duration = format_duration(locale, milliseconds);
    let at = format_utc(receipt.finished_at);
    Line::styled(FAINT, "$ ")
        .append(Style::new().bold(), &receipt.command)
        .append(FAINT, ": ")
        .append(if row.passed { PASSED } else { FAILED }, &describe_check(locale, receipt))
        .append(FAINT, &format!(" ({duration}{attempts}{purpose}, {at} UTC)"))
}
