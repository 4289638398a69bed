//! Finds or installs the programs and targets that the commands need in addition to Cargo, with a message for each.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Result, bail};

use crate::shell;

/// A Cargo subcommand that another package provides.
pub(crate) struct Tool {
    /// The word after `cargo`.
    pub subcommand: &'static str,
    /// The package to install.
    pub package: &'static str,
}

/// Runs each test in its own process.
pub(crate) const NEXTEST: Tool = Tool { subcommand: "nextest", package: "cargo-nextest" };
/// Runs the fuzz targets.
pub(crate) const FUZZ: Tool = Tool { subcommand: "fuzz", package: "cargo-fuzz" };

/// Installs a tool if it is missing.
pub(crate) fn ensure(tool: &Tool) -> Result<()> {
    if let Some(version) = version(tool.subcommand) {
        eprintln!("   {version} is installed");
        return Ok(());
    }
    eprintln!(
        "   {} is missing: `cargo install --locked {}` (some minutes, once)",
        tool.package, tool.package
    );
    shell::run(&mut shell::cargo_command(&["install", "--locked", tool.package]))
}

/// Returns an error if the toolchain lacks a component.
pub(crate) fn require_component(subcommand: &str, component: &str) -> Result<()> {
    match version(subcommand) {
        Some(version) => {
            eprintln!("   {version} is installed");
            Ok(())
        }
        None => bail!("the toolchain has no {component}: `rustup component add {component}`"),
    }
}

/// Installs the musl target of this machine with rustup if it is missing.
///
/// The holder, one process for each session, is built for it and then needs half the memory. Every build works without
/// it, so a missing rustup or a failed download is only reported.
pub(crate) fn ensure_holder_target() -> Result<()> {
    let Some(target) = musl_target(&shell::host_target()?) else { return Ok(()) };
    let mut query = Command::new("rustc");
    query.args(["--print", "target-libdir", "--target", &target]).current_dir(shell::repository_root());
    if Path::new(shell::command_output(&mut query)?.trim()).is_dir() {
        eprintln!("   target {target} is installed");
        return Ok(());
    }
    eprintln!("   target {target} is missing: `rustup target add {target}` (30 MB, once)");
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", &target]).current_dir(shell::repository_root());
    if let Err(error) = shell::run(&mut rustup) {
        eprintln!("   {error:#}");
        eprintln!(
            "   The build continues with glibc: each session's holder needs about 640 KB instead of 350 KB."
        );
    }
    Ok(())
}

/// Installs Debian packages that are missing; each is recognised by a file of it.
pub(crate) fn ensure_debian_packages(packages: &[(&str, &str)]) -> Result<()> {
    let missing = packages.iter().filter(|(_, file)| !Path::new(file).exists());
    let missing: Vec<_> = missing.map(|(package, _)| *package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    eprintln!("   missing: `apt-get install {}` (once)", missing.join(" "));
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    // A new machine has no package lists, or old ones.
    shell::run(&mut apt(&["update", "--quiet=2"]))?;
    shell::run(apt(&["install", "--yes", "--quiet=2", "--no-install-recommends"]).args(missing))
}

/// Returns the musl target for a host with glibc; `None` for any other host.
pub(crate) fn musl_target(host: &str) -> Option<String> {
    Some(format!("{}-linux-musl", host.strip_suffix("-linux-gnu")?))
}

/// Returns the first line of a subcommand's `--version`; `None` if it is not installed.
fn version(subcommand: &str) -> Option<String> {
    let output = shell::cargo_command(&[subcommand, "--version"]).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.lines().next().map(|line| line.trim().to_owned()))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_host_with_glibc_has_a_musl_target() {
        assert_eq!(musl_target("x86_64-unknown-linux-gnu").as_deref(), Some("x86_64-unknown-linux-musl"));
        assert_eq!(musl_target("aarch64-unknown-linux-gnu").as_deref(), Some("aarch64-unknown-linux-musl"));
        assert_eq!(musl_target("x86_64-unknown-linux-musl"), None);
        assert_eq!(musl_target("aarch64-apple-darwin"), None);
    }
}
