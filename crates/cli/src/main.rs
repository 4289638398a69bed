//! The binary `jangdan`: parses the command line and calls the module of the command.

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

mod agents;
mod answer;
mod approve;
mod arguments;
mod audit;
mod calls;
mod chat;
mod checks;
mod clean;
mod command_groups;
mod command_line_error;
mod completions;
mod config;
mod control;
mod conversation;
mod data;
mod decode;
mod demo;
mod diff;
mod doctor;
mod escalations;
mod failure;
mod gate;
mod hook;
mod inbox;
mod init;
mod input_failure;
mod land;
mod link;
mod localized;
mod log;
mod logs;
mod man;
mod messages;
mod number;
mod plan_change;
mod plan_check;
mod plan_show;
mod play;
mod plural;
mod prepare;
mod print_error;
mod printable;
mod provide;
mod remote;
mod replay;
mod report;
mod resolve;
mod retry;
mod rewind;
mod row_source;
mod run;
mod run_command;
mod run_log;
mod run_lookup;
mod runs;
mod sandboxed;
mod say;
mod screen;
mod secret;
mod secret_input;
mod serve;
mod server_log;
mod session;
mod sessions;
mod settings;
mod skip;
mod snippet;
mod status;
mod store_failure;
mod table;
mod tell;
mod timestamp;
mod value_name;
mod version;
mod watch;

/// Run a team of command-line AI agents through a plan
#[derive(Debug, Parser)]
#[command(name = "jangdan", version, long_version = version::long(), arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the known agents: installed or not, version, signed in or not
    Agents(agents::Arguments),
    /// Answer a question
    Answer(answer::Arguments),
    /// Approve a phase
    Approve(approve::ApproveArguments),
    /// List the calls between agents: who called whom, why, and with which result
    Calls(calls::Arguments),
    /// Cancel a run, a phase or a task
    Cancel(control::CancelArguments),
    /// Send a message to the orchestrator, or answer the only open question
    Chat(chat::Arguments),
    /// Show the checks of a task or a gate, with their outcome and output
    Checks(checks::Arguments),
    /// Delete finished worktrees; git keeps their content
    Clean(clean::Arguments),
    /// Print the completion script of a shell
    Completions(completions::Arguments),
    /// Show or check the configuration
    #[command(subcommand)]
    Config(config::Command),
    /// Continue a paused run, phase or task
    Continue(control::Arguments),
    /// Show the conversation with a task's agents or of a session, turn by turn
    Conversation(conversation::Arguments),
    /// Decode an agent's output into protocol messages
    Decode(decode::Arguments),
    /// Try Jangdan in a minute, with scripted agents; no key or network is needed
    Demo(demo::Arguments),
    /// Show the changes of a task or a phase
    Diff(diff::Arguments),
    /// Check whether this machine and project are ready for a run
    Doctor(doctor::Arguments),
    /// List the problems of a run, and what can be done about each
    Escalations(escalations::Arguments),
    /// Show the report of a phase at its gate, approve the phase or request changes
    #[command(subcommand)]
    Gate(gate::Command),
    /// Report an event of Claude Code to its session (called by Claude Code)
    Hook(hook::Arguments),
    /// Show questions, approvals and problems that are waiting for you, the most urgent first
    Inbox(inbox::Arguments),
    /// Write jangdan.toml and an example plan for the project in this folder
    Init(init::Arguments),
    /// Merge the approved work of a run into the branch that it started from
    Land(land::Arguments),
    /// Print the link to the page of the running server
    Link(link::Arguments),
    /// Print the events of a run, one per line
    Log(log::Arguments),
    /// Print the commands of users and where each came from
    Audit(audit::Arguments),
    /// Show the output of a task's agent
    Logs(logs::Arguments),
    /// Write the manual pages to a folder
    #[command(hide = true)]
    Man(man::Arguments),
    /// List the messages and results that agents sent each other
    Messages(messages::Arguments),
    /// Pause a run, a phase or a task
    Pause(control::Arguments),
    /// Check, show or convert a plan file, or settle its changes during a run
    #[command(subcommand)]
    Plan(PlanCommand),
    /// Play a script as an agent would, to try a plan without a real agent
    Play(play::Arguments),
    /// Provide what an agent requests
    Provide(provide::ProvideArguments),
    /// Refuse what an agent requests
    Refuse(provide::RefuseArguments),
    /// Request changes to a phase instead of approving it
    Reject(approve::RejectArguments),
    /// Show a run as it was after an event
    Replay(replay::Arguments),
    /// Print the report of a run: tasks, proofs, questions, time and cost
    Report(report::Arguments),
    /// Decide about a problem
    Resolve(resolve::Arguments),
    /// Continue an unfinished run and watch it
    Resume(run::ResumeArguments),
    /// Retry a task
    Retry(retry::Arguments),
    /// Restore a checkpoint of a task
    Rewind(rewind::Arguments),
    /// Run a plan: agents work on its tasks in parallel, and you are asked when a decision is yours
    Run(run::Arguments),
    /// List all runs
    Runs(runs::Arguments),
    /// Restrict this process and execute another program in it
    #[command(hide = true)]
    Sandboxed(sandboxed::Arguments),
    /// Send a protocol message from an agent in a session
    Say(say::Arguments),
    /// Store secrets for agents, encrypted, and use them
    #[command(subcommand)]
    Secret(secret::Command),
    /// Start a server that keeps runs going in the background
    Serve(serve::Arguments),
    /// Run agents in sessions that outlive the terminal, and attach to them
    Session(session::Arguments),
    /// List the sessions of a run, and which started or called which
    Sessions(sessions::Arguments),
    /// Skip a task; the tasks that depend on it continue
    Skip(skip::Arguments),
    /// Show the tasks of a run and what is waiting for you
    Status(status::Arguments),
    /// Send a message to the agent of a task
    Tell(tell::Arguments),
    /// Watch a run live, and act on it
    Watch(watch::command::Arguments),
}

