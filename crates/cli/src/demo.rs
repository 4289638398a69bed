//! `jangdan demo`: the whole of Jangdan in a minute, with no key, no network and no agent installed.
//!
//! A small repository is made in a folder of its own. What happens there is real: sessions, worktrees, checks, merges,
//! questions. Only the agents are played.

mod answer;
mod auto;
mod end;
mod files;
mod script;
mod set_up;

use std::{
    env, fs,
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use clap::{Args, ValueEnum};
use domain::Locale;
use runtime::prepare::person;
use runtime::{AfterStop, NewRun};
use server::Client;

use crate::{
    failure::{Failure, say_hint},
    link, ready, remote,
    run::running,
    screen::words::pick,
    watch::{Options, Outcome, watch},
};
pub use auto::{Auto, Manner};
use set_up::{Demo, Wanted, set_up};

/// How long a question can be read before it is answered by itself.
const READING: Duration = Duration::from_millis(1500);

/// What `jangdan demo` takes.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Answer questions, permissions and gates by itself, as it does where there is no terminal
    #[arg(long)]
    auto: bool,
    /// Play so many times as fast, such as 2 or 0.5
    #[arg(long, default_value = "1", value_name = "N", value_parser = speed)]
    speed: f64,
    /// Keep the repository and all data in this folder, which is new or empty
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// The language of the plan and the agents; without it that of the environment
    #[arg(long)]
    lang: Option<Language>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Language {
    En,
    Ko,
}

/// Plays the demo.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let player = env::current_exe().map_err(|error| Failure {
        what: format!("find this program: {error}"),
        hint: None,
        exit: 1,
    })?;
    // Removed when this returns, unless it is to be kept.
    let temporary = match &arguments.keep {
        Some(folder) => empty_folder(folder).map(|()| None)?,
        None => Some(tempfile::Builder::new().prefix("jangdan-demo-").tempdir().map_err(no_folder)?),
    };
    let folder = temporary.as_ref().map(tempfile::TempDir::path).or(arguments.keep.as_deref());
    let folder = folder.unwrap_or(Path::new("."));
    let locale = match arguments.lang {
        Some(Language::En) => Locale::En,
        Some(Language::Ko) => Locale::Ko,
        None => remote::locale(),
    };
    let demo = set_up(folder, Wanted { speed: arguments.speed, locale, player: &player })?;
    say_hint(pick(
        locale,
        "five played agents build a till for a tea house; everything else is real",
        "다섯 배우가 찻집의 계산대를 만듭니다. 나머지는 모두 진짜입니다",
    ));
    play(arguments, &demo, locale)
}

fn play(arguments: &Arguments, demo: &Demo, locale: Locale) -> Result<ExitCode, Failure> {
    let loaded = set_up::configuration(demo)?;
    let prepared = ready::make_ready(&demo.shop, &loaded, &ready::Wanted::default())?;
    let running = running(&demo.data, link::port(&loaded.config))?;
    let outcome = watched(arguments, demo, locale, &running.client, &prepared.new);
    if let Some(server) = running.inside {
        // What works in a folder that is removed would work for nobody.
        let stays = arguments.keep.is_some() && matches!(outcome, Ok(Outcome::Left));
        server.stop(if stays { AfterStop::LeaveWorking } else { AfterStop::EndSessions });
    }
    let outcome = outcome?;
    if outcome == Outcome::Done {
        end::show(demo, locale)?;
    }
    end::say_where(demo, locale, outcome, arguments.keep.is_some());
    Ok(outcome.exit())
}

/// Begins the run, watches it to its end, and brings what it made onto the shop's branch.
fn watched(
    arguments: &Arguments,
    demo: &Demo,
    locale: Locale,
    client: &Client,
    new: &NewRun,
) -> Result<Outcome, Failure> {
    let run = client.start(new).map_err(|error| remote::failure(&error))?;
    link::say(client, Some(&run));
    let manner = Manner { person: person(), pause: READING.div_f64(arguments.speed) };
    let is_auto = arguments.auto || !can_answer();
    let auto = is_auto.then(|| Auto::start(&demo.data, &run, manner)).transpose()?;
    let outcome = watch(client, &run, &Options { json: false, no_wait: false, locale, person: person() });
    if let Some(auto) = auto {
        auto.stop();
    }
    let outcome = outcome?;
    if outcome == Outcome::Done {
        end::land(client, &run)?;
    }
    Ok(outcome)
}

/// Tells whether somebody sits at a terminal on which they can be asked.
fn can_answer() -> bool {
    let is_dumb = env::var_os("TERM").is_none_or(|term| term == "dumb");
    io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb
}

fn speed(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(speed) if (0.1..=1000.0).contains(&speed) => Ok(speed),
        Ok(_) | Err(_) => Err("a speed is a number from 0.1 to 1000".to_owned()),
    }
}

fn empty_folder(folder: &Path) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure {
        what: format!("use {}: {error}", folder.display()),
        hint: Some("name a folder that is new or empty".to_owned()),
        exit: 1,
    };
    fs::create_dir_all(folder).map_err(failed)?;
    if fs::read_dir(folder).map_err(failed)?.next().is_some() {
        return Err(failed(io::Error::other("it is not empty")));
    }
    Ok(())
}

fn no_folder(error: io::Error) -> Failure {
    let hint = Some("name a folder with --keep".to_owned());
    Failure { what: format!("make a temporary folder: {error}"), hint, exit: 1 }
}
