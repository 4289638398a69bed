//! The binary `jangdan`: takes the command line apart, and hands over to the command's own file.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod agents;
mod answer;
mod approve;
mod arguments;
mod chat;
mod clean;
mod columns;
mod config;
mod control;
mod conversation;
mod data;
mod decode;
mod demo;
mod diff;
mod failure;
mod hook;
mod inbox;
mod land;
mod link;
mod log;
mod logs;
mod moment;
mod plan_change;
mod plan_check;
mod play;
mod plural;
mod printable;
mod provide;
mod ready;
mod remote;
mod replay;
mod resolve;
mod retry;
mod rewind;
mod run;
mod run_command;
mod run_log;
mod run_lookup;
mod runs;
mod sandboxed;
mod say;
mod screen;
mod serve;
mod session;
mod settings;
mod skip;
mod snippet;
mod source;
mod status;
mod store_failure;
mod tell;
mod watch;

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
    /// Answers a question.
    Answer(answer::Arguments),
    /// Lets a phase pass its gate.
    Approve(approve::ApproveArguments),
    /// Calls off a run, a phase or a task.
    Cancel(control::CancelArguments),
    /// Says something to the orchestrator, or answers the only question that waits.
    Chat(chat::Arguments),
    /// Removes the worktrees that nobody needs any more; what is in them is kept.
    Clean(clean::Arguments),
    /// Shows the configuration: what holds, where it comes from, what is wrong with it.
    #[command(subcommand)]
    Config(config::Command),
    /// Lets a run, a phase or a task go on that was paused.
    Continue(control::Arguments),
    /// Shows what a task's agent was told and what it said, turn by turn.
    Conversation(conversation::Arguments),
    /// Shows what an agent said in its output.
    Decode(decode::Arguments),
    /// Shows the whole of Jangdan in a minute, with agents that are played.
    Demo(demo::Arguments),
    /// Shows what a task has changed so far.
    Diff(diff::Arguments),
    /// Tells the session what happened in Claude Code, which calls it.
    Hook(hook::Arguments),
    /// Shows what waits for you, the most urgent first.
    Inbox(inbox::Arguments),
    /// Brings what a run has merged onto the branch that it started from.
    Land(land::Arguments),
    /// Prints the link that opens the page of the server that runs.
    Link(link::Arguments),
    /// Shows what happened in a run, a line for each event.
    Log(log::Arguments),
    /// Shows what a task's agent says and does.
    Logs(logs::Arguments),
    /// Lets a run, a phase or a task wait.
    Pause(control::Arguments),
    /// Gives an agent what it asks for.
    Provide(provide::ProvideArguments),
    /// Says that an agent will not get what it asks for.
    Refuse(provide::RefuseArguments),
    /// Does not let a phase pass its gate.
    Reject(approve::RejectArguments),
    /// Does something about a problem that reached you.
    Resolve(resolve::Arguments),
    /// Tries a task again.
    Retry(retry::Arguments),
    /// Brings a task back to a checkpoint.
    Rewind(rewind::Arguments),
    /// Takes a run up again that was left, and watches it.
    Resume(run::ResumeArguments),
    /// Runs a plan: agents work at its tasks side by side, and you are asked when you are needed.
    Run(run::Arguments),
    /// Lists all runs, and how they stand.
    Runs(runs::Arguments),
    /// Restricts itself and becomes another program.
    #[command(hide = true)]
    Sandboxed(sandboxed::Arguments),
    /// Says a message of the protocol, for an agent in a session.
    Say(say::Arguments),
    /// Starts a server that stays, so that runs go on while nobody watches.
    Serve(serve::Arguments),
    /// Starts agents that outlive the terminal, and comes back to them.
    Session(session::Arguments),
    /// Works with plan files.
    #[command(subcommand)]
    Plan(PlanCommand),
    /// Shows a run as it was at one of its events.
    Replay(replay::Arguments),
    /// Plays a script as an agent would, to try things without a real one.
    Play(play::Arguments),
    /// Leaves a task out.
    Skip(skip::Arguments),
    /// Shows how a run stands, and what waits for you.
    Status(status::Arguments),
    /// Says something to whoever works at a task.
    Tell(tell::Arguments),
    /// Shows a run as it goes, and lets you act on it.
    Watch(watch::command::Arguments),
}

#[derive(Debug, Subcommand)]
enum PlanCommand {
    /// Reads a plan file, and shows what it means and what is wrong with it.
    Check(plan_check::Arguments),
    /// Shows what the plan file says that the run's plan does not.
    Diff(plan_change::Arguments),
    /// Lets what changed in the plan file hold for the run.
    Take(plan_change::Arguments),
    /// Lets the run's plan stay as it is.
    Leave(plan_change::Arguments),
    /// Says that something is there that tasks wait for outside of the plan.
    Met(plan_change::MetArguments),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Agents(arguments) => agents::run(&arguments),
        Command::Answer(arguments) => answer::run(&arguments),
        Command::Approve(arguments) => approve::approve(&arguments),
        Command::Cancel(arguments) => control::cancel(&arguments),
        Command::Chat(arguments) => chat::run(&arguments),
        Command::Clean(arguments) => clean::run(&arguments),
        Command::Config(command) => config::run(&command),
        Command::Continue(arguments) => control::resume(&arguments),
        Command::Conversation(arguments) => conversation::run(&arguments),
        Command::Decode(arguments) => decode::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Hook(arguments) => hook::run(&arguments),
        Command::Inbox(arguments) => inbox::run(&arguments),
        Command::Land(arguments) => land::run(&arguments),
        Command::Link(arguments) => link::run(&arguments),
        Command::Log(arguments) => log::run(&arguments),
        Command::Logs(arguments) => logs::run(&arguments),
        Command::Pause(arguments) => control::pause(&arguments),
        Command::Provide(arguments) => provide::provide(&arguments),
        Command::Refuse(arguments) => provide::refuse(&arguments),
        Command::Reject(arguments) => approve::reject(&arguments),
        Command::Resolve(arguments) => resolve::run(&arguments),
        Command::Retry(arguments) => retry::run(&arguments),
        Command::Rewind(arguments) => rewind::run(&arguments),
        Command::Resume(arguments) => run::resume(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Runs(arguments) => runs::run(&arguments),
        Command::Sandboxed(arguments) => sandboxed::run(&arguments),
        Command::Say(arguments) => say::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Session(arguments) => session::run(&arguments),
        Command::Plan(PlanCommand::Check(arguments)) => plan_check::run(&arguments),
        Command::Plan(PlanCommand::Diff(arguments)) => plan_change::diff(&arguments),
        Command::Plan(PlanCommand::Take(arguments)) => plan_change::take(&arguments),
        Command::Plan(PlanCommand::Leave(arguments)) => plan_change::leave(&arguments),
        Command::Plan(PlanCommand::Met(arguments)) => plan_change::met(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Play(arguments) => play::run(&arguments),
        Command::Skip(arguments) => skip::run(&arguments),
        Command::Tell(arguments) => tell::run(&arguments),
        Command::Status(arguments) => status::run(&arguments),
        Command::Watch(arguments) => watch::command::run(&arguments),
    };
    result.unwrap_or_else(|failure| failure.report())
}
