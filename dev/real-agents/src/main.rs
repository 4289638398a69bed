//! Runs real agents against a scripted model on loopback: each with every driver that it supports, then all together in
//! whole runs.
//!
//! Started by `cargo xtask real-agents` in a clean environment. Each agent has its own home folder, so that it neither sees
//! nor changes the settings of this machine or of another agent.

mod agent_home;
mod checks;
mod dialogue;
mod driven_agent;
mod journey;
mod mistakes;
mod processes;
mod programs;
mod project;
mod run;
mod run_log;
mod setups;
mod shape;
mod table;
mod voices;

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{Mutex, PoisonError},
    thread,
    time::Instant,
};

use anyhow::{Context, Result, bail};
use clap::Parser;
use model_server::{ModelServer, Script};

use agent_home::AgentHome;
use checks::{Check, CheckContext};
use run::Scenario;
use setups::AgentSetup;
use table::{CheckResult, ResultRow};

/// Number of checks that run at once; they mostly wait.
const N_THREADS: usize = 3;

#[derive(Parser)]
struct Arguments {
    /// Folder of the installed agents and of their home folders
    #[arg(long)]
    cache: PathBuf,
    /// The program of the scripted agent
    #[arg(long)]
    scripted_agent: PathBuf,
    /// The program of Jangdan itself
    #[arg(long)]
    jangdan: PathBuf,
    /// Run only this agent
    #[arg(long)]
    agent: Option<String>,
    /// Run only setups, voices and scenarios whose names contain this
    #[arg(long)]
    only: Option<String>,
    /// Run only this check, by its name in the table
    #[arg(long)]
    check: Option<String>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let start = Instant::now();
    let folder = arguments.cache.join("runs").join(std::process::id().to_string());
    let is_chosen = |agent: &str, name: &str| {
        arguments.agent.as_ref().is_none_or(|only| agent == only)
            && arguments.only.as_ref().is_none_or(|only| name.contains(only.as_str()))
    };
    let setups = setups::ALL.iter().filter(|setup| is_chosen(setup.agent, setup.preset)).map(Job::Setup);
    let voices = voices::ALL.iter().filter(|voice| is_chosen(voice.agent, voice.name)).map(Job::Voice);
    let voices = voices.filter(|_| arguments.check.is_none());
    let scenarios = Scenario::ALL.into_iter().filter(|one| is_chosen("", one.name())).map(Job::Run);
    let scenarios = scenarios.filter(|_| arguments.check.is_none());
    let journey = is_chosen("", journey::NAME) && arguments.check.is_none();
    let journey = journey.then_some(Job::Journey);
    let jobs: Vec<Job> = setups.chain(voices).chain(scenarios).chain(journey).collect();
    if jobs.is_empty() {
        bail!("no check matches; the agents are claude, codex, opencode and gemini");
    }
    let rows = Mutex::new(Vec::new());
    let next = Mutex::new(jobs.iter().enumerate());
    let take = || next.lock().unwrap_or_else(PoisonError::into_inner).next();
    thread::scope(|scope| {
        for _ in 0..N_THREADS {
            scope.spawn(|| {
                while let Some((number, job)) = take() {
                    let row = job.run(&folder.join(number.to_string()), arguments);
                    rows.lock().unwrap_or_else(PoisonError::into_inner).push((number, row));
                }
            });
        }
    });
    let mut rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    rows.sort_by_key(|(number, _)| *number);
    let rows: Vec<ResultRow> = rows.into_iter().map(|(_, row)| row).collect();
    table::print(&rows);
    let n_failed = rows.iter().map(ResultRow::n_failed).sum::<usize>();
    if n_failed > 0 {
        bail!("{n_failed} check(s) failed; home folders and sessions are in {}", folder.display());
    }
    fs::remove_dir_all(&folder).with_context(|| format!("clear {}", folder.display()))?;
    eprintln!("\nAll checks passed, in {} s.", start.elapsed().as_secs());
    Ok(())
}

/// A part that is checked independently of the others.
enum Job {
    Setup(&'static AgentSetup),
    Voice(&'static voices::VoiceComparison),
    Run(Scenario),
    Journey,
}

impl Job {
    fn run(&self, folder: &Path, arguments: &Arguments) -> ResultRow {
        let start = Instant::now();
        let (name, results) = match self {
            Self::Setup(setup) => {
                let results = check_setup(setup, folder, arguments.check.as_deref());
                (format!("{} with {}", setup.agent, setup.driver), results)
            }
            Self::Voice(voice) => {
                let results = check_voice(voice, folder, &arguments.scripted_agent);
                let results = results.map(|()| vec![("voice", CheckResult::Passed)]);
                (format!("scripted agent, {}", voice.name), results)
            }
            Self::Run(scenario) => {
                let results = run::check_run(*scenario, folder, &arguments.jangdan);
                (scenario.name().to_owned(), results.map(|()| vec![("whole run", CheckResult::Passed)]))
            }
            Self::Journey => {
                let results = journey::check_journey(folder, &arguments.jangdan);
                (journey::NAME.to_owned(), results.map(|()| vec![("whole plan", CheckResult::Passed)]))
            }
        };
        let results = results.unwrap_or_else(|error| {
            eprintln!("{name}: {error:#}");
            vec![("start", CheckResult::Failed)]
        });
        eprintln!("{name}: {:.1} s", start.elapsed().as_secs_f64());
        ResultRow { name, results }
    }
}

/// Runs all checks of a setup.
fn check_setup(
    setup: &'static AgentSetup,
    folder: &Path,
    only: Option<&str>,
) -> Result<Vec<(&'static str, CheckResult)>> {
    let agent = programs::find_agent(setup.agent)?;
    let server = ModelServer::start(Script::default())?;
    let home = AgentHome::create(agent, folder, &server.url())?;
    let mut context = CheckContext::new(setup, &server, &home)?;
    let mut results = Vec::new();
    for check in Check::ALL.into_iter().filter(|check| only.is_none_or(|only| check.name() == only)) {
        let unsupported = setup.unsupported.iter().find(|(other, _)| *other == check);
        let result = match unsupported {
            Some((_, reason)) => CheckResult::Unsupported(reason),
            None => match context.run_check(check) {
                Ok(()) => CheckResult::Passed,
                Err(error) => {
                    eprintln!("{} with {}, {}: {error:#}", setup.agent, setup.driver, check.name());
                    CheckResult::Failed
                }
            },
        };
        results.push((check.name(), result));
    }
    context.end_session();
    Ok(results)
}

fn check_voice(voice: &voices::VoiceComparison, folder: &Path, scripted_agent: &Path) -> Result<()> {
    let agent = programs::find_agent(voice.agent)?;
    let server = ModelServer::start(Script::from_turns((voice.model)()))?;
    let home = AgentHome::create(agent, folder, &server.url())?;
    voices::check(voice, agent, &home, scripted_agent)
}
