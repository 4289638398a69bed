//! `jangdan session start`: starts a program in a session of its own.

use std::{collections::BTreeMap, env, ffi::OsString, io, path::PathBuf, process::ExitCode};

use clap::ValueEnum;
use drivers::preset::{self, DriverName, PresetError};
use holder::{
    ClientError,
    protocol::{Refusal, StderrMode, StdioAttachment, WindowSize},
};
use sessions::{
    AgentLaunch, CommandLine, Enforcement, PackageCaches, Sandbox, SandboxPolicy, SandboxReport,
    SessionError, Sessions, StartRequest, command_line, new_session_id,
};

use super::{agent_conversation, attach, session_failure};
use crate::{
    failure::{Failure, print_warning},
    localized::localized,
    number::parse_number,
    settings::{ConfigLoader, SetArguments},
};

/// The window size of a session that was started without a terminal.
const WINDOW: WindowSize = WindowSize { columns: 120, rows: 40 };

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Session name [default: derived from the command]
    #[arg(long)]
    name: Option<String>,
    /// Working directory [default: the current one]
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Agent to start instead of a command, as listed by `jangdan agents`
    #[arg(long, value_name = "NAME", conflicts_with_all = ["pipes", "command"])]
    agent: Option<String>,
    /// Resume the agent's own session with this id
    #[arg(long, value_name = "ID", requires = "agent")]
    resume: Option<String>,
    /// First message for the agent
    #[arg(requires = "agent")]
    prompt: Option<String>,
    /// Connect the program by pipes instead of a terminal
    #[arg(long, conflicts_with = "attach")]
    pipes: bool,
    /// Memory limit of all its processes together, in MiB
    #[arg(long, value_name = "MIB", value_parser = parse_number::<u64>)]
    memory: Option<u64>,
    /// Prevent the program from writing outside its directory and from reading Jangdan's files
    #[arg(long, value_enum, default_value_t = SandboxArgument::Off, value_name = "MODE")]
    sandbox: SandboxArgument,
    /// Additional path that a sandboxed program may write to; repeat for several
    #[arg(long, value_name = "PATH")]
    write: Vec<PathBuf>,
    /// Attach this terminal
    #[arg(long)]
    attach: bool,
    /// Program and its arguments
    #[arg(required_unless_present = "agent", last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SandboxArgument {
    /// No sandbox: all your permissions
    Off,
    /// Sandbox with the protection that this machine supports, and warn about the rest
    Worktree,
    /// Complete sandbox, or the session does not start
    Required,
}

pub(super) fn run(sessions: &Sessions, arguments: &Arguments) -> Result<ExitCode, Failure> {
    let agent = arguments.agent.as_deref().map(|name| agent_launch(name, arguments)).transpose()?;
    let directory = match &arguments.directory {
        Some(directory) => std::path::absolute(directory),
        None => env::current_dir(),
    };
    let directory = directory.map_err(|error| Failure {
        what: localized(
            format!("Cannot find the working directory ({error})."),
            format!("작업 폴더를 찾을 수 없습니다({error})."),
        ),
        hint: Some(localized("Name one with --directory.", "--directory 옵션으로 지정하세요.")),
        exit: 1,
    })?;
    let install = agent.as_ref().map(|agent| agent.preset.install.clone());
    let line = match &agent {
        Some(agent) => command_line(&agent.preset, agent.launch_mode()),
        None => CommandLine {
            command: arguments.command.clone(),
            environment: BTreeMap::new(),
            attachment: if arguments.pipes {
                StdioAttachment::Pipes { stderr: StderrMode::Apart }
            } else {
                StdioAttachment::Terminal(attach::window_size().unwrap_or(WINDOW))
            },
        },
    };
    let start = StartRequest {
        name: arguments.name.clone(),
        command: line.command,
        directory,
        attachment: line.attachment,
        environment: line.environment,
        memory_bytes_max: arguments.memory.map(|mib| mib.saturating_mul(1 << 20)),
        output_bytes_max: None,
        sandbox: Sandbox {
            policy: arguments.sandbox.into(),
            write: arguments.write.clone(),
            caches: PackageCaches::Shared,
        },
        secrets: Vec::new(),
        // Input for a program on a terminal is typed.
        agent: agent.filter(|agent| agent.preset.driver != DriverName::Pty),
    };
    let entry = sessions.start(&start).map_err(|error| start_failure(error, &start, install.as_deref()))?;
    entry.metadata.sandbox.iter().for_each(warn_about_sandbox);
    let sent = arguments
        .prompt
        .as_deref()
        .map(|prompt| agent_conversation::send_input(&entry, prompt, false))
        .transpose();
    if let Err(failure) = sent {
        eprintln!("{}", localized(format!("Started {}", entry.name), format!("{} 세션 시작", entry.name)));
        return Err(failure);
    }
    if arguments.attach {
        return super::attach(sessions, &entry, false);
    }
    println!("{}", entry.name);
    eprintln!(
        "{}",
        localized(
            format!("Attach to it: jangdan session attach {}", entry.name),
            format!("연결하려면: jangdan session attach {}", entry.name)
        )
    );
    Ok(ExitCode::SUCCESS)
}

