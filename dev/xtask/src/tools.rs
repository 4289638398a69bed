//! The programs that the commands need beside Cargo: found, or installed and said so.

use std::process::Stdio;

use anyhow::{Result, bail};

use crate::shell;

/// A Cargo subcommand of its own package.
pub struct Tool {
    /// The word behind `cargo`.
    pub subcommand: &'static str,
    /// The package that brings it.
    pub package: &'static str,
}

/// Runs the tests, each in a process of its own.
pub const NEXTEST: Tool = Tool { subcommand: "nextest", package: "cargo-nextest" };
/// Runs the fuzz targets.
pub const FUZZ: Tool = Tool { subcommand: "fuzz", package: "cargo-fuzz" };

/// Installs a tool unless it is there.
pub fn ensure(tool: &Tool) -> Result<()> {
    if let Some(version) = version(tool.subcommand) {
        eprintln!("   {version} is there");
        return Ok(());
    }
    eprintln!(
        "   {} is missing: `cargo install --locked {}` (some minutes, once)",
        tool.package, tool.package
    );
    shell::run(&mut shell::cargo(&["install", "--locked", tool.package]))
}

/// Complains about a component of the toolchain that is not there.
pub fn ensure_component(subcommand: &str, component: &str) -> Result<()> {
    match version(subcommand) {
        Some(version) => {
            eprintln!("   {version} is there");
            Ok(())
        }
        None => bail!("the toolchain has no {component}: `rustup component add {component}`"),
    }
}

/// Returns the first line of what a subcommand says about itself, where it is installed.
fn version(subcommand: &str) -> Option<String> {
    let output = shell::cargo(&[subcommand, "--version"]).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.lines().next().map(|line| line.trim().to_owned()))?
}
