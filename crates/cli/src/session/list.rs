//! `jangdan session list`: lists the sessions and their states.

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

use super::{agent_conversation, session_failure};
use crate::{
    failure::Failure,
    localized::localized,
    printable::{printable, printable_json},
    remote::environment_locale,
    screen::{
        amounts::format_duration,
        line::{pad, pad_left},
    },
};

const TITLE: Style = Style::new().dimmed();
const ALIVE: Style = AnsiColor::Green.on_default();
const WAITING: Style = AnsiColor::Yellow.on_default();
const ENDED: Style = Style::new().dimmed();
const BAD: Style = AnsiColor::Red.on_default();

const STATE_WIDTH: usize = 18;
const AGE_WIDTH: usize = 11;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Print JSON, one object per session
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SessionListRow<'a> {
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
    activity: Option<ActivityRow>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ActivityRow {
    state: &'static str,
    detail: Option<String>,
    since: i64,
    last_seen_at: i64,
    source: &'static str,
}

pub(super) fn run(sessions: &Sessions, arguments: &Arguments) -> Result<ExitCode, Failure> {
    let entries = sessions.list().map_err(session_failure)?;
    let result = if arguments.json { print_json(&entries) } else { print_table(&entries) };
    match result {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) => Failure::from_output_error(&error).map_or(Ok(ExitCode::SUCCESS), Err),
    }
}

fn print_json(entries: &[SessionEntry]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for session in entries {
        let (state, _) = state_word(session);
        let (exit_code, exit_signal, output_bytes) = match session.state {
            SessionState::Alive(status) => (None, None, Some(status.offset)),
            SessionState::Ended { exit, offset } => (exit.code, exit.signal, Some(offset)),
            SessionState::Starting | SessionState::Lost => (None, None, None),
        };
        let row = SessionListRow {
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
            activity: read_activity(session).map(|activity| {
                let (state, detail) = activity_words(&activity.activity);
                ActivityRow {
                    state,
                    detail,
                    since: activity.since.0,
                    last_seen_at: activity.last_seen_at.0,
                    source: session.metadata.agent.as_ref().map_or("", |agent| agent.preset.state_source()),
                }
            }),
        };
        writeln!(out, "{}", printable_json(&row)?)?;
    }
    out.flush()
}

fn print_table(entries: &[SessionEntry]) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    if entries.is_empty() {
        let none = localized(
            "No sessions. Start one: jangdan session start -- COMMAND",
            "세션이 없습니다. 시작하려면: jangdan session start -- COMMAND",
        );
        return writeln!(out, "{none}");
    }
    let width = entries.iter().map(|session| session.name.width()).max().unwrap_or(0).max(4);
    let heads = [("NAME", "이름"), ("STATE", "상태"), ("AGE", "시작"), ("COMMAND", "명령")];
    let [name, state, age_head, command] = heads.map(|(english, korean)| localized(english, korean));
    let (name, state, age_head) =
        (pad(&name, width), pad(&state, STATE_WIDTH), pad_left(&age_head, AGE_WIDTH));
    writeln!(out, "{TITLE}{name}  {state}  {age_head}  {command}{TITLE:#}")?;
    for session in entries {
        let (state, style) = state_word(session);
        let state = state_label(state);
        let state = match session.state {
            SessionState::Ended { exit, .. } => match (exit.code, exit.signal) {
                (Some(code), _) => {
                    localized(format!("{state} (status {code})"), format!("{state} (코드 {code})"))
                }
                (None, Some(signal)) => {
                    localized(format!("{state} (signal {signal})"), format!("{state} (시그널 {signal})"))
                }
                (None, None) => state,
            },
            SessionState::Alive(_) | SessionState::Starting | SessionState::Lost => state,
        };
        let command = match (&session.metadata.agent, read_activity(session)) {
            (Some(agent), Some(activity)) => agent_activity_text(agent, &activity),
            (Some(agent), None) => agent.preset.title.clone(),
            (None, _) => session.metadata.command.join(" "),
        };
        let command = printable(&command);
        let age = age(session.metadata.started_at.0);
        let (name, state) = (pad(&session.name, width), pad(&state, STATE_WIDTH));
        writeln!(out, "{name}  {style}{state}{style:#}  {}  {command}", pad_left(&age, AGE_WIDTH))?;
    }
    out.flush()
}

