//! `jangdan tell TASK TEXT`: sends a message to the agent that works on a task.

use std::process::ExitCode;

use clap::Args;
use domain::{TaskId, UserCommand};

use crate::{
    arguments::{RunArguments, parse_task_id},
    failure::Failure,
    localized::localized,
    run_command::{join_words, send_run_command, usage_error},
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Task, such as T1.2
    #[arg(value_parser = parse_task_id)]
    task: TaskId,
    /// Message; the agent receives it when its turn ends
    text: Vec<String>,
    #[command(flatten)]
    run: RunArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let task = arguments.task.clone();
    let text = join_words(&arguments.text).ok_or_else(|| {
        usage_error(&localized(
            "The message is empty. Write what the agent should know.",
            "메시지가 비어 있습니다. 에이전트에 전할 내용을 입력하세요.",
        ))
    })?;
    let done = localized(
        format!("message sent to the agent of {task}, which receives it when its turn ends"),
        format!("{task} 작업의 에이전트에 메시지를 보냈습니다. 지금 응답이 끝나면 전달됩니다"),
    );
    send_run_command(&arguments.run, &UserCommand::SendMessage { task, text }, &done)
}
