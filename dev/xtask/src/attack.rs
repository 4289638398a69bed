//! `cargo xtask attack`: plays attacks on the built program, with and without a sandbox, as root and as an ordinary user.

use std::process::Command;

use anyhow::{Result, ensure};
use clap::Args;

use crate::shell;

/// Which attacks are played.
#[derive(Args)]
pub(crate) struct Options {
    /// Only attacks whose names contain this.
    #[arg(long)]
    pub only: Option<String>,
}

/// Builds the program and plays the attacks; fails if one succeeds, or if a guard that is off makes no difference.
pub(crate) fn run(options: &Options) -> Result<()> {
    let has_python = Command::new("python3").arg("-c").arg("").status().is_ok_and(|status| status.success());
    ensure!(has_python, "attacks need python3");
    let programs = shell::build_programs(&["attack", "jangdan"])?;
    let mut attacks = Command::new(programs.join("attack"));
    attacks.arg("--jangdan").arg(programs.join("jangdan"));
    attacks.args(options.only.iter().flat_map(|name| ["--only", name]));
    shell::run(&mut attacks)
}
