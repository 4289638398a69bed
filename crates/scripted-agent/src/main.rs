//! The player as a program of its own, for tests that need an agent and not all of `jangdan`.

use std::{env, process::ExitCode};

fn main() -> ExitCode {
    scripted_agent::run(env::args_os().skip(1).collect())
}
