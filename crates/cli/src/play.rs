//! `jangdan play SCRIPT`: an agent that plays a script, to try a plan or a driver without a real agent.
//!
//! What it says goes to standard output, to the byte; what is wrong with the script goes to standard error.

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
    snippet::{self, Mistake},
};

/// A script is written by hand; what is larger is another file.
const SCRIPT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// What `jangdan play` takes.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The script
    script: PathBuf,
    /// What an agent would be given, such as --resume ID
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Plays a script, and ends as it says.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if arguments.script == Path::new("-") {
        return Err(Failure {
            what: "standard input is what the agent is told, and cannot be its script".to_owned(),
            hint: Some("name a file".to_owned()),
            exit: 2,
        });
    }
    let bytes = input::read(&arguments.script, SCRIPT_BYTES_MAX).map_err(|error| Failure {
        hint: Some(error.hint()),
        what: error.to_string(),
        exit: 2,
    })?;
    let name = arguments.script.to_string_lossy();
    let text = String::from_utf8(bytes).map_err(|_| Failure {
        what: format!("{name}: this is no text"),
        hint: Some("a script is a TOML file in UTF-8".to_owned()),
        exit: 2,
    })?;
    let script = match Script::parse(&text) {
        Ok(script) => script,
        Err(error) => return Ok(show(&name, &text, error)),
    };
    let program = env::current_exe().map_err(|error| Failure {
        what: format!("find this program: {error}"),
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
        Err(ScriptRunError::Io(error)) => Failure::from_output(&error).map_or(Ok(ExitCode::FAILURE), Err),
        Err(error @ ScriptRunError::InputMissing(_)) => Err(Failure {
            what: error.to_string(),
            hint: Some("look at the script's last `wait`".to_owned()),
            exit: 1,
        }),
    }
}

/// Shows a mistake in its place.
fn show(name: &str, text: &str, error: ScriptError) -> ExitCode {
    if error.span.is_empty() {
        failure::say_error(&format!("{name}: {}", error.message), Some(&error.hint));
    } else {
        let mistake = Mistake {
            name,
            text,
            line: LineIndex::new(text.as_bytes()).line_of(error.span.start),
            span: &error.span,
            is_warning: false,
            code: Some(DiagnosticCode::ParseFail.as_str()),
            message: &error.message,
            hint: Some(&error.hint),
        };
        // With standard error gone there is nobody left to tell.
        let _ = snippet::print(&mistake);
    }
    ExitCode::from(2)
}
