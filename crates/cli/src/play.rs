//! `jangdan play SCRIPT`: plays a script as an agent, to try a plan or a driver without a real agent.
//!
//! The agent's output is printed to standard output byte for byte; problems of the script to standard error.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use plan::{DiagnosticCode, LineIndex};
use runtime::prepare::input;
use scripted_agent::{AgentInvocation, Script, ScriptError, ScriptRunError};

use crate::{
    failure::{self, Failure},
    input_failure::input_failure,
    localized::localized,
    snippet::{self, FileProblem, ProblemLevel},
};

/// Size limit of a script, which is written by hand.
const SCRIPT_BYTES_MAX: usize = 16 * 1024 * 1024;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Script file (TOML)
    script: PathBuf,
    /// Arguments of the agent, such as --resume ID
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Plays a script and exits with the status that it sets.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if arguments.script == Path::new("-") {
        return Err(Failure {
            what: localized(
                "Standard input is the input of the agent and cannot be its script.",
                "표준 입력은 에이전트의 입력이므로 스크립트로 사용할 수 없습니다.",
            ),
            hint: Some(localized("Name a file.", "파일을 지정하세요.")),
            exit: 2,
        });
    }
    let bytes = input::read(&arguments.script, SCRIPT_BYTES_MAX)
        .map_err(|error| Failure { exit: 2, ..input_failure(&error) })?;
    let name = arguments.script.to_string_lossy();
    let text = String::from_utf8(bytes).map_err(|_| Failure {
        what: localized(format!("{name} is not a text file."), format!("텍스트 파일이 아닙니다: {name}")),
        hint: Some(localized(
            "A script is a TOML file in UTF-8.",
            "스크립트는 UTF-8로 작성한 TOML 파일입니다.",
        )),
        exit: 2,
    })?;
    let script = match Script::parse(&text) {
        Ok(script) => script,
        Err(error) => return Ok(print_script_error(&name, &text, error)),
    };
    let program = sessions::own_program().map_err(|error| Failure {
        what: localized(
            format!("Cannot find the path of this program ({error})."),
            format!("이 프로그램의 경로를 찾을 수 없습니다({error})."),
        ),
        hint: None,
        exit: 1,
    })?;
    let invocation = AgentInvocation {
        program,
        arguments: env::args_os().skip(1).collect(),
        agent_arguments: arguments.arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
    };
    match scripted_agent::run_script(&script, invocation) {
        Ok(status) => Ok(ExitCode::from(status)),
        Err(ScriptRunError::Io(error)) => {
            Failure::from_output_error(&error).map_or(Ok(ExitCode::FAILURE), Err)
        }
        Err(error @ ScriptRunError::InputMissing(_)) => Err(Failure {
            what: error.to_string(),
            hint: Some(localized(
                "Check the last `wait` of the script.",
                "스크립트의 마지막 `wait`를 확인하세요.",
            )),
            exit: 1,
        }),
    }
}

/// Prints an error of the script with its line.
fn print_script_error(name: &str, text: &str, error: ScriptError) -> ExitCode {
    if error.span.is_empty() {
        failure::print_error(&format!("{name}: {}", error.message), Some(&error.hint));
    } else {
        let problem = FileProblem {
            name,
            text,
            line: LineIndex::new(text.as_bytes()).line_of(error.span.start),
            span: &error.span,
            level: ProblemLevel::Error,
            code: Some(DiagnosticCode::ParseFail.as_str()),
            message: &error.message,
            hint: Some(&error.hint),
        };
        // If standard error is closed, nothing can be reported.
        let _ = snippet::print(&problem);
    }
    ExitCode::from(2)
}
