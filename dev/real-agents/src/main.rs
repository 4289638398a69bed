//! Runs the agents that people use against a scripted model on loopback: each by every driver that it supports, then all
//! together in whole runs.
//!
//! Started by `cargo xtask real-agents` in a clean environment. Each agent has a home of its own, so that neither this
//! machine's settings nor another agent's are seen or changed.

mod checks;
mod dialogue;
mod led;
mod place;
mod programs;
mod run;
mod shape;
mod slips;
mod table;
mod voices;
mod ways;

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

use checks::{Check, Stage};
use place::Place;
use run::Course;
use table::{Held, Row};
use ways::Way;

/// They wait for each other's clocks more than they work.
const AT_ONCE: usize = 3;

#[derive(Parser)]
struct Arguments {
    /// Where the agents are installed, and where their homes shall be
    #[arg(long)]
    cache: PathBuf,
    /// The player's program
    #[arg(long)]
    player: PathBuf,
    /// Jangdan's own program
    #[arg(long)]
    jangdan: PathBuf,
    /// Only this agent
    #[arg(long)]
    agent: Option<String>,
    /// Only ways and voices with this in their names
    #[arg(long)]
    only: Option<String>,
    /// Only this check, by its name in the table
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
        arguments.agent.as_ref().is_none_or(|wanted| agent == wanted)
            && arguments.only.as_ref().is_none_or(|only| name.contains(only.as_str()))
    };
    let ways = ways::ALL.iter().filter(|way| is_chosen(way.agent, way.preset)).map(Work::Way);
    let voices = voices::ALL.iter().filter(|voice| is_chosen(voice.agent, voice.name)).map(Work::Voice);
    let voices = voices.filter(|_| arguments.check.is_none());
    let courses = Course::ALL.into_iter().filter(|course| is_chosen("", course.name())).map(Work::Run);
    let courses = courses.filter(|_| arguments.check.is_none());
    let works: Vec<Work> = ways.chain(voices).chain(courses).collect();
    if works.is_empty() {
        bail!("nothing fits; the agents are claude, codex, opencode and gemini");
    }
    let rows = Mutex::new(Vec::new());
    let next = Mutex::new(works.iter().enumerate());
    let take = || next.lock().unwrap_or_else(PoisonError::into_inner).next();
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((number, work)) = take() {
                    let row = work.run(&folder.join(number.to_string()), arguments);
                    rows.lock().unwrap_or_else(PoisonError::into_inner).push((number, row));
                }
            });
        }
    });
    let mut rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    rows.sort_by_key(|(number, _)| *number);
    let rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
    table::print(&rows);
    let n_failed = rows.iter().map(Row::n_failed).sum::<usize>();
    if n_failed > 0 {
        bail!("{n_failed} check(s) did not hold; homes and sessions are kept in {}", folder.display());
    }
    fs::remove_dir_all(&folder).with_context(|| format!("clear {}", folder.display()))?;
    eprintln!("\nAll held, in {} s.", start.elapsed().as_secs());
    Ok(())
}

/// Something to be checked by itself.
enum Work {
    Way(&'static Way),
    Voice(&'static voices::Voice),
    Run(Course),
}

impl Work {
    fn run(&self, folder: &Path, arguments: &Arguments) -> Row {
        let start = Instant::now();
        let (name, held) = match self {
            Self::Way(way) => {
                (format!("{} by {}", way.agent, way.driver), lead(way, folder, arguments.check.as_deref()))
            }
            Self::Voice(voice) => {
                let held = speak(voice, folder, &arguments.player);
                (format!("the player, {}", voice.name), held.map(|()| vec![("voice", Held::Yes)]))
            }
            Self::Run(course) => {
                let held = run::go(*course, folder, &arguments.jangdan);
                (course.name().to_owned(), held.map(|()| vec![("whole run", Held::Yes)]))
            }
        };
        let held = held.unwrap_or_else(|error| {
            eprintln!("{name}: {error:#}");
            vec![("start", Held::No)]
        });
        eprintln!("{name}: {:.1} s", start.elapsed().as_secs_f64());
        Row { name, held }
    }
}

/// Leads an agent through all checks.
fn lead(way: &'static Way, folder: &Path, only: Option<&str>) -> Result<Vec<(&'static str, Held)>> {
    let agent = programs::find(way.agent)?;
    let server = ModelServer::start(Script::default())?;
    let place = Place::new(agent, folder, &server.url())?;
    let mut stage = Stage::new(way, &server, &place)?;
    let mut held = Vec::new();
    for check in Check::ALL.into_iter().filter(|check| only.is_none_or(|only| check.name() == only)) {
        let lack = way.lacks.iter().find(|(lack, _)| *lack == check);
        let outcome = match lack {
            Some((_, reason)) => Held::Lacks(reason),
            None => match stage.check(check) {
                Ok(()) => Held::Yes,
                Err(error) => {
                    eprintln!("{} by {}, {}: {error:#}", way.agent, way.driver, check.name());
                    Held::No
                }
            },
        };
        held.push((check.name(), outcome));
    }
    stage.end();
    Ok(held)
}

fn speak(voice: &voices::Voice, folder: &Path, player: &Path) -> Result<()> {
    let agent = programs::find(voice.agent)?;
    let server = ModelServer::start(Script::of((voice.model)()))?;
    let place = Place::new(agent, folder, &server.url())?;
    voices::check(voice, agent, &place, player)
}
