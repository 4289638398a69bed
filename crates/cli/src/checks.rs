//! `jangdan checks TASK` and `jangdan checks --phase N`: the checks of a task, or of a gate, with their outcome and
//! output, the oldest first.
//!
//! A receipt keeps the end of the output, and the hash of all of it.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use anstyle::{AnsiColor, Style};
use clap::Args;
use domain::{LargeFile, LeftOutFiles, Locale, PhaseNumber, RunId, TaskId, TestReport};
use views::{
    PhaseRow, ReceiptPurpose, ReceiptRow, TaskRow, describe_check, describe_test_counts, failure_title,
};

use crate::{
    arguments::{RunArguments, parse_phase, parse_task_id},
    failure::Failure,
    localized::localized,
    logs::unknown_task_failure,
    printable::{printable_json, printable_line},
    remote,
    row_source::RowSource,
    run_command::missing_subject_failure,
    screen::{amounts::format_duration, line::Line},
    timestamp::format_utc,
};

const FAINT: Style = Style::new().dimmed();
const PASSED: Style = AnsiColor::Green.on_default().bold();
const FAILED: Style = AnsiColor::Red.on_default().bold();

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Task, such as T1.2
    #[arg(value_parser = parse_task_id, conflicts_with = "phase")]
    task: Option<TaskId>,
    /// Number of a phase: show the checks of its gate
    #[arg(long, value_name = "N", value_parser = parse_phase)]
    phase: Option<PhaseNumber>,
    #[command(flatten)]
    run: RunArguments,
}

/// The work whose checks are shown.
enum CheckedSubject<'a> {
    Task(&'a TaskId),
    Gate(PhaseNumber),
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let common = &arguments.run.common;
    let subject = match (&arguments.task, arguments.phase) {
        (Some(task), _) => CheckedSubject::Task(task),
        (None, Some(phase)) => CheckedSubject::Gate(phase),
        (None, None) => return Err(missing_subject_failure()),
    };
    let source = RowSource::open(common)?;
    let run = source.find_run(arguments.run.run_name())?;
    check_subject_exists(&source, &run.id, &subject)?;
    let mut receipts: Vec<ReceiptRow> = source.rows_of_kind(&run.id)?;
    receipts.retain(|row| match &subject {
        CheckedSubject::Task(task) => row.task.as_ref() == Some(*task),
        CheckedSubject::Gate(phase) => row.purpose == ReceiptPurpose::Gate && row.phase == Some(*phase),
    });
    receipts.sort_by_key(|row| (row.sequence, row.index));
    if receipts.is_empty() && !common.json {
        eprintln!("{}", subject.no_checks_text());
    }
    let printed = receipts.iter().try_for_each(|row| match common.json {
        true => print_receipt_json(row),
        false => print_receipt(remote::environment_locale(), row),
    });
    Failure::exit_after_output(printed)
}

impl CheckedSubject<'_> {
    fn no_checks_text(&self) -> String {
        match self {
            Self::Task(task) => localized(
                format!("{task} has no checks yet"),
                format!("{task} 작업에는 아직 검증 결과가 없습니다"),
            ),
            Self::Gate(phase) => localized(
                format!("The gate of phase {phase} has no checks yet"),
                format!("{phase}단계의 게이트에는 아직 검증 결과가 없습니다"),
            ),
        }
    }
}

fn check_subject_exists(
    source: &RowSource,
    run: &RunId,
    subject: &CheckedSubject<'_>,
) -> Result<(), Failure> {
    match subject {
        CheckedSubject::Task(task) => {
            let tasks: Vec<TaskRow> = source.rows_of_kind(run)?;
            let is_known = tasks.iter().any(|row| row.id == **task);
            if is_known { Ok(()) } else { Err(unknown_task_failure(run, task)) }
        }
        CheckedSubject::Gate(phase) => {
            let phases: Vec<PhaseRow> = source.rows_of_kind(run)?;
            let is_known = phases.iter().any(|row| row.number == *phase);
            if is_known { Ok(()) } else { Err(unknown_phase_failure(run, *phase)) }
        }
    }
}

fn unknown_phase_failure(run: &RunId, phase: PhaseNumber) -> Failure {
    Failure {
        what: localized(
            format!("Unknown phase {phase} in run {run}."),
            format!("실행 {run}에 {phase}단계가 없습니다."),
        ),
        hint: Some(localized("Show the run: jangdan status", "실행 보기: jangdan status")),
        exit: 1,
    }
}

fn print_receipt_json(row: &ReceiptRow) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{}", printable_json(row)?)
}

fn print_receipt(locale: Locale, row: &ReceiptRow) -> io::Result<()> {
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    writeln!(out, "{}", heading(locale, row).ansi_text())?;
    for line in row.receipt.tests.iter().flat_map(|report| report_lines(locale, report)) {
        writeln!(out, "  {}", printable_line(&line))?;
    }
    for line in row.receipt.output_tail.trim_end().lines() {
        writeln!(out, "  {}", printable_line(line))?;
    }
    for line in row.receipt.left_out.iter().flat_map(|files| left_out_lines(locale, files)) {
        writeln!(out, "  {}", printable_line(&line))?;
    }
    writeln!(out)?;
    out.flush()
}

/// Lists the failed tests of a check below the number of its tests.
fn report_lines(locale: Locale, report: &TestReport) -> Vec<String> {
    let more = |number: u32| match locale {
        Locale::En => format!("✕ {number} more"),
        Locale::Ko => format!("✕ 외 {number}건"),
    };
    let failures = report.failures.iter().map(|failure| format!("✕ {}", failure_title(failure)));
    let unlisted = Some(report.n_unlisted).filter(|number| *number > 0).map(more);
    [describe_test_counts(locale, report.counts)].into_iter().chain(failures).chain(unlisted).collect()
}

/// Lists the files that are not part of the checked work.
fn left_out_lines(locale: Locale, files: &LeftOutFiles) -> Vec<String> {
    let (large, changed, unlisted) = match locale {
        Locale::En => ("left out", "changed by the check, not part of the work", "files that are not listed"),
        Locale::Ko => ("제외된 파일", "검증이 바꾼 파일(결과에 포함되지 않음)", "표시하지 않은 파일 수"),
    };
    let large_files = LargeFile::list_text(&files.large);
    let n_unlisted = if files.n_unlisted == 0 { String::new() } else { files.n_unlisted.to_string() };
    let lines = [(large, large_files), (changed, files.changed_by_check.join(", ")), (unlisted, n_unlisted)];
    let lines = lines.into_iter().filter(|(_, names)| !names.is_empty());
    lines.map(|(name, names)| format!("{name}: {names}")).collect()
}

/// Returns the command, its outcome, how long it ran, and when.
fn heading(locale: Locale, row: &ReceiptRow) -> Line {
    let receipt = &row.receipt;
    let milliseconds = u64::try_from(receipt.finished_at.0.saturating_sub(receipt.started_at.0)).unwrap_or(0);
    let purpose = match (row.purpose, locale) {
        (ReceiptPurpose::Check, _) => "",
        (ReceiptPurpose::Merge, Locale::En) => ", on the merged files",
        (ReceiptPurpose::Merge, Locale::Ko) => ", 병합 결과 검증",
        (ReceiptPurpose::Gate, _) => "",
    };
    let round = match (row.round.filter(|round| *round > 1), locale) {
        (None, _) => String::new(),
        (Some(round), Locale::En) => format!(", round {round}"),
        (Some(round), Locale::Ko) => format!(", {round}회차"),
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
        .append(FAINT, &format!(" ({duration}{attempts}{purpose}{round}, {at} UTC)"))
}
