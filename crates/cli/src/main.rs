//! The binary `jangdan`: takes the command line apart, and hands over to the command's own file.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod agents;
mod answer;
mod approve;
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
mod version;
mod watch;
mod wish;

/// Runs a team of command-line AI agents through a plan.
#[derive(Debug, Parser)]
#[command(name = "jangdan", version, long_version = version::long(), arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Lists the agents that Jangdan knows: which are here, which version, logged in or not.
    Agents(agents::Arguments),
    /// Answers a question.
    #[command(override_usage = "jangdan answer [OPTIONS] [RUN] QUESTION [TEXT]")]
    Answer(answer::Arguments),
    /// Lets a phase pass its gate.
    #[command(override_usage = "jangdan approve [OPTIONS] [RUN] PHASE [NOTE]")]
    Approve(approve::Approve),
    /// Calls off a run, a phase or a task.
    #[command(override_usage = "jangdan cancel [OPTIONS] [RUN] [TASK]")]
    Cancel(control::Arguments),
    /// Says something to the orchestrator, or answers the only question that waits.
    #[command(override_usage = "jangdan chat [OPTIONS] [RUN] TEXT")]
    Chat(chat::Arguments),
    /// Removes the worktrees that nobody needs any more; what is in them is kept.
    Clean(clean::Arguments),
    /// Shows the configuration: what holds, where it comes from, what is wrong with it.
    #[command(subcommand)]
    Config(config::Command),
    /// Lets a run, a phase or a task go on that was paused.
    #[command(override_usage = "jangdan continue [OPTIONS] [RUN] [TASK]")]
    Continue(control::Arguments),
    /// Shows what a task's agent was told and what it said, turn by turn.
    #[command(override_usage = "jangdan conversation [OPTIONS] [RUN] TASK")]
    Conversation(conversation::Arguments),
    /// Shows what an agent said in its output.
    Decode(decode::Arguments),
    /// Shows the whole of Jangdan in a minute, with agents that are played.
    Demo(demo::Arguments),
    /// Shows what a task has changed so far.
    #[command(override_usage = "jangdan diff [OPTIONS] [RUN] TASK")]
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
    #[command(override_usage = "jangdan logs [OPTIONS] [RUN] TASK")]
    Logs(logs::Arguments),
    /// Lets a run, a phase or a task wait.
    #[command(override_usage = "jangdan pause [OPTIONS] [RUN] [TASK]")]
    Pause(control::Arguments),
    /// Gives an agent what it asks for.
    #[command(override_usage = "jangdan provide [OPTIONS] [RUN] REQUEST")]
    Provide(provide::Provide),
    /// Says that an agent will not get what it asks for.
    #[command(override_usage = "jangdan refuse [OPTIONS] [RUN] REQUEST [REASON]")]
    Refuse(provide::Refuse),
    /// Does not let a phase pass its gate.
    #[command(override_usage = "jangdan reject [OPTIONS] [RUN] PHASE REASON")]
    Reject(approve::Reject),
    /// Does something about a problem that reached you.
    #[command(override_usage = "jangdan resolve [OPTIONS] [RUN] ESCALATION ACTION")]
    Resolve(resolve::Arguments),
    /// Tries a task again.
    #[command(override_usage = "jangdan retry [OPTIONS] [RUN] TASK")]
    Retry(retry::Arguments),
    /// Brings a task back to a checkpoint.
    #[command(override_usage = "jangdan rewind [OPTIONS] [RUN] TASK [CHECKPOINT]")]
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
    #[command(override_usage = "jangdan skip [OPTIONS] [RUN] TASK")]
    Skip(skip::Arguments),
    /// Shows how a run stands, and what waits for you.
    Status(status::Arguments),
    /// Says something to whoever works at a task.
    #[command(override_usage = "jangdan tell [OPTIONS] [RUN] TASK TEXT")]
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
        Command::Continue(arguments) => control::go_on(&arguments),
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
