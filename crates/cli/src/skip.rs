//! `jangdan skip TASK`: skips a task; the tasks that depend on it continue.

use std::process::ExitCode;

use clap::Args;
use domain::{TaskId, UserCommand};

use crate::{
    arguments::{ConfirmArguments, RunArguments, parse_task_id},
    failure::Failure,
    localized::localized,
    run_command::send_run_command,
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Task, such as T1.2
    #[arg(value_parser = parse_task_id)]
    task: TaskId,
    #[command(flatten)]
    run: RunArguments,
    #[command(flatten)]
    _confirm: ConfirmArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let task = arguments.task.clone();
    let done = localized(format!("skipped {task}"), format!("{task} 작업을 건너뛰었습니다"));
    send_run_command(&arguments.run, &UserCommand::SkipTask(task), &done)
}
