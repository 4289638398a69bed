//! `cargo xtask test`: everything that must pass before a change is merged, the cheapest first.
//!
//! The first step that fails ends it and prints what to do. Benches and fuzzing are separate commands.

use std::time::Instant;

use anyhow::Result;

use crate::{
    attack, chaos, left_processes, mutants,
    shell::{self, cargo_command, step},
    tidy, tools, web,
};

/// Number of runs that are disturbed.
const CHAOS_ROUNDS: u64 = 10;

/// Installs missing tools and runs all steps.
pub(crate) fn run() -> Result<()> {
    let start = Instant::now();
    step("tools", "see the line above; the rest is in CONTRIBUTING.md", || {
        tools::require_component("fmt", "rustfmt")?;
        tools::require_component("clippy", "clippy")?;
        tools::ensure_holder_target()?;
        tools::ensure(&tools::NEXTEST)
    })?;
    step(
        "format",
        "run `cargo fmt --all` (fuzz/ is a workspace of its own: `cd fuzz && cargo fmt`)",
        || {
            shell::run(&mut cargo_command(&["fmt", "--all", "--check"]))?;
            shell::run(&mut cargo_command(&["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"]))
        },
    )?;
    step("clippy", "fix what it names; a lint is silenced by #[expect(…, reason = \"…\")] only", || {
        shell::run(&mut cargo_command(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
    })?;
    step(
        "tests",
        "run one alone with `cargo nextest run NAME`; read a snapshot with `cargo insta review`",
        || shell::run(&mut cargo_command(&["nextest", "run", "--workspace"])),
    )?;
    step(
        "mutants",
        "run one alone with `cargo xtask mutants NAME`; dev/simulator/mutations.toml lists them",
        || mutants::run(&mutants::Options { name: None }),
    )?;
    step("chaos", "run one round with `cargo xtask chaos --rounds 1 --seed SEED`", || {
        chaos::run(&chaos::Options { rounds: CHAOS_ROUNDS, seed: 1, spare_disk: false })
    })?;
    step(
        "attacks",
        "run one alone with `cargo xtask attack --only NAME`; dev/attack/src/ lists them",
        || attack::run(&attack::Options { only: None }),
    )?;
    step("doc tests", "run a crate's alone with `cargo test --doc -p CRATE`", || {
        shell::run(&mut cargo_command(&["test", "--doc", "--workspace"]))
    })?;
    web::run(&web::Options { screens: false })?;
    step("tidy", "each complaint above says what to do; `cargo xtask tidy` runs it alone", || {
        tidy::run(&tidy::Options { fix: false, language: None })
    })?;
    step("processes", "a test must end what it starts; the command lines above show which one", || {
        left_processes::ensure_none_left()
    })?;
    eprintln!("\nAll steps passed ({}).", shell::format_duration(start.elapsed()));
    Ok(())
}
