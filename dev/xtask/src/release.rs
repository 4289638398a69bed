//! `cargo xtask release`: installs the holder's target if it is missing, then builds the release program.

use anyhow::Result;

use crate::{
    shell::{self, cargo_command, step},
    tools,
};

/// Builds `target/dist/jangdan` and prints what it contains.
pub(crate) fn run() -> Result<()> {
    step("tools", "without rustup, install the musl target with the system's package manager", || {
        tools::ensure_holder_target()
    })?;
    step("build", "cargo build shows more", || {
        shell::run(&mut cargo_command(&["build", "--profile", "dist", "--package", "cli"]))
    })?;
    let program = shell::target_directory()?.join("dist/jangdan");
    eprintln!("\n{}", program.display());
    shell::run(std::process::Command::new(program).arg("--version"))
}
