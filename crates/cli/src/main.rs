//! The binary `jangdan`: takes the command line apart, and hands over to the command's own file.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod agents;
mod config;
mod data;
mod decode;
mod failure;
mod hook;
mod input;
mod log;
mod moment;
mod plan_check;
mod play;
mod plural;
mod prepare;
mod printable;
mod replay;
mod sandboxed;
mod say;
mod screen;
mod session;
mod settings;
mod sim;
mod snippet;
mod store_failure;

/// Runs a team of command-line AI agents through a plan.
#[derive(Debug, Parser)]
#[command(name = "jangdan", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Lists the agents that Jangdan knows: which are here, which version, logged in or not.
    Agents(agents::Arguments),
    /// Shows the configuration: what holds, where it comes from, what is wrong with it.
    #[command(subcommand)]
    Config(config::Command),
    /// Shows what an agent said in its output.
    Decode(decode::Arguments),
    /// Tells the session what happened in Claude Code, which calls it.
    Hook(hook::Arguments),
    /// Shows what happened in a run, a line for each event.
    Log(log::Arguments),
    /// Restricts itself and becomes another program.
    #[command(hide = true)]
    Sandboxed(sandboxed::Arguments),
    /// Says a message of the protocol, for an agent in a session.
    Say(say::Arguments),
    /// Starts agents that outlive the terminal, and comes back to them.
    Session(session::Arguments),
    /// Works with plan files.
    #[command(subcommand)]
    Plan(PlanCommand),
    /// Shows a run as it was at one of its events.
    Replay(replay::Arguments),
    /// Plays a script as an agent would, to try things without a real one.
    Play(play::Arguments),
    /// Imagines many runs against crashes, liars and late answers, and looks for one that breaks a rule.
    Sim(sim::Arguments),
}

#[derive(Debug, Subcommand)]
enum PlanCommand {
    /// Reads a plan file, and shows what it means and what is wrong with it.
    Check(plan_check::Arguments),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Agents(arguments) => agents::run(&arguments),
        Command::Config(command) => config::run(&command),
        Command::Decode(arguments) => decode::run(&arguments),
        Command::Hook(arguments) => hook::run(&arguments),
        Command::Log(arguments) => log::run(&arguments),
        Command::Sandboxed(arguments) => sandboxed::run(&arguments),
        Command::Say(arguments) => say::run(&arguments),
        Command::Session(arguments) => session::run(&arguments),
        Command::Plan(PlanCommand::Check(arguments)) => plan_check::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Play(arguments) => play::run(&arguments),
        Command::Sim(arguments) => sim::run(&arguments),
    };
    result.unwrap_or_else(|failure| failure.report())
}
