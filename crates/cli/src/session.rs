//! `jangdan session`: runs agents and other programs in sessions that outlive the terminal.

pub(crate) mod agent_conversation;
mod attach;
mod conversation_printer;
mod korean_error;
mod list;
mod log;
mod pending_prompts;
mod start;
mod terminal_filter;

use std::{path::PathBuf, process::ExitCode, time::Duration};

use clap::{Args, Subcommand};
use drivers::preset::DriverName;
use holder::{
    ClientError, END_GRACE,
    protocol::{Refusal, Reply, Request},
};
use runtime::error_chain;
use sessions::{InputRecord, InputWriter, SessionEntry, SessionError, SessionState, Sessions};

use crate::{arguments::ConfirmArguments, data, failure::Failure, localized::localized};

/// Time limit for stopping all processes of a session.
const STOP_MAX: Duration = Duration::from_secs(15);

#[derive(Debug, Args)]
pub(crate) struct DataArguments {
    /// Data directory [default: JANGDAN_DATA, else the user's own]
    #[arg(long, value_name = "DIR", global = true)]
    data: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start a program in a session that outlives this terminal
    Start(start::Arguments),
    /// List the sessions and their states
    List(list::Arguments),
    /// Attach this terminal to a session; Ctrl-] detaches it
    Attach {
        #[command(flatten)]
        session: SessionArgument,
        /// Pass all escape sequences, also those that use the clipboard or ask this terminal
        #[arg(long)]
        raw: bool,
    },
    /// Print the output of a session
    Log(log::Arguments),
    /// Send a message to an agent, or type a line into a program
    Say {
        #[command(flatten)]
        session: SessionArgument,
        /// Message, or the answer that the agent is waiting for: a number, text, yes or no
        text: String,
        /// Wait for the end of the agent's turn and print it
        #[arg(long)]
        wait: bool,
    },
    /// Pause all processes of a session
    Pause(SessionArgument),
    /// Continue a paused session
    Resume(SessionArgument),
    /// Stop all processes of a session; its output is kept
    Stop {
        #[command(flatten)]
        session: SessionArgument,
        #[command(flatten)]
        _confirm: ConfirmArguments,
    },
    /// Delete a stopped session and its output
    Remove {
        #[command(flatten)]
        session: SessionArgument,
        #[command(flatten)]
        _confirm: ConfirmArguments,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SessionArgument {
    /// Session name, or the start of one
    name: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let data = data::directory(arguments.data.data.as_deref())?;
    let sessions = Sessions::open(&data).map_err(session_failure)?;
    match &arguments.command {
        Command::Start(arguments) => start::run(&sessions, arguments),
        Command::List(arguments) => list::run(&sessions, arguments),
        Command::Attach { session, raw } => attach(&sessions, &find(&sessions, session)?, *raw),
        Command::Log(arguments) => log::run(&sessions, arguments),
        Command::Say { session, text, wait } => {
            send_input(&sessions, &find(&sessions, session)?, text, *wait)
        }
        Command::Pause(session) => send_request(&sessions, session, &Request::Stop, ["Paused", "일시 정지"]),
        Command::Resume(session) => {
            send_request(&sessions, session, &Request::Continue, ["Continued", "재개"])
        }
        Command::Stop { session, .. } => stop(&sessions, &find(&sessions, session)?),
        Command::Remove { session, .. } => remove(&sessions, &find(&sessions, session)?),
    }
}

fn find(sessions: &Sessions, session: &SessionArgument) -> Result<SessionEntry, Failure> {
    sessions.find(&session.name).map_err(session_failure)
}

fn send_request(
    sessions: &Sessions,
    session: &SessionArgument,
    request: &Request,
    [done, done_korean]: [&str; 2],
) -> Result<ExitCode, Failure> {
    let entry = find(sessions, session)?;
    sessions.request(&entry, request, STOP_MAX).map_err(session_failure)?;
    let name = &entry.name;
    eprintln!("{}", localized(format!("{done} {name}"), format!("{name} 세션 {done_korean}")));
    Ok(ExitCode::SUCCESS)
}

fn attach(sessions: &Sessions, entry: &SessionEntry, is_raw: bool) -> Result<ExitCode, Failure> {
    if !has_protocol_driver(entry) {
        return attach::run(sessions, entry, is_raw);
    }
    check_alive(entry)?;
    agent_conversation::attach(entry)
}

/// Returns whether input goes through a driver; input for a program on a terminal is typed.
pub(crate) fn has_protocol_driver(entry: &SessionEntry) -> bool {
    entry.metadata.agent.as_ref().is_some_and(|agent| agent.preset.driver != DriverName::Pty)
}

/// Returns an error if the session has ended, with the command that resumes its agent.
fn check_alive(entry: &SessionEntry) -> Result<(), Failure> {
    if let SessionState::Alive(_) = entry.state {
        return Ok(());
    }
    let mut failure = session_failure(SessionError::NotRunning { name: entry.name.clone() });
    let record = InputRecord::read(&entry.directory).ok();
    let id = record.and_then(|record| record.progress.checkpoint.agent_session);
    if let Some((agent, id)) = entry.metadata.agent.as_ref().zip(id) {
        let command = format!("jangdan session start --agent {} --resume {id}", agent.name);
        failure.hint = Some(localized(
            format!("Resume it in a new session: {command}"),
            format!("새 세션에서 재개하려면: {command}"),
        ));
    }
    Err(failure)
}

fn send_input(
    sessions: &Sessions,
    entry: &SessionEntry,
    text: &str,
    wait: bool,
) -> Result<ExitCode, Failure> {
    if has_protocol_driver(entry) {
        check_alive(entry)?;
        return agent_conversation::send_input(entry, text, wait);
    }
    // Enter on a terminal, a newline in a pipe.
    let end = if entry.metadata.has_terminal { "\r" } else { "\n" };
    let mut writer = InputWriter::connect(sessions, entry).map_err(session_failure)?;
    writer.write(format!("{text}{end}").as_bytes()).map_err(session_failure)?;
    Ok(ExitCode::SUCCESS)
}

fn stop(sessions: &Sessions, entry: &SessionEntry) -> Result<ExitCode, Failure> {
    let name = &entry.name;
    match entry.state {
        SessionState::Ended { .. } => {
            eprintln!(
                "{}",
                localized(format!("{name} has already ended"), format!("이미 끝난 세션입니다: {name}"))
            );
        }
        SessionState::Starting | SessionState::Lost => {
            let n_ended = sessions.kill_orphans(entry);
            let processes = leftover_processes_text(n_ended);
            eprintln!(
                "{}",
                localized(
                    format!("{name} was lost; stopped {processes}"),
                    format!("{name} 세션을 잃었습니다. 남은 프로세스 {n_ended}개를 중지했습니다"),
                )
            );
        }
        SessionState::Alive(_) => {
            match sessions.request(entry, &Request::End { grace: END_GRACE }, END_GRACE + STOP_MAX) {
                Ok(Reply::Done) | Err(SessionError::NotRunning { .. }) => {
                    eprintln!("{}", localized(format!("Stopped {name}"), format!("{name} 세션 중지")));
                }
                Ok(_) => return Err(session_failure(SessionError::NotRunning { name: entry.name.clone() })),
                Err(error) => return Err(session_failure(error)),
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn leftover_processes_text(count: usize) -> String {
    if count == 1 { "1 leftover process".to_owned() } else { format!("{count} leftover processes") }
}

fn remove(sessions: &Sessions, entry: &SessionEntry) -> Result<ExitCode, Failure> {
    if let SessionState::Alive(_) = entry.state {
        let what = localized(
            format!("Session '{}' is running.", entry.name),
            format!("실행 중인 세션입니다: '{}'", entry.name),
        );
        let hint = Some(localized(
            format!("Stop it first: jangdan session stop {}", entry.name),
            format!("먼저 중지하세요: jangdan session stop {}", entry.name),
        ));
        return Err(Failure { what, hint, exit: 1 });
    }
    sessions.kill_orphans(entry);
    sessions.remove(entry).map_err(session_failure)?;
    eprintln!("{}", localized(format!("Deleted {}", entry.name), format!("{} 세션 삭제", entry.name)));
    Ok(ExitCode::SUCCESS)
}

/// Returns the failure for an error of a session, with a hint.
pub(crate) fn session_failure(error: SessionError) -> Failure {
    let hint = match &error {
        SessionError::Unknown { known, .. } if known.is_empty() => Some(localized(
            "Start one: jangdan session start -- COMMAND",
            "시작하려면: jangdan session start -- COMMAND",
        )),
        SessionError::Unknown { known, .. } => {
            Some(localized(format!("Sessions: {}", known.join(", ")), format!("세션: {}", known.join(", "))))
        }
        SessionError::Ambiguous { known, .. } => Some(localized(
            format!("Write more of the name: {}", known.join(", ")),
            format!("이름을 더 길게 입력하세요: {}", known.join(", ")),
        )),
        SessionError::NameInUse { name } => Some(localized(
            format!("Use another name, or attach to it: jangdan session attach {name}"),
            format!("다른 이름을 사용하거나 연결하세요: jangdan session attach {name}"),
        )),
        SessionError::NotRunning { name } => Some(localized(
            format!("Show its output: jangdan session log {name}"),
            format!("출력 보기: jangdan session log {name}"),
        )),
        SessionError::Holder { source: ClientError::Refused(Refusal::Failed { .. }), .. } => Some(localized(
            "Check that the program is installed and on your PATH.",
            "프로그램이 설치되어 있고 PATH에 있는지 확인하세요.",
        )),
        SessionError::NoProgram { .. } => Some(localized(
            "Check that it is installed and on your PATH.",
            "설치되어 있고 PATH에 있는지 확인하세요.",
        )),
        SessionError::NoSandbox { .. } => Some(localized(
            "With --sandbox worktree it starts with the available protection and reports what is missing.",
            "--sandbox worktree 옵션을 쓰면 가능한 보호만 적용해 시작하고 부족한 것을 알려 줍니다.",
        )),
        SessionError::InUse { name } => Some(localized(
            format!("Type there, or follow its output: jangdan session log --follow {name}"),
            format!("해당 터미널에서 입력하거나 출력을 확인하세요: jangdan session log --follow {name}"),
        )),
        SessionError::Io { .. }
        | SessionError::BadName { .. }
        | SessionError::Holder { .. }
        | SessionError::Spool { .. }
        | SessionError::Refused(_)
        | SessionError::QueueFull => None,
    };
    let what = localized(error_chain(&error), korean_error::text(&error));
    Failure { what, hint, exit: 1 }
}
