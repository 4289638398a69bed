//! Arguments that several commands share: the data directory, JSON output, the run, confirmation.

use std::{path::PathBuf, str::FromStr};

use clap::Args;
use domain::{ParseError, PhaseNumber, RunId, TaskId};

use crate::{data, failure::Failure, localized::localized};

/// The data directory and the form of the output.
#[derive(Debug, Args)]
pub(crate) struct CommonArguments {
    /// Data directory [default: JANGDAN_DATA, else the user's own]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long)]
    pub json: bool,
}

impl CommonArguments {
    /// Returns the absolute path of the data directory.
    pub(crate) fn data_directory(&self) -> Result<PathBuf, Failure> {
        data::directory(self.data.as_deref())
    }
}

/// The run that a command acts on. Operands of the command never name it.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// Run id, or the start of one [default: the active run of this project]
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
    #[command(flatten)]
    pub common: CommonArguments,
}

impl RunArguments {
    /// Returns the run as named on the command line.
    pub(crate) fn run_name(&self) -> Option<&str> {
        self.run.as_deref()
    }
}

/// The run that a command without other operands is about: `jangdan status RUN` and `jangdan status --run RUN` are the
/// same.
#[derive(Debug, Args)]
pub(crate) struct RunOperandArguments {
    /// Run id, or the start of one [default: the active run of this project]
    #[arg(value_name = "RUN", conflicts_with = "run")]
    operand: Option<String>,
    #[command(flatten)]
    flag: RunArguments,
}

impl RunOperandArguments {
    /// Returns the run as named on the command line.
    pub(crate) fn run_name(&self) -> Option<&str> {
        self.operand.as_deref().or(self.flag.run_name())
    }

    /// Returns the data directory and the form of the output.
    pub(crate) fn common(&self) -> &CommonArguments {
        &self.flag.common
    }
}

#[derive(Debug, Args)]
pub(crate) struct ConfirmArguments {
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub yes: bool,
}

/// Parses the id that a command acts on. The error for a run's id says how a run is named.
pub(crate) fn parse_id<T: FromStr<Err = ParseError>>(word: &str) -> Result<T, String> {
    word.parse().map_err(|error: ParseError| {
        // As in "question id (write q_7)".
        let example = error.expected.split_once("(write ").map(|(_, example)| example.trim_end_matches(')'));
        let korean = match example {
            Some(example) => format!("올바른 id가 아닙니다. 예: {example}"),
            None => "올바른 값이 아닙니다".to_owned(),
        };
        explain_run_id(word, localized(error.to_string(), korean))
    })
}

/// Parses a task's id. A word of the form of a run's id, such as `rz56g7`, is refused: it is hardly a task.
pub(crate) fn parse_task_id(word: &str) -> Result<TaskId, String> {
    const RUN_ID_LENGTH: usize = 6;
    let is_run_id = word.len() == RUN_ID_LENGTH
        && word.starts_with('r')
        && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if is_run_id {
        let what = localized(
            format!("'{word}' is not a task id (write T1.3)"),
            "올바른 작업 id가 아닙니다. 예: T1.3",
        );
        return Err(explain_run_id(word, what));
    }
    parse_id(word)
}

/// Parses the number of a phase, with the same error for a run's id.
pub(crate) fn parse_phase(word: &str) -> Result<PhaseNumber, String> {
    let invalid = || {
        localized(format!("'{word}' is not a phase number (write 2)"), "올바른 단계 번호가 아닙니다. 예: 2")
    };
    word.parse().map_err(|_| explain_run_id(word, invalid()))
}

fn explain_run_id(word: &str, error: String) -> String {
    match word.parse::<RunId>() {
        Ok(run) if word.starts_with('r') => {
            let naming =
                localized(format!("Name a run with --run {run}"), format!("실행을 지정하려면: --run {run}"));
            format!("{error}. {naming}")
        }
        Ok(_) | Err(_) => error,
    }
}
