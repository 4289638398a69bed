//! `jangdan gate show|approve|reject PHASE`: the report of a phase at its gate, and the decision about it.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::{Args, Subcommand};
use domain::PhaseNumber;
use views::{GateRow, PhaseRow, gate_report_markdown};

use crate::{
    approve::{self, ApproveArguments, RejectArguments},
    arguments::{RunArguments, parse_phase},
    failure::Failure,
    localized::localized,
    printable::{printable_json, printable_line},
    remote,
    row_source::RowSource,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what a gate checked, what its verifier said and what was produced, as Markdown
    Show(ShowArguments),
    /// Approve a phase
    Approve(ApproveArguments),
    /// Request changes to a phase instead of approving it
    Reject(RejectArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// Number of the phase
    #[arg(value_parser = parse_phase)]
    phase: PhaseNumber,
    #[command(flatten)]
    run: RunArguments,
}

pub(crate) fn run(command: &Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Show(arguments) => show(arguments),
        Command::Approve(arguments) => approve::approve(arguments),
        Command::Reject(arguments) => approve::reject(arguments),
    }
}

fn show(arguments: &ShowArguments) -> Result<ExitCode, Failure> {
    let (phase, common) = (arguments.phase, &arguments.run.common);
    let source = RowSource::open(common)?;
    let run = source.find_run(arguments.run.run_name())?;
    let phases: Vec<PhaseRow> = source.rows_of_kind(&run.id)?;
    let gates: Vec<GateRow> = source.rows_of_kind(&run.id)?;
    let name = phases.iter().find(|row| row.number == phase).map(|row| row.name.clone());
    let gate = gates.into_iter().find(|gate| gate.phase == phase);
    let (Some(name), Some(gate)) = (name, gate) else {
        return Err(Failure {
            what: localized(
                format!("Phase {phase} of run {} is not at its gate.", run.id),
                format!("실행 {}의 {phase}단계는 아직 게이트에 이르지 않았습니다.", run.id),
            ),
            hint: Some(localized("Show the run: jangdan status", "실행 보기: jangdan status")),
            exit: 1,
        });
    };
    let mut out = io::stdout().lock();
    let printed = match common.json {
        true => printable_json(&gate).map_err(io::Error::from).and_then(|json| writeln!(out, "{json}")),
        false => {
            let report = gate_report_markdown(&gate, &name, remote::environment_locale());
            report.lines().try_for_each(|line| writeln!(out, "{}", printable_line(line)))
        }
    };
    Failure::exit_after_output(printed)
}
