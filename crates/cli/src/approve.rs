//! `jangdan approve PHASE [NOTE]` and `jangdan reject PHASE REASON`: decide whether a phase passes its gate.

use std::process::ExitCode;

use clap::Args;
use domain::{PhaseNumber, TaskId, UserCommand};

use crate::{
    arguments::{RunArguments, parse_phase},
    failure::Failure,
    localized::localized,
    run_command::{join_words, send_run_command, usage_error},
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
    send_run_command(
        &arguments.run,
        &command,
        &localized(format!("approved phase {phase}"), format!("{phase}단계를 승인했습니다")),
    )
}

pub(crate) fn reject(arguments: &RejectArguments) -> Result<ExitCode, Failure> {
    let phase = arguments.phase;
    let reason = join_words(&arguments.reason).ok_or_else(|| {
        usage_error("The reason is empty. Write what needs to change; the agents receive it.")
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
