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

use crate::{
    data,
    demo::{Auto, Manner},
    failure::{Failure, say_hint},
    link,
    plural::plural,
    printable::printable,
    ready::{Wanted, make_ready},
    remote,
    settings::{SetArguments, Settings},
    source::is_live,
    watch::{self, Options, Outcome},
};

/// How a run is watched.
#[derive(Debug, Args)]
pub struct WatchArguments {
    /// Return as soon as nothing goes on without a person, with exit status 3
    #[arg(long)]
    pub no_wait: bool,
    /// Print what happens as JSON, a line for each change
    #[arg(long)]
    pub json: bool,
    /// The data directory; without it JANGDAN_DATA, then the user's own
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
}

/// The arguments of `jangdan run`.
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
    #[command(flatten)]
    set: SetArguments,
    #[command(flatten)]
    watch: WatchArguments,
}

/// The arguments of `jangdan resume`.
#[derive(Debug, Args)]
pub struct ResumeArguments {
    /// The run, or the beginning of its name; without it the one that is not over
    run: Option<String>,
    /// Answer questions, permissions and gates by itself
    #[arg(long, hide = true)]
    auto: bool,
    #[command(flatten)]
    watch: WatchArguments,
}

fn format_parser() -> impl TypedValueParser<Value = PlanFormat> {
    PossibleValuesParser::new(PlanFormat::ALL.map(PlanFormat::as_str))
        .try_map(|name| name.parse::<PlanFormat>())
}

/// Begins a run and watches it.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let data = data::directory(arguments.watch.data.as_deref())?;
    let loaded = Settings::read(&arguments.set)?.with_choices(&data)?.load()?;
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
    };
    let prepared = make_ready(&project, &loaded, &wanted)?;
    let running = running(&data, link::port(&loaded.config))?;
    let run = running.client.start(&prepared.new).map_err(|error| remote::failure(&error))?;
    if !arguments.watch.json {
        let tasks = plural(prepared.new.work.tasks.len(), "task");
        say_hint(&format!("run {run}: {} with {tasks}", printable(&prepared.new.work.title)));
        for note in &prepared.notes {
            say_hint(&printable(note));
        }
        link::say(&running.client, Some(&run));
    }
    watched(running, &run, &arguments.watch, prepared.new.settings.locale)
}

/// Takes a run up again and watches it.
pub fn resume(arguments: &ResumeArguments) -> Result<ExitCode, Failure> {
    let data = data::directory(arguments.watch.data.as_deref())?;
    let loaded = Settings::read(&SetArguments::default())?.load()?;
    let running = running(&data, link::port(&loaded.config))?;
    let runs = running.client.runs().map_err(|error| remote::failure(&error))?;
    let meant: Vec<_> = match &arguments.run {
        Some(name) => runs.iter().filter(|run| run.id.as_str().starts_with(name.as_str())).collect(),
        None => runs.iter().filter(|run| is_live(run)).collect(),
    };
    let run = match meant.as_slice() {
        [run] => run.id.clone(),
        [] => {
            return Err(Failure {
                what: arguments
                    .run
                    .as_ref()
                    .map_or_else(|| "no run was left".to_owned(), |name| format!("there is no run '{name}'")),
                hint: Some("see which there are with `jangdan runs`".to_owned()),
                exit: 1,
            });
        }
        many => {
            let names: Vec<String> = many.iter().map(|run| format!("{} ({})", run.id, run.title)).collect();
            return Err(Failure {
                what: "several runs are meant".to_owned(),
                hint: Some(format!("name one of them: {}", names.join(", "))),
                exit: 2,
            });
        }
    };
    if !arguments.watch.json {
        link::say(&running.client, Some(&run));
    }
    let manner = || Manner { person: person(), pause: Duration::ZERO };
    let auto = arguments.auto.then(|| Auto::start(&data, &run, manner())).transpose()?;
    let outcome = watched(running, &run, &arguments.watch, loaded.config.settings.locale);
    if let Some(auto) = auto {
        auto.stop();
    }
    outcome
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

/// Watches a run to its end, and lets go of the server.
pub fn watched(
    running: Running,
    run: &RunId,
    arguments: &WatchArguments,
    locale: domain::Locale,
) -> Result<ExitCode, Failure> {
    let options = Options { json: arguments.json, no_wait: arguments.no_wait, locale, person: person() };
    let outcome = watch::watch(&running.client, run, &options);
    let agents = match outcome {
        Ok(Outcome::StopAgents) => AfterStop::EndSessions,
        _ => AfterStop::LeaveWorking,
    };
    if matches!(outcome, Ok(Outcome::Done)) && !arguments.json {
        say_hint(&format!("bring the work onto your branch: jangdan land {run}"));
    }
    match running.inside {
        Some(server) => server.stop(agents),
        None if agents == AfterStop::EndSessions => {
            // The server is somebody else's: only this run is to stand still.
            let paused = running.client.wish(run, &person(), &domain::Command::PauseRun);
            paused.map_err(|error| remote::failure(&error))?;
        }
        None => {}
    }
    outcome.map(Outcome::exit)
}
