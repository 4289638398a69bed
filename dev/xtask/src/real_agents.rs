//! `cargo xtask real-agents`: runs the agents that people use against a scripted model on loopback.
//!
//! They are installed from npm once, into a cache beside the build. Each has a home of its own and a clean environment,
//! so that neither this machine's settings nor another agent's are seen or changed. Not part of `cargo xtask test`.

mod agents;
mod dialogue;
mod install;
mod prompt;
mod resume;
mod shape;
mod start;
mod voices;

use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;

use crate::shell;

/// Which agents, and whether they are installed anew.
#[derive(Args)]
pub struct Options {
    /// Only this agent: claude, codex, opencode or gemini.
    #[arg(long)]
    agent: Option<String>,
    /// Installs them even where they are there already.
    #[arg(long)]
    install: bool,
}

/// Installs what is missing and runs every check; fails at the end if one of them did.
pub fn run(options: &Options) -> Result<()> {
    let start = Instant::now();
    let chosen: Vec<&agents::Agent> = agents::ALL
        .iter()
        .filter(|agent| options.agent.as_ref().is_none_or(|wanted| agent.name == wanted))
        .collect();
    if chosen.is_empty() {
        let names: Vec<&str> = agents::ALL.iter().map(|agent| agent.name).collect();
        bail!("no such agent\nhint: the agents are {}", names.join(", "));
    }
    let cache = install::cache()?;
    shell::step("install", "npm 10 or newer and 1.6 GB of disk are needed", || {
        install::ensure(&cache, options.install)
    })?;
    let mut n_failed = 0;
    let mut step = |title: &str, check: &dyn Fn() -> Result<()>| {
        let hint = "its home and all that it wrote are kept below the cache; run it again with --agent";
        if let Err(error) = shell::step(title, hint, check) {
            eprintln!("error: {error:#}");
            n_failed += 1;
        }
    };
    for agent in chosen {
        step(&format!("{} answers a prompt", agent.name), &|| prompt::check(agent, &cache));
        for voice in voices::ALL.iter().filter(|voice| voice.agent == agent.name) {
            step(&format!("the player speaks as {}", voice.name), &|| voices::check(voice, agent, &cache));
        }
        for way in resume::ALL.iter().filter(|way| way.agent == agent.name) {
            step(&format!("{} is resumed", way.name), &|| resume::check(way, agent, &cache));
        }
    }
    if n_failed > 0 {
        bail!("{n_failed} check(s) found something else than was seen before");
    }
    eprintln!("\nAll held, in {}.", shell::seconds(start.elapsed()));
    Ok(())
}
