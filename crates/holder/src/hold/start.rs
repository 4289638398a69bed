//! Makes a holder the holder of a session: its folder, its socket, its spool, its agent.

use std::{
    io,
    os::unix::net::{UnixListener, UnixStream},
    path::Path,
    time::Instant,
};

use rustix::process::{DumpableBehavior, getpid, set_dumpable_behavior, umask};

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
    SOCKET_NAME,
    cgroup::Cgroup,
    mask,
    protocol::{Attachment, Launch, MemoryLimit, Refusal, Reply, Started},
    spool::Writer,
    status::Summary,
};

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
        self.listener = Some(listen().map_err(failed("listen"))?);
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

/// Makes the socket, which nobody else may use from its first moment on.
fn listen() -> io::Result<UnixListener> {
    let before = umask(rustix::fs::Mode::from_raw_mode(0o177));
    let mut bound = UnixListener::bind(SOCKET_NAME);
    if bound.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::AddrInUse)
        && UnixStream::connect(SOCKET_NAME).is_err()
    {
        // Left behind by a holder that was killed.
        let _ = std::fs::remove_file(SOCKET_NAME);
        bound = UnixListener::bind(SOCKET_NAME);
    }
    umask(before);
    let listener = bound?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

fn is_name(session: &str) -> bool {
    (1..=64).contains(&session.len())
        && session.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}
