//! Starts a session: folder, socket, spool and agent.

use std::{
    io,
    os::{
        fd::OwnedFd,
        unix::net::{UnixListener, UnixStream},
    },
    path::Path,
    time::Instant,
};

use rustix::{
    fs::{Mode, OFlags},
    io::Errno,
    net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType},
    process::{DumpableBehavior, getpid, set_dumpable_behavior, setsid, umask},
    rand::GetRandomFlags,
};

use super::{
    agent::PreparedAgent,
    agent_session::AgentSession,
    event_loop::{EventLoop, ReplyAddress},
    input_queue::InputQueue,
    output_collector::OutputCollector,
    pause::PauseState,
    requests::{RequestResult, SESSION_FOLDER, invalid_value_refusal, io_refusal, pid_number},
    time_limit::TimeLimit,
};
use crate::{
    SOCKET_NAME, TOKEN_NAME,
    cgroup::Cgroup,
    mask::{self, Secret},
    protocol::{LaunchSpec, MemoryLimit, Refusal, Reply, StartedAgent, StdioAttachment, TOKEN_BYTES},
    spool::{EndReason, Exit, OutputSource, RecordBody, SpoolWriter},
    status::{self, SessionEnd, SessionSummary},
    system,
};

/// Exit status of an agent that could not be executed, as in a shell.
const NOT_RUN: i32 = 126;
/// Limit of pending connections.
const BACKLOG: i32 = 128;

/// A launch that was accepted: everything exists except the agent's process.
struct AcceptedLaunch {
    spool: SpoolWriter,
    agent: PreparedAgent,
}

impl EventLoop {
    /// Starts the agent, and replies twice: when everything needed exists, and when its process exists.
    ///
    /// A client need not wait for the second reply. Creating a session makes the holder a new task group for the
    /// scheduler, so the rest can take several milliseconds on a busy machine.
    pub(super) fn start_session(
        &mut self,
        directory: &Path,
        launch: &LaunchSpec,
        waiter: ReplyAddress,
        now: Instant,
    ) -> RequestResult {
        if self.session.is_some() {
            return Err(Refusal::WrongPhase);
        }
        let started = self.accept_launch(directory, launch).and_then(|accepted| {
            self.send_reply(waiter, &Reply::Accepted);
            self.spawn_agent(accepted, launch, now)
        });
        if started.is_err() {
            self.has_failed = true;
            // Only our own socket: another holder may be running here.
            if self.listener.take().is_some() {
                // Nothing listens on a socket that stays.
                let _ = std::fs::remove_file(SOCKET_NAME);
            }
        }
        started.map(|started| Some(Reply::Started(started)))
    }

    fn accept_launch(&mut self, directory: &Path, launch: &LaunchSpec) -> Result<AcceptedLaunch, Refusal> {
        if !is_valid_session_name(&launch.session) {
            return Err(invalid_value_refusal(
                "invalid session name: use letters, digits, `-`, `_` and `.`, at most 64",
            ));
        }
        mask::check_secrets(&launch.secrets).map_err(invalid_value_refusal)?;
        // Makes paths short from here on, and keeps no other folder in use.
        std::env::set_current_dir(directory).map_err(io_refusal("enter the session's folder"))?;
        let (listener, token) = create_socket_and_token().map_err(io_refusal("listen"))?;
        (self.listener, self.token) = (Some(listener), Some(token));
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(SESSION_FOLDER, flags, Mode::empty());
        let folder = folder.map_err(|error| io_refusal("open the session's folder")(error.into()))?;
        // Without the notification, the session ends when its agent does.
        let _ = system::watch_deletions(&folder);
        self.folder = Some(folder);
        let spool = SpoolWriter::open(Path::new(SESSION_FOLDER))
            .map_err(|error| Refusal::InvalidValue { what: format!("cannot open the spool: {error}") })?;
        Ok(AcceptedLaunch { spool, agent: PreparedAgent::new(launch)? })
    }

