//! `jangdan pause|continue|cancel [RUN] [TASK]`: lets a run, a phase or a task wait, go on, or end.

use std::process::ExitCode;

use clap::Args;
use domain::{Command, PhaseNumber, TaskId};

use crate::{
    failure::Failure,
    remote::Common,
    wish::{misread, wish},
};

/// What is to wait, go on, or end.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The run, where it is not this project's only one, and the task; without a task all of the run
    #[arg(value_name = "WORDS", num_args = 0..=2, hide_default_value = true)]
    words: Vec<String>,
    /// A phase of it
    #[arg(long, value_name = "NUMBER")]
    phase: Option<PhaseNumber>,
    #[command(flatten)]
    common: Common,
}

enum What {
    Run,
    Phase(PhaseNumber),
    Task(TaskId),
}

/// Lets it wait.
pub fn pause(arguments: &Arguments) -> Result<ExitCode, Failure> {
    arguments.wish("is paused", |what| match what {
        What::Run => Command::PauseRun,
        What::Phase(phase) => Command::PausePhase(*phase),
        What::Task(task) => Command::PauseTask(task.clone()),
    })
}

/// Lets it go on.
pub fn go_on(arguments: &Arguments) -> Result<ExitCode, Failure> {
    arguments.wish("goes on", |what| match what {
        What::Run => Command::ContinueRun,
        What::Phase(phase) => Command::ContinuePhase(*phase),
        What::Task(task) => Command::ContinueTask(task.clone()),
    })
}

/// Calls it off.
pub fn cancel(arguments: &Arguments) -> Result<ExitCode, Failure> {
    arguments.wish("is called off", |what| match what {
        What::Run => Command::CancelRun,
        What::Phase(phase) => Command::CancelPhase(*phase),
        What::Task(task) => Command::CancelTask(task.clone()),
    })
}

impl Arguments {
    fn wish(&self, done: &str, command: impl Fn(&What) -> Command) -> Result<ExitCode, Failure> {
        let (run, task) = match self.words.as_slice() {
            [] => (None, None),
            [word] => match word.parse::<TaskId>() {
                Ok(task) => (None, Some(task)),
                Err(_) => (Some(word.as_str()), None),
            },
            [run, task] => (Some(run.as_str()), Some(crate::wish::parse(task)?)),
            [..] => return Err(misread("a run and a task are enough")),
        };
        let (what, name) = match (task, self.phase) {
            (Some(_), Some(_)) => return Err(misread("name a task or a phase, not both")),
            (Some(task), None) => (What::Task(task.clone()), task.to_string()),
            (None, Some(phase)) => (What::Phase(phase), format!("phase {phase}")),
            (None, None) => (What::Run, "the run".to_owned()),
        };
        wish(&self.common, run, &command(&what), &format!("{name} {done}"))
    }
}
