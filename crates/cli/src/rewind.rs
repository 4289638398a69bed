//! `jangdan rewind TASK [CHECKPOINT]`: restores a checkpoint of a task, or its start.

use std::process::ExitCode;

use clap::Args;
use domain::{CheckpointId, TaskId, UserCommand};
use views::{CheckpointRow, CheckpointState};

use crate::{
    arguments::{ConfirmArguments, RunArguments, parse_task_id},
    failure::Failure,
    localized::localized,
    run_command::RunTarget,
    timestamp::format_utc,
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Task, such as T1.2
    #[arg(value_parser = parse_task_id)]
    task: TaskId,
    /// Checkpoint, such as k_3
    checkpoint: Option<CheckpointId>,
    /// Restore the start of the task
    #[arg(long, conflicts_with = "checkpoint")]
    start: bool,
    #[command(flatten)]
    run: RunArguments,
    #[command(flatten)]
    _confirm: ConfirmArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let (task, checkpoint) = (arguments.task.clone(), arguments.checkpoint);
    let target = RunTarget::find(&arguments.run.common, arguments.run.run_name())?;
    if checkpoint.is_none() && !arguments.start {
        return Err(checkpoint_required_failure(&target, &task)?);
    }
    let done = match checkpoint {
        Some(checkpoint) => localized(
            format!("restoring {task} to {checkpoint}"),
            format!("{task} 작업을 {checkpoint} 체크포인트로 복원합니다"),
        ),
        None => localized(
            format!("restoring {task} to its start"),
            format!("{task} 작업을 시작 시점으로 복원합니다"),
        ),
    };
    target.send_command(&UserCommand::RewindTask { task, checkpoint }, &done)
}

/// Lists the checkpoints of a task: without a named one nothing is restored.
fn checkpoint_required_failure(target: &RunTarget<'_>, task: &TaskId) -> Result<Failure, Failure> {
    let rows: Vec<CheckpointRow> = target.source.rows_of_kind(&target.run.id)?;
    let made = rows.iter().filter(|row| row.task == *task && row.state == CheckpointState::Made);
    let named: Vec<_> = made
        .map(|row| format!("{} ({} UTC)", row.id, format_utc(row.finished_at.unwrap_or(row.requested_at))))
        .collect();
    let hint = match named.is_empty() {
        true => localized(
            format!("{task} has no checkpoint yet. --start restores the start of the task."),
            format!("{task} 작업에 아직 체크포인트가 없습니다. 시작 시점으로 복원하려면: --start"),
        ),
        false => localized(
            format!("Its checkpoints: {}. --start restores the start of the task.", named.join(", ")),
            format!("다음 중 하나를 지정하세요: {}. 시작 시점으로 복원하려면: --start", named.join(", ")),
        ),
    };
    Ok(Failure {
        what: localized("Name the checkpoint to restore.", "체크포인트를 지정하지 않았습니다."),
        hint: Some(hint),
        exit: 2,
    })
}
