//! The program `jangdan-holder`: keeps one session alive. Everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    holder::hold()
}
