//! `jangdan doctor`: examines the machine and the project, and says what prevents a run.
//!
//! Starts and changes nothing.

mod findings;
mod texts;

use std::{
    io::{self, Write},
    process::ExitCode,
};

use anstyle::{AnsiColor, Style};
use clap::Args;

use self::findings::{Finding, FindingState, examine};
use crate::{
    arguments::CommonArguments,
    failure::Failure,
    localized::localized,
    printable::{printable, printable_json},
    settings::SetArguments,
};

const GOOD: Style = AnsiColor::Green.on_default();
const WARNING: Style = AnsiColor::Yellow.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const FAINT: Style = Style::new().dimmed();

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    set: SetArguments,
    #[command(flatten)]
    common: CommonArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let findings = examine(&arguments.common, &arguments.set)?;
    let written = if arguments.common.json { write_json(&findings) } else { write_lines(&findings) };
    if let Some(failure) = written.err().and_then(|error| Failure::from_output_error(&error)) {
        return Err(failure);
    }
    let is_prevented = findings.iter().any(|finding| finding.state == FindingState::Problem);
    Ok(if is_prevented { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn write_json(findings: &[Finding]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for finding in findings {
        writeln!(out, "{}", printable_json(finding)?)?;
    }
    out.flush()
}

fn write_lines(findings: &[Finding]) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    for Finding { subject, state, text, hint } in findings {
        let (mark, style) = match state {
            FindingState::Ready => ("✓", GOOD),
            FindingState::Missing => ("-", FAINT),
            FindingState::Warning => ("!", WARNING),
            FindingState::Problem => ("✗", BAD),
        };
        let name = texts::subject_name(*subject);
        writeln!(out, "{style}{mark}{style:#} {name}: {}", printable(text))?;
        if let Some(hint) = hint {
            writeln!(out, "    {FAINT}{}{FAINT:#}", printable(hint))?;
        }
    }
    let n_problems = findings.iter().filter(|finding| finding.state == FindingState::Problem).count();
    let end = match n_problems {
        0 => localized("A run can start: jangdan run", "실행을 시작할 수 있습니다: jangdan run"),
        n_problems => localized(
            format!("No run can start. Problems: {n_problems}"),
            format!("실행을 시작할 수 없습니다. 문제: {n_problems}개"),
        ),
    };
    writeln!(out, "\n{end}")?;
    out.flush()
}
