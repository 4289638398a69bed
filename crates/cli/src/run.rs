//! `jangdan run`: a plan from its beginning to its end, watched; `jangdan resume`: one that was left, from there on.

use std::{env, path::PathBuf, process::ExitCode, time::Duration};

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use domain::RunId;
use plan::PlanFormat;
use runtime::AfterStop;
use runtime::prepare::person;
use server::{EnsureError, Loopback, Running, ServerError, ensure};
use views::RunRow;

use crate::{
    arguments::{CommonArguments, ConfirmArguments, RunOperandArguments},
    demo::{Auto, Manner},
    failure::{Failure, say_hint},
    link,
    plural::plural,
    printable::printable,
    ready::{Wanted, make_ready},
    remote,
    run_lookup::{by_name, describe, is_active, several_active},
    settings::{SetArguments, Settings},
    watch::{self, Options, Outcome},
};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The plan file; without it TASKS.md or what else a plan is called
    plan: Option<PathBuf>,
    /// Read the plan in this format instead of finding it out
    #[arg(long, value_parser = format_parser())]
    format: Option<PlanFormat>,
    /// Who does what the plan names nobody for: an agent of `jangdan agents`
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Do the plan's optional tasks too
    #[arg(long)]
    optional: bool,
    /// Let all agents work in this folder, without worktrees
    #[arg(long)]
    no_worktrees: bool,
    /// Exit with status 3 as soon as the run needs you to continue
    #[arg(long)]
    no_wait: bool,
    #[command(flatten)]
    set: SetArguments,
    #[command(flatten)]
    confirm: ConfirmArguments,
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Debug, Args)]
pub struct ResumeArguments {
    #[command(flatten)]
    run: RunOperandArguments,
    /// Exit with status 3 as soon as the run needs you to continue
    #[arg(long)]
    no_wait: bool,
    /// Answer questions, permissions and gates automatically
    #[arg(long, hide = true)]
    auto: bool,
}

fn format_parser() -> impl TypedValueParser<Value = PlanFormat> {
    PossibleValuesParser::new(PlanFormat::ALL.map(PlanFormat::as_str))
        .try_map(|name| name.parse::<PlanFormat>())
}

/// Begins a run and watches it.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let data = arguments.common.data()?;
    let settings = Settings::read(&arguments.set)?.with_choices(&data)?;
    let loaded = settings.load()?;
    let project = env::current_dir().map_err(|error| Failure {
        what: format!("find the current directory: {error}"),
        hint: None,
        exit: 1,
    })?;
    let wanted = Wanted {
        plan: arguments.plan.clone(),
        format: arguments.format,
        with_optional: arguments.optional,
        agent: arguments.agent.clone(),
        in_place: arguments.no_worktrees,
        confirmed: arguments.confirm.yes,
        config_searched: settings.searched.clone(),
    };
    let prepared = make_ready(&project, &loaded, &wanted)?;
    let running = running(&data, link::port(&loaded.config))?;
    let run = running.client.start(&prepared.new).map_err(|error| remote::failure(&error))?;
    let json = arguments.common.json;
    if !json {
        let tasks = plural(prepared.new.work.tasks.len(), "task");
        say_hint(&format!("run {run}: {} with {tasks}", printable(&prepared.new.work.title)));
        for note in &prepared.notes {
            say_hint(&printable(note));
        }
        link::say(&running.client, Some(&run));
    }
    let locale = prepared.new.settings.locale;
    watched(running, &run, &Options { json, no_wait: arguments.no_wait, locale, person: person() })
}

/// Continues an unfinished run and watches it.
pub fn resume(arguments: &ResumeArguments) -> Result<ExitCode, Failure> {
    let common = arguments.run.common();
    let data = common.data()?;
    let loaded = Settings::read(&SetArguments::default())?.load()?;
    let running = running(&data, link::port(&loaded.config))?;
    let runs = running.client.runs().map_err(|error| remote::failure(&error))?;
    let run = unfinished(runs, arguments.run.name())?.id;
    if !common.json {
        link::say(&running.client, Some(&run));
    }
    let manner = || Manner { person: person(), pause: Duration::ZERO };
    let auto = arguments.auto.then(|| Auto::start(&data, &run, manner())).transpose()?;
    let locale = loaded.config.settings.locale;
    let options = Options { json: common.json, no_wait: arguments.no_wait, locale, person: person() };
    let outcome = watched(running, &run, &options);
    if let Some(auto) = auto {
        auto.stop();
    }
    outcome
}

/// Returns the run of this name, else the only active one of the data directory: its server continues all of them.
fn unfinished(runs: Vec<RunRow>, name: Option<&str>) -> Result<RunRow, Failure> {
    if let Some(name) = name {
        return by_name(runs, name, |run| &run.id, describe);
    }
    let active: Vec<_> = runs.into_iter().filter(is_active).collect();
    match active.as_slice() {
        [run] => Ok(run.clone()),
        [] => Err(Failure {
            what: "There is no unfinished run.".to_owned(),
            hint: Some("List all: jangdan runs".to_owned()),
            exit: 1,
        }),
        [.., newest] => Err(several_active(&active, newest)),
    }
}

/// Finds the server, or starts one inside of this process.
pub fn running(data: &std::path::Path, loopback: Loopback) -> Result<Running, Failure> {
    ensure(data, loopback).map_err(|error: EnsureError| Failure {
        what: remote::chain(&error),
        hint: Some(match &error {
            EnsureError::Server(ServerError::Port { .. }) => error.hint().to_owned(),
            _ => "see what is wrong with `jangdan runs`, or name another folder with --data".to_owned(),
        }),
        exit: 1,
    })
}

/// Watches a run until it ends or the user leaves, then stops the server if this process started it.
fn watched(running: Running, run: &RunId, options: &Options) -> Result<ExitCode, Failure> {
    let outcome = watch::watch(&running.client, run, options);
    let agents = match outcome {
        Ok(Outcome::StopAgents) => AfterStop::EndSessions,
        _ => AfterStop::LeaveWorking,
    };
    if matches!(outcome, Ok(Outcome::Done)) && !options.json {
        say_hint(&format!("bring the work onto your branch: jangdan land {run}"));
    }
    match running.inside {
        Some(server) => server.stop(agents),
        None if agents == AfterStop::EndSessions => {
            // The server belongs to another process, so only this run is paused.
            let paused = running.client.wish(run, &person(), &domain::Command::PauseRun);
            paused.map_err(|error| remote::failure(&error))?;
        }
        None => {}
    }
    outcome.map(Outcome::exit)
}
