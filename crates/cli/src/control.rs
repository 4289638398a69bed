//! `jangdan pause|continue|cancel [TASK]`: pauses, continues or cancels a task, a phase or the whole run.

use std::process::ExitCode;

use clap::Args;
use domain::{PhaseNumber, TaskId, UserCommand};

use crate::{
    arguments::{ConfirmArguments, RunArguments, parse_id},
    failure::Failure,
    run_command::send_run_command,
};

#[derive(Debug, Args)]
pub struct Arguments {
    /// Task [default: the whole run]
    #[arg(value_parser = parse_id::<TaskId>)]
    task: Option<TaskId>,
    /// A phase instead of a task
    #[arg(long, value_name = "NUMBER", conflicts_with = "task")]
    phase: Option<PhaseNumber>,
    #[command(flatten)]
    run: RunArguments,
}

#[derive(Debug, Args)]
pub struct CancelArguments {
    #[command(flatten)]
    what: Arguments,
    #[command(flatten)]
    _confirm: ConfirmArguments,
}

/// The part of a run that is paused, continued or cancelled.
enum RunPart {
    Run,
    Phase(PhaseNumber),
    Task(TaskId),
}

pub fn pause(arguments: &Arguments) -> Result<ExitCode, Failure> {
    arguments.send_command("paused", |part| match part {
        RunPart::Run => UserCommand::PauseRun,
        RunPart::Phase(phase) => UserCommand::PausePhase(*phase),
        RunPart::Task(task) => UserCommand::PauseTask(task.clone()),
    })
}

pub fn resume(arguments: &Arguments) -> Result<ExitCode, Failure> {
    arguments.send_command("continued", |part| match part {
        RunPart::Run => UserCommand::ContinueRun,
        RunPart::Phase(phase) => UserCommand::ContinuePhase(*phase),
        RunPart::Task(task) => UserCommand::ContinueTask(task.clone()),
    })
}

pub fn cancel(arguments: &CancelArguments) -> Result<ExitCode, Failure> {
    arguments.what.send_command("cancelled", |part| match part {
        RunPart::Run => UserCommand::CancelRun,
        RunPart::Phase(phase) => UserCommand::CancelPhase(*phase),
        RunPart::Task(task) => UserCommand::CancelTask(task.clone()),
    })
}

impl Arguments {
    fn send_command(
        &self,
        done: &str,
        command: impl Fn(&RunPart) -> UserCommand,
    ) -> Result<ExitCode, Failure> {
        let (part, done) = match (&self.task, self.phase) {
            (Some(task), _) => (RunPart::Task(task.clone()), format!("{done} {task}")),
            (None, Some(phase)) => (RunPart::Phase(phase), format!("{done} phase {phase}")),
            (None, None) => (RunPart::Run, done.to_owned()),
        };
        send_run_command(&self.run, &command(&part), &done)
    }
}
