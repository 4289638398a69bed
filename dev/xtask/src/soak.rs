//! `cargo xtask soak`: the tests that take too long for every change and belong before a release.
//!
//! Simulates many runs of the engine in parts, so that it can continue after a failure; then kills the store repeatedly,
//! kills the server of 256 subscribers, sends many generated requests, and disturbs whole runs.

use anyhow::Result;
use clap::Args;

use crate::{
    api, chaos,
    shell::{self, cargo_command, step},
    sim,
};

/// Number of simulated runs in one part; a failure prints the seed to continue with.
const PART: u64 = 100_000;
const CRASHES: &str = "1000";
const SUBSCRIBERS: &str = "256";
const API_EXAMPLES: u32 = 300;
const CHAOS_ROUNDS: u64 = 500;
/// Another first seed than that of `cargo xtask test`.
const CHAOS_SEED: u64 = 1000;

/// Number of simulated runs, and the first seed.
#[derive(Args)]
pub(crate) struct Options {
    /// Number of simulated runs.
    #[arg(long, default_value_t = 1_000_000)]
    seeds: u64,
    /// First seed: the one that an earlier soak printed.
    #[arg(long, default_value_t = 0)]
    first: u64,
}

/// Runs all parts; the first failure ends it.
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut first = options.first;
    let mut left = options.seeds;
    while left > 0 {
        let n_seeds = left.min(PART);
        let title = format!("{n_seeds} simulated runs from seed {first}");
        let hint = format!("fix it, then continue with `cargo xtask soak --first {first} --seeds {left}`");
        step(&title, &hint, || {
            sim::simulate(&["--first", &first.to_string(), "--seeds", &n_seeds.to_string()])
        })?;
        first += n_seeds;
        left -= n_seeds;
    }
    step("the store is killed 1,000 times", "the test is crates/store/tests/store/crash.rs", || {
        let mut command = cargo_command(&[
            "test",
            "--release",
            "--package",
            "store",
            "--test",
            "store",
            "acknowledged_entries_survive_kills",
        ]);
        shell::run(command.env("JANGDAN_CRASHES", CRASHES))
    })?;
    step("256 subscribers", "the test is crates/cli/tests/terminal/subscribers.rs", || {
        let mut command =
            cargo_command(&["nextest", "run", "--package", "cli", "--test", "terminal", "subscribers"]);
        shell::run(command.env("JANGDAN_SUBSCRIBERS", SUBSCRIBERS).env("JANGDAN_KILLS", "5"))
    })?;
    api::run(&api::Options { examples: API_EXAMPLES })?;
    step(
        "the demo is disturbed",
        "play a round alone with `cargo xtask chaos --rounds 1 --seed SEED`",
        || chaos::run(&chaos::Options { rounds: CHAOS_ROUNDS, seed: CHAOS_SEED, spare_disk: false }),
    )?;
    eprintln!("\nAll parts passed.");
    Ok(())
}
