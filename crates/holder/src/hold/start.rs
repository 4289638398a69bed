//! Makes a holder the holder of a session: its folder, its socket, its spool, its agent.

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
    fs::Mode,
    io::Errno,
    net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType},
    process::{DumpableBehavior, getpid, set_dumpable_behavior, umask},
    rand::GetRandomFlags,
};

use super::{
    agent::{self, Agent},
    clock::Clock,
    held::Held,
    inputs::Inputs,
    outputs::Outputs,
    pause::Pause,
    requests::{Answer, HERE, failed, number, unusable},
    session::Session,
};
use crate::{
    SOCKET_NAME, TOKEN_NAME,
    cgroup::Cgroup,
    mask::{self, Secret},
    protocol::{Attachment, Launch, MemoryLimit, Refusal, Reply, Started, TOKEN_BYTES},
    spool::Writer,
    status::Summary,
};

/// How many clients may wait until they are let in.
const BACKLOG: i32 = 128;

impl Session {
    pub(super) fn start(&mut self, directory: &Path, launch: &Launch, now: Instant) -> Answer {
        if self.held.is_some() {
            return Err(Refusal::WrongPhase);
        }
        match self.try_start(directory, launch, now) {
            Ok(started) => Ok(Some(Reply::Started(started))),
            Err(refusal) => {
                self.has_failed = true;
                // Only a socket that is ours: another holder may live here.
                if self.listener.take().is_some() {
                    let _ = std::fs::remove_file(SOCKET_NAME);
                }
                Err(refusal)
            }
        }
    }

    fn try_start(&mut self, directory: &Path, launch: &Launch, now: Instant) -> Result<Started, Refusal> {
        if !is_name(&launch.session) {
            return Err(unusable("the session's name has other signs than letters, digits, `-`, `_`, `.`"));
        }
        mask::check(&launch.secrets).map_err(unusable)?;
        // Paths of the session are short from here on, and no other folder is kept busy.
        std::env::set_current_dir(directory).map_err(failed("enter the session's folder"))?;
        let (listener, token) = listen().map_err(failed("listen"))?;
        (self.listener, self.token) = (Some(listener), Some(token));
        let spool = Writer::open(Path::new(HERE))
            .map_err(|error| Refusal::Unusable { what: format!("the spool can't be used: {error}") })?;
        let cgroup = launch.cgroup_parent.as_deref();
        let cgroup = cgroup.and_then(|parent| Cgroup::create(parent, &launch.session).ok());
        let (agent, cgroup, memory) = spawn(launch, cgroup).map_err(failed("start the agent"))?;
        // Descendants run as the same user. They can read and trace its processes, but not one that says this.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);

        let summary = Summary {
            session: launch.session.clone(),
            holder_pid: number(getpid()),
            agent_pid: number(agent.pid),
            cgroup: cgroup.as_ref().map(|cgroup| cgroup.path().to_owned()),
            exit: None,
        };
        let started = Started { agent_pid: summary.agent_pid, memory, has_cgroup: cgroup.is_some() };
        let Agent { pid, input, outputs, terminal } = agent;
        let outputs = Outputs::new(spool, outputs, launch.secrets.clone());
        self.held = Some(Held {
            agent: Agent { pid, input, outputs: Vec::new(), terminal },
            outputs,
            inputs: Inputs::default(),
            pause: Pause::Moving,
            ending: None,
            clock: Clock::start(launch.limits.time_max, now),
            cgroup,
            limits: launch.limits,
            leftover_grace: launch.leftover_grace,
            summary,
            status: None,
            exit: None,
            has_children: true,
            // Behind the reply: the client need not wait for a file.
            status_at: Some(now),
            first_size: match launch.attachment {
                Attachment::Terminal(size) => Some(size),
                Attachment::Pipes { .. } => None,
            },
        });
        Ok(started)
    }
}

/// Starts the agent in the cgroup, or without one where it can't go in.
fn spawn(launch: &Launch, cgroup: Option<Cgroup>) -> io::Result<(Agent, Option<Cgroup>, MemoryLimit)> {
    let wanted = launch.limits.memory_bytes_max;
    if let Some(cgroup) = cgroup {
        let is_limited = wanted.is_some_and(|bytes_max| cgroup.limit_memory(bytes_max));
        if let Ok(agent) = agent::spawn(launch, Some(&cgroup), !is_limited) {
            let memory = if is_limited { MemoryLimit::Cgroup } else { each_process(wanted) };
            return Ok((agent, Some(cgroup), memory));
        }
        cgroup.remove();
    }
    Ok((agent::spawn(launch, None, true)?, None, each_process(wanted)))
}

fn each_process(wanted: Option<u64>) -> MemoryLimit {
    if wanted.is_some() { MemoryLimit::EachProcess } else { MemoryLimit::Unlimited }
}

/// Makes the socket and the token beside it, which nobody else may use from their first moment on.
fn listen() -> io::Result<(UnixListener, Secret)> {
    let before = umask(Mode::from_raw_mode(0o177));
    let made = bind().and_then(|socket| {
        // First the token, so that whoever can connect finds it.
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
        // Left behind by a holder that was killed.
        let _ = std::fs::remove_file(SOCKET_NAME);
        bound = rustix::net::bind(&socket, &address);
    }
    bound?;
    Ok(socket)
}

/// Chance that a sandboxed program can't read: it can connect to every socket that has a path.
fn write_token() -> io::Result<Secret> {
    let mut token = [0; TOKEN_BYTES];
    let length = rustix::rand::getrandom(&mut token, GetRandomFlags::empty())?;
    if length != token.len() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    std::fs::write(TOKEN_NAME, token)?;
    Ok(Secret::new(token.to_vec()))
}

fn is_name(session: &str) -> bool {
    (1..=64).contains(&session.len())
        && session.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}
