//! The processes of a session: the first one, and a new one each time that a cold session is woken.
//!
//! Offsets in the output of a session must increase from process to process, so each process has its own range.

use std::{
    collections::BTreeMap,
    env,
    ffi::{OsStr, OsString},
    fs, io,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use domain::{MessageOffset, PhaseNumber, PlanTaskIds, Role, SessionId, TaskId, TeamMember, Usage};
use drivers::{AgentConfinement, DriverCheckpoint, DriverContext, preset::Preset, set_up_driver};
use engine::SessionVariable;
use holder::protocol::Request;
use sessions::{
    AgentLaunch, Enforcement, EnvironmentFileError, Sandbox, SandboxPolicy, Session, SessionEntry,
    SessionError, SessionReport, SessionState, StartRequest, boot_id, command_line, supported_sandbox,
};
use tracing::warn;

use super::{
    provision::{ResolvedVariable, resolve_variables},
    run_context::RunContext,
    session::COMMANDS_MAX,
};
use crate::{error_chain::error_chain, session_access::process_name};

/// Bits of an offset within the output of one process: no process prints a tebibyte.
const OFFSET_BITS: u32 = 40;
/// Time that a holder has to finish its start after its server was killed. It normally takes a millisecond.
const START_MAX: Duration = Duration::from_secs(1);
/// Time between two looks at the state of a session.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Why a session has no usable process.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProcessError {
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error("cannot {action} {}", .path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    #[error("more than {COMMANDS_MAX} commands are queued for its thread")]
    QueueFull,
    #[error("{0}")]
    Unusable(String),
    #[error("{0}")]
    DiskBudget(String),
}

/// Properties shared by all processes of a session.
pub(super) struct SessionSpec {
    pub(super) session: SessionId,
    pub(super) preset: Preset,
    pub(super) role: Role,
    pub(super) task: Option<TaskId>,
    pub(super) directory: PathBuf,
    pub(super) task_ids: PlanTaskIds,
    pub(super) project: String,
    /// The phase of its work, with its title.
    pub(super) phase: Option<(PhaseNumber, String)>,
    /// The other members of the team.
    pub(super) team: Vec<TeamMember>,
    /// Whether the project's set-up commands run in its worktree.
    pub(super) runs_setup: bool,
    /// The agent's own session id, if known.
    pub(super) agent_session: Option<String>,
    /// Whether it was sent an input and has not ended its turn.
    pub(super) is_in_turn: bool,
    /// Whether it has sent a message in this turn.
    pub(super) has_text: bool,
    /// Usage of the session so far.
    pub(super) usage: Usage,
    /// Environment variables that were provided to it.
    pub(super) variables: Vec<SessionVariable>,
}

/// A running process, or an ended one whose output is not completely read.
pub(super) struct Process {
    pub(super) session: Session,
    pub(super) entry: SessionEntry,
    /// Whether its agent resumed the conversation of an earlier process.
    pub(super) is_resumed: bool,
    /// Whether it was sent an input.
    pub(super) has_input: bool,
    /// Whether it was started before the last boot of the machine.
    pub(super) is_from_earlier_boot: bool,
    number: u32,
}

impl Process {
    /// Opens the last process of a session, and reads its output from an offset of the session; `None` if it has no
    /// process.
    pub(super) fn open_last(
        context: &RunContext,
        spec: &SessionSpec,
        read_from: u64,
    ) -> Result<Option<(Self, Vec<SessionReport>)>, ProcessError> {
        let Some((number, entry)) = last_process(context, spec.session)? else { return Ok(None) };
        let is_same_process = read_from >> OFFSET_BITS == u64::from(number - 1);
        let from = if is_same_process { read_from & ((1 << OFFSET_BITS) - 1) } else { 0 };
        Self::open(context, spec, entry, number, from).map(Some)
    }

    /// Starts the next process of a session.
    pub(super) fn start(
        context: &RunContext,
        spec: &SessionSpec,
    ) -> Result<(Self, Vec<SessionReport>), ProcessError> {
        let (number, previous) = match last_process(context, spec.session)? {
            Some((number, entry)) => (number + 1, Some(entry)),
            None => (1, None),
        };
        let resumed = spec.agent_session.clone().filter(|_| spec.preset.can_resume());
        let agent = AgentLaunch {
            name: spec.preset.title.clone(),
            preset: spec.preset.clone(),
            is_resumed: resumed.is_some(),
            session: match resumed {
                Some(id) => id,
                None => sessions::new_session_id().map_err(|source| ProcessError::Io {
                    action: "create a session id for",
                    path: context.environment.project.clone(),
                    source,
                })?,
            },
            is_owned_by_run: true,
        };
        let sandbox = context.sandbox();
        let line = command_line(&started_preset(context, spec, &sandbox), agent.launch_mode());
        let mut environment = line.environment;
        let variables = context.environment_variables(spec.task.as_ref(), &spec.directory);
        environment.extend(variables.into_iter().map(|(name, value)| (name.into(), value.into())));
        let provided = resolve_variables(context, &spec.variables).map_err(ProcessError::Unusable)?;
        add_provided_variables(context, spec.session, &provided, &mut environment)?;
        let start = StartRequest {
            name: Some(name_of_process(context, spec.session, number)),
            command: line.command,
            directory: spec.directory.clone(),
            attachment: line.attachment,
            environment,
            memory_bytes_max: spec.preset.memory_mib.map(|mib| mib.saturating_mul(1 << 20)),
            output_bytes_max: spec.preset.output_mib.map(|mib| mib.saturating_mul(1 << 20)),
            sandbox,
            secrets: context.values_to_mask(&provided),
            agent: Some(agent),
        };
        let entry = match previous {
            // A resumed agent uses the key that it was given first.
            Some(previous) => context.host.sessions.start_with_key(&start, previous.metadata.key)?,
            None => context.host.sessions.start(&start)?,
        };
        Self::open(context, spec, entry, number, 0)
    }

    fn open(
        context: &RunContext,
        spec: &SessionSpec,
        entry: SessionEntry,
        number: u32,
        from: u64,
    ) -> Result<(Self, Vec<SessionReport>), ProcessError> {
        let checkpoint = DriverCheckpoint {
            read_from: from,
            agent_session: spec.agent_session.clone(),
            is_in_turn: spec.is_in_turn,
            has_text: spec.has_text,
            usage: spec.usage.clone(),
        };
        let Some(agent) = entry.metadata.agent.as_deref() else {
            return Err(ProcessError::Unusable(format!("session '{}' has no agent", entry.name)));
        };
        let driver_context = DriverContext {
            launch: agent.launch_mode(),
            directory: &spec.directory,
            key: &entry.metadata.key,
            role: spec.role,
            task_ids: spec.task_ids.clone(),
            checkpoint: Some(checkpoint).filter(|checkpoint| checkpoint.read_from > 0),
            confinement: AgentConfinement {
                is_sandboxed: entry.metadata.is_sandboxed(),
                must_ask: context.environment.must_ask,
            },
        };
        let (session, reports) =
            Session::open(&entry.directory, set_up_driver(&spec.preset, &driver_context))?;
        let is_resumed = agent.is_resumed;
        let has_input = reports.iter().any(|report| matches!(report, SessionReport::InputWritten { .. }));
        let boot = entry
            .metadata
            .boot
            .clone()
            .or_else(|| boot_id_saved_by_earlier_version(context, spec.session, number));
        let is_from_earlier_boot = boot.is_some() && boot != boot_id();
        Ok((Self { session, entry, is_resumed, has_input, is_from_earlier_boot, number }, reports))
    }

    /// Converts an offset in the output of this process to one of the session.
    pub(super) fn to_session_offset(&self, offset: u64) -> u64 {
        (u64::from(self.number - 1) << OFFSET_BITS) | offset
    }

    /// Converts the offset of a message of this process to one of the session.
    pub(super) fn message_offset_in_session(&self, offset: MessageOffset) -> MessageOffset {
        MessageOffset { start: self.to_session_offset(offset.start), ordinal: offset.ordinal }
    }

    /// Records that the server's shutdown ends the process.
    pub(super) fn mark_ended_by_shutdown(&self, context: &RunContext, session: SessionId) {
        // On failure its end counts as a failure of the agent.
        let _ = fs::write(shutdown_marker_path(context, session, self.number), "");
    }

    /// Tells whether a server's shutdown ended the process.
    pub(super) fn was_ended_by_shutdown(&self, context: &RunContext, session: SessionId) -> bool {
        shutdown_marker_path(context, session, self.number).exists()
    }

    /// Tells whether the process never started, because its server was killed during the start.
    pub(super) fn never_started(&self) -> bool {
        matches!(self.entry.state, SessionState::Lost | SessionState::Starting)
    }

    pub(super) fn has_ended(&self) -> bool {
        matches!(self.entry.state, SessionState::Ended { .. } | SessionState::Lost)
    }
}

/// Adds the variables that were provided to a session, and those that lead its shells to the file with them.
fn add_provided_variables(
    context: &RunContext,
    session: SessionId,
    provided: &[ResolvedVariable],
    environment: &mut BTreeMap<OsString, OsString>,
) -> Result<(), ProcessError> {
    let unusable = |error: EnvironmentFileError| ProcessError::Unusable(error_chain(&error));
    let file = match context.environment_file(session) {
        Ok(file) => file,
        // Its variables are those of its process; later ones are refused with this reason.
        Err(EnvironmentFileError::NoMemoryFolder) => {
            environment.extend(provided.iter().map(|variable| {
                let (name, value) = variable.as_pair();
                (name.into(), value.into())
            }));
            return Ok(());
        }
        // Nothing is missing yet: what is provided later is refused with this reason.
        Err(error) if provided.is_empty() => {
            warn!(%session, error = error_chain(&error), "the session has no file for variables");
            return Ok(());
        }
        Err(error) => return Err(unusable(error)),
    };
    let bash_env = environment.get(OsStr::new("BASH_ENV")).cloned().or_else(|| env::var_os("BASH_ENV"));
    let pairs: Vec<(&str, &str)> = provided.iter().map(ResolvedVariable::as_pair).collect();
    file.write(&pairs).map_err(unusable)?;
    environment.extend(file.variables(bash_env).map_err(unusable)?);
    environment.extend(pairs.into_iter().map(|(name, value)| (name.into(), value.into())));
    Ok(())
}

/// Waits for a start that a killed server began, until it succeeds or fails.
pub(super) fn wait_for_start(context: &RunContext, session: SessionId) -> Result<(), ProcessError> {
    let deadline = Instant::now() + START_MAX;
    while let Some((_, SessionEntry { state: SessionState::Starting, .. })) = last_process(context, session)?
    {
        if Instant::now() >= deadline {
            break;
        }
        thread::sleep(POLL_INTERVAL);
    }
    Ok(())
}

/// Ends all processes of a session.
pub(super) fn end_session_processes(context: &RunContext, session: SessionId, grace: Duration) {
    let sessions = &context.host.sessions;
    for number in 1.. {
        let Ok(Some(entry)) = context.host.sessions.find_exactly(&name_of_process(context, session, number))
        else {
            return;
        };
        match entry.state {
            SessionState::Ended { .. } => {}
            SessionState::Alive(_) | SessionState::Starting => {
                // The processes of a holder that does not reply are found by their environment.
                if sessions.request(&entry, &Request::End { grace }, grace * 5).is_err() {
                    sessions.kill_orphans(&entry);
                }
            }
            SessionState::Lost => {
                sessions.kill_orphans(&entry);
            }
        }
    }
}

/// Kills the processes of a session whose folder in the data directory is missing. Ids of runs are random, so no other
/// session on the machine has this name.
pub(super) fn kill_unlisted_processes(context: &RunContext, session: SessionId) {
    context.host.sessions.kill_unlisted(&format!("{}-{session}-", context.run));
}

/// Ends all processes of a session, and waits for their end for a limited time.
pub(super) fn end_session_processes_and_wait(context: &RunContext, session: SessionId, grace: Duration) {
    end_session_processes(context, session, grace);
    let deadline = Instant::now() + grace * 5;
    let is_running =
        |entry: &SessionEntry| matches!(entry.state, SessionState::Alive(_) | SessionState::Starting);
    while last_process(context, session).is_ok_and(|last| last.is_some_and(|(_, entry)| is_running(&entry))) {
        if Instant::now() >= deadline {
            break;
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// Returns the preset that a process is started from. In the complete sandbox, an agent runs commands without asking,
/// unless rules of the user must decide.
fn started_preset(context: &RunContext, spec: &SessionSpec, sandbox: &Sandbox) -> Preset {
    let is_confined =
        sandbox.policy != SandboxPolicy::Off && supported_sandbox().state == Enforcement::Enforced;
    match is_confined && !context.environment.must_ask {
        true => spec.preset.with_sandboxed_start(),
        false => spec.preset.clone(),
    }
}

/// Returns the last process of a session with its number.
fn last_process(
    context: &RunContext,
    session: SessionId,
) -> Result<Option<(u32, SessionEntry)>, SessionError> {
    let mut last = None;
    for number in 1.. {
        match context.host.sessions.find_exactly(&name_of_process(context, session, number))? {
            Some(entry) => last = Some((number, entry)),
            None => break,
        }
    }
    Ok(last)
}

fn name_of_process(context: &RunContext, session: SessionId, number: u32) -> String {
    process_name(&context.run, session, number)
}

fn shutdown_marker_path(context: &RunContext, session: SessionId, number: u32) -> PathBuf {
    context.host.run_folder(&context.run).join(format!("{session}-{number}-stopped"))
}

/// Returns the boot id that an earlier version of Jangdan saved in the folder of the run when it started a process.
fn boot_id_saved_by_earlier_version(context: &RunContext, session: SessionId, number: u32) -> Option<String> {
    let text =
        fs::read(context.host.run_folder(&context.run).join(format!("{session}-{number}.json"))).ok()?;
    let record: serde_json::Value = serde_json::from_slice(&text).ok()?;
    record.get("boot")?.as_str().map(str::to_owned)
}
