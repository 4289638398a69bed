//! `cargo xtask soak`: what takes too long for every change, and should be done before a release.
//!
//! Imagines many runs of the engine in parts, so that it can go on where it was stopped, then kills the store again
//! and again, kills the server of 256 subscribers, asks the server for long, and disturbs whole runs.

use anyhow::Result;
use clap::Args;

use crate::{
    api, chaos,
    shell::{self, cargo, step},
    sim,
};

/// As many runs are imagined between two lines that say where to go on.
const PART: u64 = 100_000;
const CRASHES: &str = "1000";
const SUBSCRIBERS: &str = "256";
const API_EXAMPLES: u32 = 300;
const CHAOS_ROUNDS: u64 = 500;
/// Other luck than that of the tests.
const CHAOS_SEED: u64 = 1000;

/// How many runs, and from where.
#[derive(Args)]
pub struct Options {
    /// How many runs are imagined.
    #[arg(long, default_value_t = 1_000_000)]
    seeds: u64,
    /// The first seed: where an earlier soak said it was.
    #[arg(long, default_value_t = 0)]
    first: u64,
}

/// Runs both; the first rule that is broken ends it.
pub fn run(options: &Options) -> Result<()> {
    let mut first = options.first;
    let mut left = options.seeds;
    while left > 0 {
        let n_seeds = left.min(PART);
        let title = format!("{n_seeds} imagined runs from seed {first}");
        let hint = format!("mend it, then go on with `cargo xtask soak --first {first} --seeds {left}`");
        step(&title, &hint, || {
            sim::simulate(&["--first", &first.to_string(), "--seeds", &n_seeds.to_string()])
        })?;
        first += n_seeds;
        left -= n_seeds;
    }
    step("the store is killed a thousand times", "the test is crates/store/tests/store/crash.rs", || {
        let mut command =
            cargo(&["test", "--release", "--package", "store", "--test", "store", "survives_being_killed"]);
        shell::run(command.env("JANGDAN_CRASHES", CRASHES))
    })?;
    step("256 subscribers", "the test is crates/cli/tests/terminal/subscribers.rs", || {
        let mut command = cargo(&["nextest", "run", "--package", "cli", "--test", "terminal", "subscribers"]);
        shell::run(command.env("JANGDAN_SUBSCRIBERS", SUBSCRIBERS).env("JANGDAN_KILLS", "5"))
    })?;
    api::run(&api::Options { examples: API_EXAMPLES })?;
    step(
        "the demo is disturbed",
        "play a round alone with `cargo xtask chaos --rounds 1 --seed SEED`",
        || chaos::run(&chaos::Options { rounds: CHAOS_ROUNDS, seed: CHAOS_SEED, spare_disk: false }),
    )?;
    eprintln!("\nAll of it holds.");
    Ok(())
}
