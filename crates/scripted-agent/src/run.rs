//! The player as a whole program, in one call, so that any crate's tests can have one.
//!
//! A test can only start programs of its own package. An `examples/player.rs` whose `main` calls this is enough for it.

use std::{env, ffi::OsString, fs, process::ExitCode};

use crate::{Invocation, Script, play};

/// Plays the script that the first argument names; the others are the agent's own.
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    let Some((path, agent_arguments)) = arguments.split_first() else {
        eprintln!("error: no script is named\nhint: player SCRIPT.toml [what an agent would be given]");
        return ExitCode::from(2);
    };
    let result = fs::read_to_string(path).map_err(|error| error.to_string()).and_then(|text| {
        Script::read(&text).map_err(|error| {
            let line = text.get(..error.span.start).unwrap_or_default().split('\n').count();
            format!("line {line}: {}\nhint: {}", error.message, error.hint)
        })
    });
    let script = match result {
        Ok(script) => script,
        Err(problem) => {
            eprintln!("error: {}: {problem}", path.to_string_lossy());
            return ExitCode::from(2);
        }
    };
    let agent_arguments = agent_arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let played = env::current_exe().map_err(Into::into).and_then(|program| {
        play(&script, Invocation { program, arguments: arguments.clone(), agent_arguments })
    });
    match played {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