    fn spawn_agent(
        &mut self,
        accepted: AcceptedLaunch,
        launch: &LaunchSpec,
        now: Instant,
    ) -> Result<StartedAgent, Refusal> {
        // Fails only if the process already leads a session, which is fine.
        let _ = setsid();
        // Signals so far were meant for the process group of our parent, such as Ctrl-C.
        let _ = system::take_signals(&self.signals);
        let AcceptedLaunch { mut spool, agent } = accepted;
        let cgroup = launch.cgroup_parent.as_deref();
        let mut cgroup = cgroup.and_then(|parent| Cgroup::create(parent, &launch.session).ok());
        let memory_bytes_max = launch.limits.memory_bytes_max;
        let is_limited = memory_bytes_max
            .zip(cgroup.as_ref())
            .is_some_and(|(bytes_max, cgroup)| cgroup.limit_memory(bytes_max));
        let mut memory =
            if is_limited { MemoryLimit::Cgroup } else { memory_limit_without_cgroup(memory_bytes_max) };
        let mut spawned = agent.spawn(launch, cgroup.as_ref(), memory == MemoryLimit::EachProcess);
        if let Some(unusable) = cgroup.take_if(|_| spawned.is_err()) {
            // Processes cannot be created in it: an old kernel, or another kind of cgroup.
            unusable.remove();
            memory = memory_limit_without_cgroup(memory_bytes_max);
            spawned = agent.spawn(launch, None, true);
        }
        let mut summary = SessionSummary {
            session: launch.session.clone(),
            holder_pid: pid_number(getpid()),
            agent_pid: 0,
            cgroup: cgroup.as_ref().map(|cgroup| cgroup.path().to_owned()),
            exit: None,
        };
        let pid = match spawned {
            Ok(pid) => pid,
            Err(error) => {
                record_start_failure(&mut spool, summary, &error);
                return Err(io_refusal("start the agent")(error));
            }
        };
        // Descendants run as the same user and could read or trace this process otherwise.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
        summary.agent_pid = pid_number(pid);
        let started = StartedAgent { agent_pid: summary.agent_pid, memory, has_cgroup: cgroup.is_some() };
        let (agent, outputs) = agent.into_agent(pid);
        self.session = Some(AgentSession {
            agent,
            outputs: OutputCollector::new(spool, outputs, launch.secrets.clone()),
            inputs: InputQueue::default(),
            pause: PauseState::Running,
            termination: None,
            time_limit: TimeLimit::start(launch.limits.time_max, now),
            cgroup,
            limits: launch.limits,
            leftover_grace: launch.leftover_grace,
            summary,
            status: None,
            exit: None,
            has_children: true,
            has_folder: true,
            temporary: launch.temporary.clone(),
            // After the reply: the client need not wait for the file.
            status_at: Some(now),
            first_size: match launch.attachment {
                StdioAttachment::Terminal(size) => Some(size),
                StdioAttachment::Pipes { .. } => None,
            },
        });
        Ok(started)
    }
}

/// Records the end of a session whose client no longer waits.
fn record_start_failure(spool: &mut SpoolWriter, summary: SessionSummary, error: &io::Error) {
    let message = format!("jangdan: cannot start the agent: {error}\n");
    let exit = Exit { code: Some(NOT_RUN), signal: None, reason: EndReason::AgentExited };
    // Without the records the session counts as lost.
    let _ = spool.append_output(OutputSource::Error, message.as_bytes());
    // See above.
    let _ = spool.append(&RecordBody::Exit(exit));
    let ended = SessionEnd { exit, offset: spool.offset(), inputs_written: 0 };
    // The records say the same.
    let _ = status::write(Path::new(SESSION_FOLDER), &SessionSummary { exit: Some(ended), ..summary });
}

fn memory_limit_without_cgroup(memory_bytes_max: Option<u64>) -> MemoryLimit {
    if memory_bytes_max.is_some() { MemoryLimit::EachProcess } else { MemoryLimit::Unlimited }
}

/// Creates the socket and the token file, both private from the beginning.
fn create_socket_and_token() -> io::Result<(UnixListener, Secret)> {
    let before = umask(Mode::from_raw_mode(0o177));
    let made = bind().and_then(|socket| {
        // The token first, so that every client that can connect finds it.
        let token =
            write_token().and_then(|token| Ok(rustix::net::listen(&socket, BACKLOG).map(|()| token)?));
        let token = token.inspect_err(|_| drop(std::fs::remove_file(SOCKET_NAME)))?;
        Ok((UnixListener::from(socket), token))
    });
    umask(before);
    made
}

fn bind() -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    let address = SocketAddrUnix::new(SOCKET_NAME)?;
    let mut bound = rustix::net::bind(&socket, &address);
    if bound == Err(Errno::ADDRINUSE) && UnixStream::connect(SOCKET_NAME).is_err() {
        // Left by a killed holder.
        let _ = std::fs::remove_file(SOCKET_NAME);
        bound = rustix::net::bind(&socket, &address);
    }
    bound?;
    Ok(socket)
}

/// A sandboxed program can connect to the socket but cannot read the token.
fn write_token() -> io::Result<Secret> {
    let mut token = [0; TOKEN_BYTES];
    let length = rustix::rand::getrandom(&mut token, GetRandomFlags::empty())?;
    if length != token.len() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    std::fs::write(TOKEN_NAME, token)?;
    Ok(Secret::new(token.to_vec()))
}

fn is_valid_session_name(session: &str) -> bool {
    (1..=64).contains(&session.len())
        && session.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}
