//! `jangdan session list`: which sessions there are, and how they are.

use std::{
    io::{self, Write},
    process::ExitCode,
    time::{SystemTime, UNIX_EPOCH},
};

use anstyle::{AnsiColor, Style};
use drivers::TurnOutcome;
use holder::protocol::SessionPhase;
use serde::Serialize;
use sessions::{
    ActivityTracker, AgentActivity, AgentLaunch, InputRecord, SandboxReport, SessionEntry, SessionObserver,
    SessionState, Sessions,
};
use unicode_width::UnicodeWidthStr;

use super::{converse, failure};
use crate::{
    failure::Failure,
    printable::{json, printable},
};

const TITLE: Style = Style::new().dimmed();
const ALIVE: Style = AnsiColor::Green.on_default();
const WAITS: Style = AnsiColor::Yellow.on_default();
const OVER: Style = Style::new().dimmed();
const BAD: Style = AnsiColor::Red.on_default();

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Prints a JSON object for each session
    #[arg(long)]
    json: bool,
}

/// A session as programs read it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    name: &'a str,
    state: &'static str,
    exit_code: Option<i32>,
    exit_signal: Option<i32>,
    output_bytes: Option<u64>,
    started_at: i64,
    directory: String,
    command: &'a [String],
    sandbox: Option<&'a SandboxReport>,
    agent: Option<&'a str>,
    standing: Option<StandingRow>,
}

/// How an agent stands, as programs read it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StandingRow {
    state: &'static str,
    detail: Option<String>,
    since: i64,
    heard_at: i64,
    source: &'static str,
}

pub fn run(sessions: &Sessions, arguments: &Arguments) -> Result<ExitCode, Failure> {
    let found = sessions.list().map_err(failure)?;
    let result = if arguments.json { print_json(&found) } else { print_table(&found) };
    match result {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) => Failure::from_output(&error).map_or(Ok(ExitCode::SUCCESS), Err),
    }
}

fn print_json(found: &[SessionEntry]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for session in found {
        let (state, _) = word(session);
        let (exit_code, exit_signal, output_bytes) = match session.state {
            SessionState::Alive(status) => (None, None, Some(status.offset)),
            SessionState::Ended { exit, offset } => (exit.code, exit.signal, Some(offset)),
            SessionState::Starting | SessionState::Lost => (None, None, None),
        };
        let row = Row {
            name: &session.name,
            state,
            exit_code,
            exit_signal,
            output_bytes,
            started_at: session.metadata.started_at.0,
            directory: session.metadata.directory.display().to_string(),
            command: &session.metadata.command,
            sandbox: session.metadata.sandbox.as_ref(),
            agent: session.metadata.agent.as_ref().map(|agent| agent.name.as_str()),
            standing: standing(session).map(|standing| {
                let (state, detail) = stand_word(&standing.activity);
                StandingRow {
                    state,
                    detail,
                    since: standing.since.0,
                    heard_at: standing.last_seen_at.0,
                    source: session.metadata.agent.as_ref().map_or("", |agent| agent.preset.source()),
                }
            }),
        };
        writeln!(out, "{}", json(&row)?)?;
    }
    out.flush()
}

fn print_table(found: &[SessionEntry]) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    if found.is_empty() {
        return writeln!(out, "No sessions. Start one: jangdan session start -- COMMAND");
    }
    let width = found.iter().map(|session| session.name.width()).max().unwrap_or(0).max(4);
    writeln!(out, "{TITLE}{:width$}  {:12}  {:>6}  COMMAND{TITLE:#}", "NAME", "STATE", "AGE")?;
    for session in found {
        let (state, style) = word(session);
        let state = match session.state {
            SessionState::Ended { exit, .. } => match (exit.code, exit.signal) {
                (Some(code), _) => format!("{state} ({code})"),
                (None, Some(signal)) => format!("{state} (sig {signal})"),
                (None, None) => state.to_owned(),
            },
            SessionState::Alive(_) | SessionState::Starting | SessionState::Lost => state.to_owned(),
        };
        let command = match (&session.metadata.agent, standing(session)) {
            (Some(agent), Some(standing)) => about_agent(agent, &standing),
            (Some(agent), None) => agent.preset.title.clone(),
            (None, _) => session.metadata.command.join(" "),
        };
        let command = printable(&command);
        let age = age(session.metadata.started_at.0);
        writeln!(out, "{:width$}  {style}{state:12}{style:#}  {age:>6}  {command}", session.name)?;
    }
    out.flush()
}

fn word(session: &SessionEntry) -> (&'static str, Style) {
    match session.state {
        SessionState::Alive(status) if status.is_disk_full => ("disk full", BAD),
        SessionState::Alive(status) => match status.phase {
            SessionPhase::Stopped | SessionPhase::Stopping => ("paused", WAITS),
            SessionPhase::Ending | SessionPhase::Ended => ("ending", OVER),
            SessionPhase::Waiting | SessionPhase::Running => ("running", ALIVE),
        },
        SessionState::Ended { exit, .. } if exit.code == Some(0) => ("ended", OVER),
        SessionState::Ended { .. } => ("ended", BAD),
        SessionState::Starting => ("starting", WAITS),
        SessionState::Lost => ("lost", BAD),
    }
}

/// Returns how a living agent stands, from what it has written since its last turn ended.
fn standing(session: &SessionEntry) -> Option<ActivityTracker> {
    let SessionState::Alive(_) = session.state else { return None };
    let progress = InputRecord::read(&session.directory).ok()?.progress;
    let driver = converse::driver_of(session, progress.checkpoint)?;
    let mut watching = SessionObserver::open(&session.directory, driver).ok()?;
    let mut standing = match progress.idle_since {
        Some(since) => ActivityTracker::new(AgentActivity::Idle { outcome: None }, since),
        None => ActivityTracker::new(AgentActivity::Starting, session.metadata.started_at),
    };
    while let Ok(Some(moment)) = watching.try_next() {
        standing.apply(&moment);
    }
    Some(standing)
}

fn about_agent(agent: &AgentLaunch, standing: &ActivityTracker) -> String {
    let (state, detail) = stand_word(&standing.activity);
    let detail = detail.map(|detail| format!(": {detail}")).unwrap_or_default();
    let source = agent.preset.source();
    format!("{} {state}{detail} ({} ago, by {source})", agent.preset.title, age(standing.since.0))
}

fn stand_word(stand: &AgentActivity) -> (&'static str, Option<String>) {
    match stand {
        AgentActivity::Starting => ("starts", None),
        AgentActivity::Working => ("works", None),
        AgentActivity::WaitsForPermission { subject } => ("asks for permission", Some(subject.clone())),
        AgentActivity::WaitsForAnswer { question } => ("asks", Some(question.clone())),
        AgentActivity::Idle { outcome: None | Some(TurnOutcome::Finished) } => {
            ("waits to be told something", None)
        }
        AgentActivity::Idle { outcome: Some(TurnOutcome::Cancelled) } => ("was stopped", None),
        AgentActivity::Idle { outcome: Some(TurnOutcome::Limited { message, .. }) } => {
            ("is at a limit", Some(message.clone()))
        }
        AgentActivity::Idle { outcome: Some(TurnOutcome::Unauthorized { message }) } => {
            ("is not logged in", Some(message.clone()))
        }
        AgentActivity::Idle {
            outcome: Some(TurnOutcome::NotResumable { message } | TurnOutcome::Failed { message }),
        } => ("failed", Some(message.clone())),
    }
}

fn age(started_ms: i64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let seconds = now.saturating_sub(u64::try_from(started_ms / 1000).unwrap_or(0));
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}
