//! `jangdan retry TASK`: retries a task, optionally with a hint for the agent.

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
    /// Hint for the retry; the agent receives it
    #[arg(long, value_name = "TEXT")]
    hint: Option<String>,
    #[command(flatten)]
    run: RunArguments,
    #[command(flatten)]
    _confirm: ConfirmArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let task = arguments.task.clone();
    let done = localized(format!("retrying {task}"), format!("{task} 작업을 다시 시도합니다"));
    send_run_command(&arguments.run, &UserCommand::RetryTask { task, hint: arguments.hint.clone() }, &done)
}
