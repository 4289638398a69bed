//! `jangdan demo`: shows Jangdan in a minute, without a key, a network or an installed agent.
//!
//! Creates a small repository in its own folder and runs its plan. Sessions, worktrees, checks, merges and questions are
//! real; only the agents follow scripts.

mod auto_answer;
mod auto_responder;
mod files;
mod result;
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
use runtime::prepare::user_name;
use runtime::{NewRun, ShutdownMode};
use server::Client;

use crate::{
    failure::Failure,
    link,
    localized::localized,
    prepare,
    printable::printable,
    remote,
    run::ensure_server,
    screen::phrases::pick_by_locale,
    server_log::LogArguments,
    watch::{WatchOptions, WatchOutcome, watch},
};
pub(crate) use auto_responder::{AutoResponder, ResponderOptions};
use set_up::{DemoOptions, DemoProject, set_up};

/// How long a question is shown before it is answered automatically.
const READING_TIME: Duration = Duration::from_millis(1500);

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Answer questions, permissions and gates automatically [default without a terminal]
    #[arg(long)]
    auto: bool,
    /// Speed factor, such as 2 or 0.5
    #[arg(long, default_value = "1", value_name = "N", value_parser = parse_speed)]
    speed: f64,
    /// Keep the repository and all data in this folder, which must be new or empty
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Language of the plan and the agents [default: that of the environment]
    #[arg(long)]
    lang: Option<Language>,
    #[command(flatten)]
    log: LogArguments,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Language {
    En,
    Ko,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let program = sessions::own_program().map_err(|error| Failure {
        what: localized(
            format!("Cannot find the path of this program ({error})."),
            format!("이 프로그램의 경로를 찾을 수 없습니다({error})."),
        ),
        hint: None,
        exit: 1,
    })?;
    // Deleted when this function returns, unless --keep names a folder.
    let temporary = match &arguments.keep {
        Some(folder) => ensure_empty_folder(folder).map(|()| None)?,
        None => Some(
            tempfile::Builder::new().prefix("jangdan-demo-").tempdir().map_err(temporary_folder_failure)?,
        ),
    };
    let folder = temporary.as_ref().map(tempfile::TempDir::path).or(arguments.keep.as_deref());
    let folder = folder.unwrap_or(Path::new("."));
    let locale = match arguments.lang {
        Some(Language::En) => Locale::En,
        Some(Language::Ko) => Locale::Ko,
        None => remote::environment_locale(),
    };
    let demo = set_up(folder, DemoOptions { speed: arguments.speed, locale, player: &program })?;
    eprintln!(
        "{}",
        pick_by_locale(
            locale,
            "Five scripted agents build a to-do service. Everything else is real.",
            "스크립트로 동작하는 에이전트 5개가 할 일 서비스를 만듭니다. 나머지는 모두 실제로 동작합니다.",
        )
    );
    run_plan_with_server(arguments, &demo, locale)
}

fn run_plan_with_server(
    arguments: &Arguments,
    demo: &DemoProject,
    locale: Locale,
) -> Result<ExitCode, Failure> {
    let loaded = set_up::load_configuration(demo)?;
    let prepared =
        prepare::prepare_run(&demo.project, &loaded, &prepare::PrepareOptions::default(), |_| Vec::new())?;
    let running = ensure_server(&demo.data, link::page_port(&loaded.config), &arguments.log)?;
    let outcome = run_plan(arguments, demo, locale, &running.client, &prepared.new);
    if let Some(server) = running.embedded {
        // Agents must not keep working in a folder that is deleted.
        let keeps_working = arguments.keep.is_some() && matches!(outcome, Ok(WatchOutcome::Detached));
        server.stop(if keeps_working { ShutdownMode::KeepSessions } else { ShutdownMode::EndSessions });
    }
    let outcome = outcome?;
    if outcome == WatchOutcome::Done {
        result::run_built_client(demo, locale)?;
    }
    result::print_next_steps(demo, locale, outcome, arguments.keep.is_some());
    Ok(outcome.exit_code())
}

/// Starts the run, watches it to its end, and merges its work into the project's branch.
fn run_plan(
    arguments: &Arguments,
    demo: &DemoProject,
    locale: Locale,
    client: &Client,
    new: &NewRun,
) -> Result<WatchOutcome, Failure> {
    let run = client.start_run(new).map_err(|error| remote::client_failure(&error))?;
    link::print_link(client, &demo.data, Some(&run), locale);
    if can_answer() {
        print_data_directory(&demo.data, locale);
    }
    let manner = ResponderOptions { person: user_name(), pause: READING_TIME.div_f64(arguments.speed) };
    let is_auto = arguments.auto || !can_answer();
    let auto = is_auto.then(|| AutoResponder::start(&demo.data, &run, manner)).transpose()?;
    let outcome = watch(
        client,
        &run,
        &WatchOptions { json: false, from_start: true, no_wait: false, locale, person: user_name() },
    );
    if let Some(auto) = auto {
        auto.stop();
    }
    let outcome = outcome?;
    if outcome == WatchOutcome::Done {
        result::land(client, &run)?;
    }
    Ok(outcome)
}

/// Prints what lets the commands that the screen names find the run of the demo.
fn print_data_directory(data: &Path, locale: Locale) {
    let lead = pick_by_locale(locale, "For commands in another terminal", "다른 터미널에서 명령을 쓰려면");
    eprintln!("{lead}: export JANGDAN_DATA={}", printable(&data.display().to_string()));
}

/// Tells whether a user at a terminal can answer questions.
fn can_answer() -> bool {
    let is_dumb = env::var_os("TERM").is_none_or(|term| term == "dumb");
    io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb
}

fn parse_speed(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(speed) if (0.1..=1000.0).contains(&speed) => Ok(speed),
        Ok(_) | Err(_) => {
            Err(localized("the speed is a number from 0.1 to 1000", "속도는 0.1에서 1000 사이의 숫자입니다"))
        }
    }
}

fn ensure_empty_folder(folder: &Path) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure {
        what: localized(
            format!("Cannot use {} ({error}).", folder.display()),
            format!("사용할 수 없는 폴더입니다: {} ({error})", folder.display()),
        ),
        hint: Some(localized("Name a folder that is new or empty.", "새 폴더나 빈 폴더를 지정하세요.")),
        exit: 1,
    };
    fs::create_dir_all(folder).map_err(failed)?;
    if fs::read_dir(folder).map_err(failed)?.next().is_some() {
        return Err(failed(io::Error::other(localized("it is not empty", "비어 있지 않음"))));
    }
    Ok(())
}

fn temporary_folder_failure(error: io::Error) -> Failure {
    let hint = Some(localized("Name a folder with --keep.", "--keep 옵션으로 폴더를 지정하세요."));
    Failure {
        what: localized(
            format!("Cannot create a temporary folder ({error})."),
            format!("임시 폴더를 만들 수 없습니다({error})."),
        ),
        hint,
        exit: 1,
    }
}
