//! `jangdan pause|continue|cancel [TASK]`: pauses, continues or cancels a task, a phase or the whole run.

use std::process::ExitCode;

use clap::Args;
use domain::{PhaseNumber, TaskId, UserCommand};

use crate::{
    arguments::{ConfirmArguments, RunArguments, parse_phase, parse_task_id},
    failure::Failure,
    localized::localized,
    run_command::send_run_command,
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Task [default: the whole run]
    #[arg(value_parser = parse_task_id)]
    task: Option<TaskId>,
    /// A phase instead of a task
    #[arg(long, value_name = "NUMBER", conflicts_with = "task", value_parser = parse_phase)]
    phase: Option<PhaseNumber>,
    #[command(flatten)]
    run: RunArguments,
}

#[derive(Debug, Args)]
pub(crate) struct CancelArguments {
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

pub(crate) fn pause(arguments: &Arguments) -> Result<ExitCode, Failure> {
    arguments.send_command("paused", ["일시 정지했습니다"; 2], |part| match part {
        RunPart::Run => UserCommand::PauseRun,
        RunPart::Phase(phase) => UserCommand::PausePhase(*phase),
        RunPart::Task(task) => UserCommand::PauseTask(task.clone()),
    })
}

pub(crate) fn resume(arguments: &Arguments) -> Result<ExitCode, Failure> {
    arguments.send_command("continued", ["재개했습니다"; 2], |part| match part {
        RunPart::Run => UserCommand::ContinueRun,
        RunPart::Phase(phase) => UserCommand::ContinuePhase(*phase),
        RunPart::Task(task) => UserCommand::ContinueTask(task.clone()),
    })
}

pub(crate) fn cancel(arguments: &CancelArguments) -> Result<ExitCode, Failure> {
    arguments.what.send_command("cancelled", ["중단했습니다", "취소했습니다"], |part| match part {
        RunPart::Run => UserCommand::CancelRun,
        RunPart::Phase(phase) => UserCommand::CancelPhase(*phase),
        RunPart::Task(task) => UserCommand::CancelTask(task.clone()),
    })
}

impl Arguments {
    /// Sends a command and reports it with an English participle, and with a Korean verb for a run and for a part of it.
    fn send_command(
        &self,
        english: &str,
        [korean_for_run, korean]: [&str; 2],
        command: impl Fn(&RunPart) -> UserCommand,
    ) -> Result<ExitCode, Failure> {
        let (part, done) = match (&self.task, self.phase) {
            (Some(task), _) => {
                let done = localized(format!("{english} {task}"), format!("{task} 작업을 {korean}"));
                (RunPart::Task(task.clone()), done)
            }
            (None, Some(phase)) => {
                let done = localized(format!("{english} phase {phase}"), format!("{phase}단계를 {korean}"));
                (RunPart::Phase(phase), done)
            }
            (None, None) => (RunPart::Run, localized(english, korean_for_run)),
        };
        send_run_command(&self.run, &command(&part), &done)
    }
}
