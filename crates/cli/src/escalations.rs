//! `jangdan escalations`: the problems of a run, who decides each, and what can be done about it.

use std::{
    cmp::Reverse,
    io::{self, Write},
    process::ExitCode,
};

use clap::Args;
use domain::{EscalationLevel, Locale};
use views::{EscalationRow, EscalationState};

use crate::{
    arguments::RunArguments,
    failure::Failure,
    localized::localized,
    printable::{printable_json, printable_line},
    remote,
    row_source::RowSource,
    screen::{
        entry::escalation_entry,
        phrases::{pick_by_locale, severity},
    },
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Show resolved problems too
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    run: RunArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let common = &arguments.run.common;
    let source = RowSource::open(common)?;
    let run = source.find_run(arguments.run.run_name())?;
    let mut rows: Vec<EscalationRow> = source.rows_of_kind(&run.id)?;
    rows.retain(|row| arguments.all || row.status == EscalationState::Open);
    rows.sort_by_key(|row| (row.status == EscalationState::Resolved, Reverse(row.severity), row.id));
    if rows.is_empty() && !common.json {
        eprintln!("{}", localized("No open problems", "열린 문제가 없습니다"));
    }
    let locale = remote::environment_locale();
    let mut out = io::stdout().lock();
    let printed = rows.iter().try_for_each(|row| match common.json {
        true => writeln!(out, "{}", printable_json(row)?),
        false => lines(locale, row).iter().try_for_each(|line| writeln!(out, "{}", printable_line(line))),
    });
    Failure::exit_after_output(printed)
}

/// Returns a problem in a line, and below it its details and its suggested actions.
fn lines(locale: Locale, row: &EscalationRow) -> Vec<String> {
    let entry = escalation_entry(locale, row);
    let state = match row.status {
        EscalationState::Open => level(locale, row.level),
        EscalationState::Resolved => pick_by_locale(locale, "resolved", "해결됨"),
    };
    let mut lines = vec![format!("{} {} ({state}) {}", row.id, severity(locale, row.severity), entry.text)];
    lines.extend(entry.context.iter().flat_map(|text| text.lines()).map(|line| format!("    {line}")));
    match row.status {
        EscalationState::Open => lines.extend(
            entry.choices.iter().zip(1..).map(|(choice, number)| format!("    {number}. {}", choice.label)),
        ),
        EscalationState::Resolved => lines.extend(row.note.iter().map(|note| format!("    {note}"))),
    }
    lines
}

fn level(locale: Locale, level: EscalationLevel) -> &'static str {
    match level {
        EscalationLevel::Worker => pick_by_locale(locale, "worker", "작업자"),
        EscalationLevel::Operator => pick_by_locale(locale, "operator", "오퍼레이터"),
        EscalationLevel::Orchestrator => pick_by_locale(locale, "orchestrator", "오케스트레이터"),
        EscalationLevel::Person => pick_by_locale(locale, "you", "나"),
    }
}
