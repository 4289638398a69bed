//! `cargo xtask real-agents`: installs the agents that people use, and runs them against a scripted model.
//!
//! They are installed from npm once, into a cache outside of the repository. What is done with them is in
//! `dev/real-agents/`; it gets a clean environment, so that nothing of this machine's settings is seen. Not part of
//! `cargo xtask test`.

mod install;

use std::{env, path::PathBuf, process::Command};

use anyhow::{Context, Result};
use clap::Args;

use crate::{shell, tools};

/// Which agents, and whether they are installed anew.
#[derive(Args)]
pub struct Options {
    /// Only this agent: claude, codex, opencode or gemini.
    #[arg(long)]
    agent: Option<String>,
    /// Only ways and voices with this in their names.
    #[arg(long)]
    only: Option<String>,
    /// Only this check, by its name in the table.
    #[arg(long)]
    check: Option<String>,
    /// Installs them even where they are there already.
    #[arg(long)]
    install: bool,
    /// Where they are kept; without it below the user's cache.
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
}

/// Installs what is missing and runs every check; fails at the end if one of them did.
pub fn run(options: &Options) -> Result<()> {
    let cache = install::cache(options.cache.as_deref())?;
    shell::step("install", "npm 10 or newer and 1.6 GB of disk are needed", || {
        install::ensure(&cache, options.install)
    })?;
    let programs = shell::step("build", "cargo build shows more", || {
        tools::ensure_holder_target()?;
        shell::programs(&["real-agents", "scripted-agent", "jangdan"])
    })?;
    let mut checks = Command::new(programs.join("real-agents"));
    // Node must be found, and the agents; nothing else of this machine's environment is.
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(cache.join("node_modules/.bin")).chain(env::split_paths(&path));
    checks.env_clear().env("PATH", env::join_paths(folders).context("the PATH has a place for the agents")?);
    checks.env("LANG", "C.UTF-8").env("TERM", "xterm-256color");
    checks.arg("--cache").arg(&cache);
    checks
        .arg("--player")
        .arg(programs.join("scripted-agent"))
        .arg("--jangdan")
        .arg(programs.join("jangdan"));
    for (name, value) in [("--agent", &options.agent), ("--only", &options.only), ("--check", &options.check)]
    {
        checks.args(value.iter().flat_map(|value| [name, value]));
    }
    shell::step(
        "real agents",
        "their homes and all that they wrote are kept below the cache; run one with --agent",
        || shell::run(&mut checks),
    )
}