#[derive(Debug, Subcommand)]
enum PlanCommand {
    /// Check a plan file and show its tasks
    Check(plan_check::Arguments),
    /// Print a plan as a diagram for Mermaid or Graphviz
    Show(plan_show::ShowArguments),
    /// Convert a plan to another format
    Convert(plan_show::ConvertArguments),
    /// Show how the plan file differs from the plan of the run
    Diff(plan_change::Arguments),
    /// Apply the changes of the plan file to the run
    #[command(alias = "take")]
    Apply(plan_change::Arguments),
    /// Ignore the changes of the plan file
    #[command(alias = "leave")]
    Ignore(plan_change::Arguments),
    /// Mark an external dependency of the plan as met
    Met(plan_change::MarkMetArguments),
}

fn main() -> ExitCode {
    let locale = remote::environment_locale();
    let matches = command_groups::with_groups(Arguments::command(), locale).try_get_matches();
    let arguments = matches
        .and_then(|matches| Arguments::from_arg_matches(&matches))
        .unwrap_or_else(|error| command_line_error::exit(&error, locale));
    let result = match arguments.command {
        Command::Agents(arguments) => agents::run(&arguments),
        Command::Answer(arguments) => answer::run(&arguments),
        Command::Approve(arguments) => approve::approve(&arguments),
        Command::Cancel(arguments) => control::cancel(&arguments),
        Command::Chat(arguments) => chat::run(&arguments),
        Command::Clean(arguments) => clean::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Config(command) => config::run(&command),
        Command::Continue(arguments) => control::resume(&arguments),
        Command::Checks(arguments) => checks::run(&arguments),
        Command::Calls(arguments) => calls::run(&arguments),
        Command::Messages(arguments) => messages::run(&arguments),
        Command::Sessions(arguments) => sessions::run(&arguments),
        Command::Conversation(arguments) => conversation::run(&arguments),
        Command::Decode(arguments) => decode::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Hook(arguments) => hook::run(&arguments),
        Command::Inbox(arguments) => inbox::run(&arguments),
        Command::Init(arguments) => init::run(&arguments),
        Command::Land(arguments) => land::run(&arguments),
        Command::Link(arguments) => link::run(&arguments),
        Command::Log(arguments) => log::run(&arguments),
        Command::Audit(arguments) => audit::run(&arguments),
        Command::Logs(arguments) => logs::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
        Command::Pause(arguments) => control::pause(&arguments),
        Command::Provide(arguments) => provide::provide(&arguments),
        Command::Refuse(arguments) => provide::refuse(&arguments),
        Command::Escalations(arguments) => escalations::run(&arguments),
        Command::Gate(command) => gate::run(&command),
        Command::Reject(arguments) => approve::reject(&arguments),
        Command::Resolve(arguments) => resolve::run(&arguments),
        Command::Retry(arguments) => retry::run(&arguments),
        Command::Rewind(arguments) => rewind::run(&arguments),
        Command::Resume(arguments) => run::resume(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Runs(arguments) => runs::run(&arguments),
        Command::Sandboxed(arguments) => sandboxed::run(&arguments),
        Command::Say(arguments) => say::run(&arguments),
        Command::Secret(command) => secret::run(&command),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Session(arguments) => session::run(&arguments),
        Command::Plan(PlanCommand::Check(arguments)) => plan_check::run(&arguments),
        Command::Plan(PlanCommand::Show(arguments)) => plan_show::show(&arguments),
        Command::Plan(PlanCommand::Convert(arguments)) => plan_show::convert(&arguments),
        Command::Plan(PlanCommand::Diff(arguments)) => plan_change::diff(&arguments),
        Command::Plan(PlanCommand::Apply(arguments)) => plan_change::apply(&arguments),
        Command::Plan(PlanCommand::Ignore(arguments)) => plan_change::ignore(&arguments),
        Command::Plan(PlanCommand::Met(arguments)) => plan_change::mark_met(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Play(arguments) => play::run(&arguments),
        Command::Skip(arguments) => skip::run(&arguments),
        Command::Tell(arguments) => tell::run(&arguments),
        Command::Status(arguments) => status::run(&arguments),
        Command::Watch(arguments) => watch::command::run(&arguments),
    };
    result.unwrap_or_else(|failure| failure.report())
}
