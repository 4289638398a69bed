//! The program `jangdan-holder`. Everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    holder::run_holder()
}
