//! `jangdan agents`: which agents are on this machine, and which one a run without configuration takes.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use agents::{
    detect::{Found, Login, Machine, choose},
    preset,
};
use anstyle::{AnsiColor, Style};
use clap::Args;
use config::Loaded;
use domain::AgentName;
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use crate::{
    failure::{Failure, say_hint},
    printable::{json, printable},
    settings::{SetArguments, Settings},
};

const GOOD: Style = AnsiColor::Green.on_default();
const MISSING: Style = Style::new().dimmed();
const BAD: Style = AnsiColor::Yellow.on_default();

/// What `jangdan agents` takes.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Print JSON, an object for each agent
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    set: SetArguments,
}

/// An agent, as it is printed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    name: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    login: LoginRow,
    /// What to do before it works.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<String>,
    works: bool,
    chosen: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
enum LoginRow {
    In,
    Out,
    NotNeeded,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let settings = Settings::read(&arguments.set)?;
    let loaded = settings.load()?;
    let rows = rows(&settings, &loaded)?;
    let written = if arguments.json { write_json(&rows) } else { write_table(&rows) };
    if let Err(error) = written {
        return Failure::from_output(&error).map_or(Ok(ExitCode::SUCCESS), Err);
    }
    if !arguments.json {
        let hint = match (rows.iter().find(|row| row.chosen), loaded.origins("team.worker")) {
            (Some(row), [.., origin]) => {
                format!("a run takes {} ({}), as {origin} says", row.name, row.title)
            }
            (Some(row), []) => format!("a run without configuration takes {} ({})", row.name, row.title),
            (None, _) => "no agent works yet: install one, or log in, as the last column says".to_owned(),
        };
        say_hint(&printable(&hint));
    }
    Ok(ExitCode::SUCCESS)
}

fn rows(settings: &Settings, loaded: &Loaded) -> Result<Vec<Row>, Failure> {
    let added = &loaded.config.agents;
    // What only the project's file names is not run: to list agents in a foreign repository starts nothing of it.
    let trusted = settings.load_without_project().map(|loaded| loaded.config.agents).unwrap_or_default();
    let presets = preset::names(added).into_iter().map(|name| {
        let mut preset = preset::pick(&name, added)?;
        if !preset::pick(&name, &trusted).is_ok_and(|trusted| trusted == preset) {
            preset.version.clear();
        }
        Ok((name, preset))
    });
    let presets: Result<Vec<_>, preset::PresetError> = presets.collect();
    let presets = presets.map_err(|error| Failure { what: error.to_string(), hint: None, exit: 1 })?;
    let found = Machine::here().find(presets);
    let worker = loaded.config.team.worker.as_ref().map(AgentName::as_str);
    let chosen = worker.or_else(|| choose(&found).map(|found| found.name.as_str()));
    Ok(found.iter().map(|found| row(found, chosen == Some(&found.name))).collect())
}

fn row(found: &Found, chosen: bool) -> Row {
    let Found { name, preset, program, version, login } = found;
    let missing = match (program, login, &preset.login) {
        (None, _, _) => Some(format!("install it: {}", preset.install)),
        (Some(_), Login::Out, Some(signs)) => Some(format!("log in: {}", signs.how)),
        (Some(_), Login::Out | Login::In | Login::NotNeeded, _) => None,
    };
    Row {
        name: name.clone(),
        title: preset.title.clone(),
        program: program.as_ref().map(|program| program.display().to_string()),
        version: version.clone(),
        login: match login {
            Login::In => LoginRow::In,
            Login::Out => LoginRow::Out,
            Login::NotNeeded => LoginRow::NotNeeded,
        },
        missing,
        works: found.works(),
        chosen,
    }
}

fn write_json(rows: &[Row]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    for row in rows {
        writeln!(stdout, "{}", json(row)?)?;
    }
    stdout.flush()
}

fn write_table(rows: &[Row]) -> io::Result<()> {
    let head = ["AGENT", "VERSION", "LOGIN", "MISSING"].map(str::to_owned);
    let cells = rows.iter().map(|row| {
        let version = match (&row.program, &row.version) {
            (None, _) => "not installed".to_owned(),
            (Some(_), Some(version)) => printable(version),
            (Some(_), None) => "installed".to_owned(),
        };
        let login = match (&row.program, row.login) {
            (None, _) => "",
            (Some(_), LoginRow::In) => "yes",
            (Some(_), LoginRow::Out) => "no",
            (Some(_), LoginRow::NotNeeded) => "not needed",
        };
        let mark = if row.chosen { " *" } else { "" };
        let name = format!("{}{mark}", row.name);
        [name, version, login.to_owned(), printable(row.missing.as_deref().unwrap_or_default())]
    });
    let lines: Vec<_> = std::iter::once(head).chain(cells).collect();
    let width =
        |column: usize| lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.width()).max();
    let widths: Vec<usize> = (0..4).map(|column| width(column).unwrap_or(0)).collect();
    let styles = std::iter::once(Style::new().bold()).chain(rows.iter().map(style));
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

fn style(row: &Row) -> Style {
    match (row.works, &row.program) {
        (true, _) => GOOD,
        (false, Some(_)) => BAD,
        (false, None) => MISSING,
    }
}