fn state_word(session: &SessionEntry) -> (&'static str, Style) {
    match session.state {
        SessionState::Alive(status) if status.is_disk_full => ("disk full", BAD),
        SessionState::Alive(status) => match status.phase {
            SessionPhase::Stopped | SessionPhase::Stopping => ("paused", WAITING),
            SessionPhase::Ending | SessionPhase::Ended => ("ending", ENDED),
            SessionPhase::Waiting | SessionPhase::Running => ("running", ALIVE),
        },
        SessionState::Ended { exit, .. } if exit.code == Some(0) => ("ended", ENDED),
        SessionState::Ended { .. } => ("ended", BAD),
        SessionState::Starting => ("starting", WAITING),
        SessionState::Lost => ("lost", BAD),
    }
}

/// Returns the activity of a running agent, from its output since the last turn ended.
fn read_activity(session: &SessionEntry) -> Option<ActivityTracker> {
    let SessionState::Alive(_) = session.state else { return None };
    let progress = InputRecord::read(&session.directory).ok()?.progress;
    let driver = agent_conversation::set_up_session_driver(session, progress.checkpoint)?;
    let mut observer = SessionObserver::open(&session.directory, driver).ok()?;
    let mut activity = match progress.idle_since {
        Some(since) => ActivityTracker::new(AgentActivity::Idle { outcome: None }, since),
        None => ActivityTracker::new(AgentActivity::Starting, session.metadata.started_at),
    };
    while let Ok(Some(update)) = observer.try_next_reports() {
        activity.apply_reports(&update);
    }
    Some(activity)
}

fn agent_activity_text(agent: &AgentLaunch, activity: &ActivityTracker) -> String {
    let (state, detail) = activity_words(&activity.activity);
    let detail = detail.map(|detail| format!(": {detail}")).unwrap_or_default();
    let (title, state, age) = (&agent.preset.title, state_label(state), age(activity.since.0));
    localized(format!("{title}: {state}{detail} ({age} ago)"), format!("{title}: {state}{detail} ({age} 전)"))
}

fn activity_words(activity: &AgentActivity) -> (&'static str, Option<String>) {
    match activity {
        AgentActivity::Starting => ("starting", None),
        AgentActivity::Working => ("working", None),
        AgentActivity::WaitsForPermission { subject } => ("needs permission", Some(subject.clone())),
        AgentActivity::WaitsForAnswer { question } => ("needs an answer", Some(question.clone())),
        AgentActivity::Idle { outcome: None | Some(TurnOutcome::Finished) } => ("idle", None),
        AgentActivity::Idle { outcome: Some(TurnOutcome::Cancelled) } => ("interrupted", None),
        AgentActivity::Idle { outcome: Some(TurnOutcome::Limited { message, .. }) } => {
            ("rate-limited", Some(message.clone()))
        }
        AgentActivity::Idle { outcome: Some(TurnOutcome::Unauthorized { message }) } => {
            ("signed out", Some(message.clone()))
        }
        AgentActivity::Idle {
            outcome: Some(TurnOutcome::NotResumable { message } | TurnOutcome::Failed { message }),
        } => ("failed", Some(message.clone())),
    }
}

/// Returns the word of a state in the language of the environment; JSON has the English one.
fn state_label(word: &'static str) -> String {
    let korean = match word {
        "disk full" => "디스크 가득 참",
        "paused" => "일시 정지",
        "ending" => "종료 중",
        "running" => "실행 중",
        "ended" => "종료됨",
        "starting" => "시작 중",
        "lost" => "사라짐",
        "working" => "작업 중",
        "needs permission" => "허가 필요",
        "needs an answer" => "답변 필요",
        "idle" => "대기",
        "interrupted" => "중단됨",
        "rate-limited" => "사용량 제한",
        "signed out" => "로그아웃됨",
        "failed" => "실패",
        other => other,
    };
    localized(word, korean)
}

fn age(started_ms: i64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let now = u64::try_from(now).unwrap_or(u64::MAX);
    format_duration(environment_locale(), now.saturating_sub(u64::try_from(started_ms).unwrap_or(0)))
}
