//! `jangdan agents`: lists the known agents and marks the default worker.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use anstyle::{AnsiColor, Style};
use clap::Args;
use config::LoadedConfig;
use domain::{AgentName, Locale, Role};
use sessions::detect::{AgentListing, LoginState, list};
use unicode_width::UnicodeWidthStr;

use crate::{
    failure::{Failure, print_hint},
    localized::localized,
    printable::{printable, printable_json},
    remote::environment_locale,
    settings::{ConfigLoader, SetArguments},
};

const GOOD: Style = AnsiColor::Green.on_default();
const MISSING: Style = Style::new().dimmed();
const BAD: Style = AnsiColor::Yellow.on_default();

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Print JSON, one object per agent
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    set: SetArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let settings = ConfigLoader::read(&arguments.set)?;
    let loaded = settings.load_printing_problems()?;
    let rows = agent_listings(&settings, &loaded)?;
    let written = if arguments.json { write_json(&rows) } else { write_table(&rows) };
    if let Err(error) = written {
        return Failure::from_output_error(&error).map_or(Ok(ExitCode::SUCCESS), Err);
    }
    if !arguments.json {
        let hint = match (rows.iter().find(|row| row.chosen), loaded.worker_origins()) {
            (Some(row), [.., origin]) => localized(
                format!("Runs use {} ({}), as set in {origin}.", row.name, row.title),
                format!("실행에 쓰이는 에이전트: {} ({}). 설정 위치: {origin}", row.name, row.title),
            ),
            (Some(row), []) => localized(
                format!("Runs without configuration use {} ({}).", row.name, row.title),
                format!("설정이 없을 때 실행에 쓰이는 에이전트: {} ({})", row.name, row.title),
            ),
            (None, _) => localized(
                "No agent is ready. Install one or sign in, as shown in the last column.",
                "준비된 에이전트가 없습니다. 마지막 열을 보고 설치하거나 로그인하세요.",
            ),
        };
        print_hint(&printable(&hint));
    }
    Ok(ExitCode::SUCCESS)
}

fn agent_listings(settings: &ConfigLoader, loaded: &LoadedConfig) -> Result<Vec<AgentListing>, Failure> {
    let trusted = settings.load_without_project().map(|loaded| loaded.config.agents).unwrap_or_default();
    let worker = loaded.config.agent_for(Role::Worker).map(AgentName::as_str);
    let listed = list(&loaded.config.agents, &trusted, worker, &loaded.config.agents_without_role());
    listed.map_err(|error| Failure { what: error.to_string(), hint: None, exit: 1 })
}

fn write_json(rows: &[AgentListing]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    for row in rows {
        writeln!(stdout, "{}", printable_json(row)?)?;
    }
    stdout.flush()
}

fn write_table(rows: &[AgentListing]) -> io::Result<()> {
    let locale = environment_locale();
    let head = match locale {
        Locale::En => ["AGENT", "VERSION", "SIGNED IN", "MISSING"],
        Locale::Ko => ["에이전트", "버전", "로그인", "필요한 조치"],
    };
    let head = head.map(str::to_owned);
    let cells = rows.iter().map(|row| {
        let version = match (&row.program, &row.version) {
            (None, _) => localized("not installed", "설치 안 됨"),
            (Some(_), Some(version)) => printable(version),
            (Some(_), None) => localized("installed", "설치됨"),
        };
        let login = match (&row.program, row.login) {
            (None, _) => String::new(),
            (Some(_), LoginState::In) => localized("yes", "됨"),
            (Some(_), LoginState::Out) => localized("no", "안 됨"),
            (Some(_), LoginState::NotNeeded) => localized("not needed", "불필요"),
        };
        let mark = if row.chosen { " *" } else { "" };
        let name = format!("{}{mark}", row.name);
        [name, version, login, printable(&missing_text(row, locale).unwrap_or_default())]
    });
    let lines: Vec<_> = std::iter::once(head).chain(cells).collect();
    let width =
        |column: usize| lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.width()).max();
    let widths: Vec<usize> = (0..4).map(|column| width(column).unwrap_or(0)).collect();
    let styles = std::iter::once(Style::new().bold()).chain(rows.iter().map(row_style));
    let mut stdout = anstream::stdout().lock();
    for (line, style) in lines.iter().zip(styles) {
        let padded = line
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell}{}", " ".repeat(width.saturating_sub(cell.width()))));
        let text = padded.collect::<Vec<_>>().join("  ");
        writeln!(stdout, "{style}{}{style:#}", text.trim_end())?;
    }
    stdout.flush()
}

/// Returns what to do before an agent can be used.
pub(crate) fn missing_text(row: &AgentListing, locale: Locale) -> Option<String> {
    let missing = row.missing.as_deref()?;
    Some(match (locale, missing.split_once(": ")) {
        (Locale::En, _) | (Locale::Ko, None) => missing.to_owned(),
        (Locale::Ko, Some((_, how))) if row.program.is_none() => format!("설치: {how}"),
        (Locale::Ko, Some((_, how))) => format!("로그인: {how}"),
    })
}

fn row_style(row: &AgentListing) -> Style {
    match (row.works, &row.program) {
        (true, _) => GOOD,
        (false, Some(_)) => BAD,
        (false, None) => MISSING,
    }
}
