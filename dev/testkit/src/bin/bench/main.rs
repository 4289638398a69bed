//! Measures parts of Jangdan against their peers: `cargo xtask bench NAME [--json]`.
//!
//! One file for each bench; the harness is `testkit::bench`.

mod agents;
mod catch_up;
mod child;
mod engine;
mod memory;
mod plan;
mod run;
mod server;
mod store;
mod web;
mod wire;

use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use testkit::{bench::Report, progress};

/// Measures one part and compares it with its goals.
#[derive(Parser)]
#[command(name = "bench")]
struct Arguments {
    /// The part to measure.
    name: BenchName,
    /// Prints the report as one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum BenchName {
    /// The decoder, on 64 MB of agent output.
    Wire,
    /// The plan parser, on 10,000 tasks.
    Plan,
    /// The scheduler, on graphs of 50 to 5,000 tasks.
    Engine,
    /// The event log, with 64 producers.
    Store,
    /// A run of 1,000 tasks, against make and ninja.
    Run,
    /// Sessions: the cost of a holder, against a bare terminal and tmux.
    Agents,
    /// From the end of 1 GB of output to the decision about the DONE behind it.
    CatchUp,
    /// The server, against one in Node.
    Server,
    /// The page in a browser, with a run of 1,000 tasks.
    Web,
}

/// Prints the report; the exit status is 1 if a goal is missed.
fn main() -> ExitCode {
    let arguments = Arguments::parse();
    progress::begin("preparation");
    let outcome: anyhow::Result<Report> = match arguments.name {
        BenchName::Wire => wire::run(),
        BenchName::Plan => plan::run(),
        BenchName::Store => store::run(),
        BenchName::Engine => engine::run(),
        BenchName::Run => run::run(),
        BenchName::Agents => agents::run(),
        BenchName::CatchUp => catch_up::run(),
        BenchName::Server => server::run(),
        BenchName::Web => web::run(),
    };
    match outcome.and_then(|report| Ok((serde_json::to_string(&report)?, report))) {
        Ok((json, report)) => {
            if arguments.json {
                println!("{json}");
            } else {
                print!("{report}");
            }
            ExitCode::from(u8::from(!report.are_goals_reached()))
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
