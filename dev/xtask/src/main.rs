//! `cargo xtask`: the developer commands, one file for each. Nothing here is part of the product.

mod api;
mod attack;
mod bench;
mod chaos;
mod dist;
mod fuzz;
mod left_processes;
mod mutants;
mod real_agents;
mod release;
mod shell;
mod sim;
mod soak;
mod test;
mod tidy;
mod tools;
mod types;
mod web;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Commands for working on Jangdan.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Installs what the tests need, then runs all of them: format, clippy, tests, doc tests, tidy.
    Test,
    /// Checks the rules of ARCHITECTURE.md and STYLE.md that the compiler does not check.
    Tidy(tidy::Options),
    /// Runs the fuzz targets for a limited time and stores the inputs that break a rule.
    Fuzz(fuzz::Options),
    /// Measures one part against its peers and its goals.
    Bench(bench::Options),
    /// Runs the demo and kills its processes at random moments.
    Chaos(chaos::Options),
    /// Builds a static program with completions and manual pages, packs it, and tries the installation.
    Dist,
    /// Plays attacks on the built program, with and without a sandbox.
    Attack(attack::Options),
    /// Tests a real server with requests generated from its OpenAPI description.
    Api(api::Options),
    /// Disables one rule of the engine after the other, and checks that the tests detect it.
    Mutants(mutants::Options),
    /// Installs the real agents and runs them against a scripted model.
    RealAgents(real_agents::Options),
    /// Builds the release program, with the small holder.
    Release,
    /// Simulates runs of the engine with crashes, faulty agents and late answers.
    Sim(sim::Options),
    /// Simulates a million runs, and runs the long tests before a release.
    Soak(soak::Options),
    /// Generates the TypeScript types of the page from those of the server.
    Types,
    /// Checks the page and tests it in a browser.
    Web(web::Options),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Test => test::run(),
        Command::Chaos(options) => chaos::run(&options),
        Command::Dist => dist::run(),
        Command::Attack(options) => attack::run(&options),
        Command::Api(options) => api::run(&options),
        Command::Tidy(options) => tidy::run(&options),
        Command::Fuzz(options) => fuzz::run(&options),
        Command::Mutants(options) => mutants::run(&options),
        Command::RealAgents(options) => real_agents::run(&options),
        Command::Release => release::run(),
        Command::Bench(options) => return bench::run(&options),
        Command::Sim(options) => sim::run(&options),
        Command::Soak(options) => soak::run(&options),
        Command::Types => types::run(),
        Command::Web(options) => web::run(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
