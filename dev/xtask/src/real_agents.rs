//! `cargo xtask real-agents`: installs real agents and runs them against a scripted model.
//!
//! They are installed from npm once, into a cache outside of the repository. The checks are in `dev/real-agents/`; they
//! get a clean environment, without the settings of this machine. Not part of `cargo xtask test`.

mod install;

use std::{env, path::PathBuf, process::Command};

use anyhow::{Context, Result};
use clap::Args;

use crate::{shell, tools};

/// Which agents and checks, and whether to install the agents again.
#[derive(Args)]
pub(crate) struct Options {
    /// Only this agent: claude, codex, opencode or gemini.
    #[arg(long)]
    agent: Option<String>,
    /// Only agent setups, voices and scenarios whose names contain this.
    #[arg(long)]
    only: Option<String>,
    /// Only this check, by its name in the table.
    #[arg(long)]
    check: Option<String>,
    /// Installs the agents even if they are installed already.
    #[arg(long)]
    install: bool,
    /// Folder for the agents; by default below the user's cache.
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
}

/// Installs missing agents and runs every check; fails at the end if a check failed.
pub(crate) fn run(options: &Options) -> Result<()> {
    let cache = install::cache_folder(options.cache.as_deref())?;
    shell::step("install", "npm 10 or newer and 1.6 GB of disk are needed", || {
        install::ensure_agents(&cache, options.install)
    })?;
    let programs = shell::step("build", "cargo build shows more", || {
        tools::ensure_holder_target()?;
        shell::build_programs(&["real-agents", "scripted-agent", "jangdan"])
    })?;
    let mut checks = Command::new(programs.join("real-agents"));
    // Only Node and the agents are visible of this machine's environment.
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(cache.join("node_modules/.bin")).chain(env::split_paths(&path));
    checks.env_clear().env("PATH", env::join_paths(folders).context("build the PATH of the agents")?);
    checks.env("LANG", "C.UTF-8").env("TERM", "xterm-256color");
    checks.arg("--cache").arg(&cache);
    checks
        .arg("--scripted-agent")
        .arg(programs.join("scripted-agent"))
        .arg("--jangdan")
        .arg(programs.join("jangdan"));
    for (name, value) in [("--agent", &options.agent), ("--only", &options.only), ("--check", &options.check)]
    {
        checks.args(value.iter().flat_map(|value| [name, value]));
    }
    shell::step(
        "real agents",
        "their home folders and output stay below the cache; run one agent with --agent",
        || shell::run(&mut checks),
    )
}