/// Names the program if it is missing, and how to install it if it is an agent.
fn start_failure(error: SessionError, start: &StartRequest, install: Option<&str>) -> Failure {
    let is_missing = match &error {
        SessionError::NoProgram { .. } => true,
        SessionError::Holder { source: ClientError::Refused(Refusal::Failed { errno, .. }), .. } => {
            io::Error::from_raw_os_error(*errno).kind() == io::ErrorKind::NotFound
        }
        SessionError::Holder { .. }
        | SessionError::Io { .. }
        | SessionError::BadName { .. }
        | SessionError::NameInUse { .. }
        | SessionError::Unknown { .. }
        | SessionError::Ambiguous { .. }
        | SessionError::NotRunning { .. }
        | SessionError::NoSandbox { .. }
        | SessionError::Spool { .. }
        | SessionError::InUse { .. }
        | SessionError::Refused(_)
        | SessionError::QueueFull => false,
    };
    let mut failure = session_failure(error);
    // The error can be about the directory or the interpreter of a script too.
    let is_missing = is_missing && start.directory.is_dir();
    let program = start.command.first().filter(|program| !start.directory.join(program).exists());
    if is_missing && let Some(program) = program {
        failure.what = localized(
            format!("The program {} was not found.", program.to_string_lossy()),
            format!("프로그램을 찾을 수 없습니다: {}", program.to_string_lossy()),
        );
        let install = install.filter(|install| !install.is_empty());
        failure.hint = Some(match install {
            Some(install) => localized(format!("Install it: {install}"), format!("설치: {install}")),
            None => localized(
                "Check that it is installed and on your PATH.",
                "설치되어 있고 PATH에 있는지 확인하세요.",
            ),
        });
    }
    failure
}

/// Finds the agent's preset and the id of its session.
fn agent_launch(name: &str, arguments: &Arguments) -> Result<AgentLaunch, Failure> {
    let presets = &ConfigLoader::read(&SetArguments::default())?.load_printing_problems()?.config.agents;
    let failed = |what: String, hint: String| Failure { what, hint: Some(hint), exit: 1 };
    let preset = preset::resolve_preset(name, presets).map_err(|error| {
        let korean = match &error {
            PresetError::Unknown { name, known } => {
                format!("없는 에이전트입니다: '{name}'. 있는 에이전트: {known}")
            }
            PresetError::Cycle { .. } | PresetError::Wrong { .. } => format!("에이전트 설정 오류: {error}"),
        };
        failed(
            localized(error.to_string(), korean),
            localized("List the installed agents: jangdan agents", "설치된 에이전트 보기: jangdan agents"),
        )
    })?;
    if preset.driver == DriverName::Pty && arguments.prompt.is_some() {
        let what = localized(
            format!("{name} runs on a terminal and accepts no prompt here."),
            format!("{name} 에이전트는 터미널에서 실행되므로 여기서 프롬프트를 받지 않습니다."),
        );
        return Err(failed(
            what,
            localized(
                "Start it without a prompt, then type it with --attach or `jangdan session say`.",
                "프롬프트 없이 시작한 뒤 --attach 또는 `jangdan session say`로 입력하세요.",
            ),
        ));
    }
    if arguments.resume.is_some() && !preset.can_resume() {
        return Err(failed(
            localized(
                format!("{name} cannot resume a session."),
                format!("{name} 에이전트는 세션을 재개할 수 없습니다."),
            ),
            localized("Start it without --resume.", "--resume 옵션 없이 시작하세요."),
        ));
    }
    let session = match &arguments.resume {
        Some(id) => id.clone(),
        None => new_session_id().map_err(|error| {
            failed(
                localized(
                    format!("Cannot create a session id ({error})."),
                    format!("세션 id를 만들 수 없습니다({error})."),
                ),
                localized("Try again.", "다시 시도하세요."),
            )
        })?,
    };
    let is_resumed = arguments.resume.is_some();
    Ok(AgentLaunch { name: name.to_owned(), preset, session, is_resumed, is_owned_by_run: false })
}

/// Warns if the sandbox is not as requested.
fn warn_about_sandbox(report: &SandboxReport) {
    let Some(reason) = &report.reason else { return };
    let what = match report.state {
        Enforcement::Enforced => "the sandbox is narrower than usual",
        Enforcement::Partly => "the session is only partly sandboxed",
        Enforcement::NotAvailable => "the session is NOT sandboxed and has all your permissions",
    };
    print_warning(&format!("{what}: {reason}"));
}

impl From<SandboxArgument> for SandboxPolicy {
    fn from(argument: SandboxArgument) -> Self {
        match argument {
            SandboxArgument::Off => Self::Off,
            SandboxArgument::Worktree => Self::Worktree,
            SandboxArgument::Required => Self::Required,
        }
    }
}
