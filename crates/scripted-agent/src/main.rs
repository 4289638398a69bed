//! The scripted agent as a separate program, for tests that do not need all of `jangdan`.

use std::{env, process::ExitCode};

fn main() -> ExitCode {
    scripted_agent::run_program(env::args_os().skip(1).collect())
}
