//! Entry point of the program: reads the arguments and runs the script.

use std::{env, ffi::OsString, fs, process::ExitCode};

use crate::{AgentInvocation, Script, run_script};

/// Runs the script named by the first argument; the others are the agent's own arguments.
pub fn run_program(arguments: Vec<OsString>) -> ExitCode {
    let Some((path, agent_arguments)) = arguments.split_first() else {
        eprintln!(
            "error: missing argument SCRIPT\nhint: scripted-agent SCRIPT.toml [arguments of the agent]"
        );
        return ExitCode::from(2);
    };
    let result = fs::read_to_string(path).map_err(|error| error.to_string()).and_then(|text| {
        Script::parse(&text).map_err(|error| {
            let line = text.get(..error.span.start).unwrap_or_default().split('\n').count();
            format!("line {line}: {}\nhint: {}", error.message, error.hint)
        })
    });
    let script = match result {
        Ok(script) => script,
        Err(message) => {
            eprintln!("error: {}: {message}", path.to_string_lossy());
            return ExitCode::from(2);
        }
    };
    let agent_arguments = agent_arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let result_of_run = env::current_exe().map_err(Into::into).and_then(|program| {
        run_script(&script, AgentInvocation { program, arguments: arguments.clone(), agent_arguments })
    });
    match result_of_run {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
