//! `jangdan approve PHASE [NOTE]` and `jangdan reject PHASE REASON`: decide whether a phase passes its gate.

use std::process::ExitCode;

use clap::Args;
use domain::{PhaseNumber, TaskId, UserCommand};
use views::GateRow;

use crate::{
    arguments::{RunArguments, parse_phase},
    failure::Failure,
    localized::localized,
    remote,
    run_command::{RunTarget, join_words, send_run_command, usage_error},
    screen::entry::change_totals,
};

#[derive(Debug, Args)]
pub(crate) struct ApproveArguments {
    /// Number of the phase
    #[arg(value_parser = parse_phase)]
    phase: PhaseNumber,
    /// Note for the record
    note: Vec<String>,
    #[command(flatten)]
    run: RunArguments,
}

#[derive(Debug, Args)]
pub(crate) struct RejectArguments {
    /// Number of the phase
    #[arg(value_parser = parse_phase)]
    phase: PhaseNumber,
    /// What needs to change; the agents receive it
    reason: Vec<String>,
    /// Task to do again; repeat for several [default: the task that was completed last]
    #[arg(long = "task", value_name = "TASK")]
    tasks: Vec<TaskId>,
    #[command(flatten)]
    run: RunArguments,
}

pub(crate) fn approve(arguments: &ApproveArguments) -> Result<ExitCode, Failure> {
    let phase = arguments.phase;
    let command = UserCommand::ApproveGate { phase, note: join_words(&arguments.note) };
    let target = RunTarget::find(&arguments.run.common, arguments.run.run_name())?;
    let changes = approved_changes(&target, phase)?;
    let done =
        localized(format!("approved phase {phase}{changes}"), format!("{phase}단계를 승인했습니다{changes}"));
    target.send_command(&command, &done)
}

/// Returns how much the phase changes, as it is before the approval.
fn approved_changes(target: &RunTarget<'_>, phase: PhaseNumber) -> Result<String, Failure> {
    let gates: Vec<GateRow> = target.source.rows_of_kind(&target.run.id)?;
    let gate = gates.into_iter().find(|gate| gate.phase == phase);
    let report = gate.and_then(|gate| gate.rounds.into_iter().next_back()?.report);
    let changes = report.and_then(|report| report.changes);
    Ok(changes.map_or_else(String::new, |changes| {
        format!(" ({})", change_totals(remote::environment_locale(), &changes))
    }))
}

pub(crate) fn reject(arguments: &RejectArguments) -> Result<ExitCode, Failure> {
    let phase = arguments.phase;
    let reason = join_words(&arguments.reason).ok_or_else(|| {
        usage_error(&localized(
            "The reason is empty. Write what needs to change; the agents receive it.",
            "이유가 비어 있습니다. 수정할 내용을 입력하세요. 에이전트에 전달됩니다.",
        ))
    })?;
    let command = UserCommand::RejectGate { phase, reason, tasks: arguments.tasks.clone() };
    send_run_command(
        &arguments.run,
        &command,
        &localized(
            format!("requested changes to phase {phase}"),
            format!("{phase}단계의 수정을 요청했습니다"),
        ),
    )
}
