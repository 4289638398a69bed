//! What a client asks, and what is done about it.

use std::{
    io,
    os::unix::net::{UnixListener, UnixStream},
    path::Path,
    time::Instant,
};

use rustix::process::{
    DumpableBehavior, Pid, Signal, getpid, kill_process_group, set_dumpable_behavior, umask,
};

use super::{
    agent::{self, Agent},
    clock::Clock,
    inputs::{Inputs, Taken},
    outputs::Outputs,
    pause::{Pause, foreground},
    session::{Held, Session},
};
use crate::{
    SOCKET_NAME,
    cgroup::Cgroup,
    mask,
    protocol::{
        Attachment, Greeting, Launch, MemoryLimit, Phase, Refusal, Reply, Request, Started, Status,
        VERSION_MAX, VERSION_MIN, WindowSize,
    },
    spool::{self, Body, EndReason, SpoolError, Writer},
    status::Summary,
};

/// What is said to a client at once; nothing if the answer comes later.
type Answer = Result<Option<Reply>, Refusal>;

/// The session's folder, which is the holder's own.
const HERE: &str = ".";

impl Session {
    /// Reads what a client says and answers every request in it.
    pub(super) fn hear(&mut self, id: u64, now: Instant) {
        let Some(connection) = self.connections.iter_mut().find(|connection| connection.id == id) else {
            return;
        };
        if connection.is_closing || !connection.read() {
            self.connections.retain(|connection| connection.id != id);
            return;
        }
        while let Some(connection) = self.connections.iter_mut().find(|connection| connection.id == id) {
            let frame = match connection.next_frame() {
                Ok(Some(frame)) if !connection.is_closing => frame,
                Ok(_) => return,
                Err(_) => {
                    connection.reply(0, &Reply::Refused(Refusal::Malformed));
                    connection.is_closing = true;
                    return;
                }
            };
            let tag = frame.tag;
            let answer = match Request::decode(&frame) {
                Some(Request::Hello { version_min, version_max }) => {
                    let answer = greet(version_min, version_max);
                    connection.is_greeted = answer.is_ok();
                    connection.is_closing = answer.is_err();
                    answer
                }
                _ if !connection.is_greeted => {
                    connection.is_closing = true;
                    Err(Refusal::HelloFirst)
                }
                Some(request) => self.answer_to(request, id, tag, now),
                None => Err(Refusal::Malformed),
            };
            match answer {
                Ok(Some(reply)) => self.answer(id, tag, &reply),
                Ok(None) => {}
                Err(refusal) => self.answer(id, tag, &Reply::Refused(refusal)),
            }
        }
    }

    fn answer_to(&mut self, request: Request, id: u64, tag: u32, now: Instant) -> Answer {
        if let Request::Start { directory, launch } = request {
            return self.start(&directory, &launch, now);
        }
        let Some(held) = &mut self.held else {
            return match request {
                Request::Status => Ok(Some(Reply::Status(WAITING))),
                _ => Err(Refusal::WrongPhase),
            };
        };
        match request {
            Request::Hello { .. } | Request::Start { .. } => return Err(Refusal::Malformed),
            Request::Status => return Ok(Some(Reply::Status(held.status()))),
            Request::Input { number, bytes } => {
                let answer = held.take_input(number, bytes);
                let connection = self.connections.iter_mut().find(|connection| connection.id == id);
                if let Some(connection) = connection {
                    connection.input_tag = Some(tag);
                }
                return answer;
            }
            Request::CloseInput => held.close_input()?,
            Request::Resize(size) => held.resize(size, now)?,
            Request::Interrupt => held.interrupt()?,
            Request::SetSecrets(secrets) => {
                mask::check(&secrets).map_err(unusable)?;
                held.outputs.set_secrets(secrets);
            }
            Request::MarkTurnEnd { offset } => held.mark_turn_end(offset, now)?,
            Request::ForgetBefore { offset } => {
                spool::forget_before(Path::new(HERE), offset).map_err(|error| refuse_spool(&error, held))?;
            }
            Request::Subscribe { from } => {
                let connection = self.connections.iter_mut().find(|connection| connection.id == id);
                if let Some(connection) = connection {
                    let subscribed = connection.subscribe(tag, Path::new(HERE), from);
                    subscribed.map_err(|error| refuse_spool(&error, held))?;
                }
            }
            Request::Stop => return held.stop((id, tag), now),
            Request::Continue => {
                if held.ending.is_some() {
                    return Err(Refusal::WrongPhase);
                }
                let askers = held.pause.go_on(held.cgroup.as_ref());
                held.clock.go_on(now);
                self.answer_all(askers, &Reply::Refused(Refusal::WrongPhase));
            }
            Request::End { grace } => {
                self.end(EndReason::Request, Some(grace), now);
                if let Some(ending) = self.held.as_mut().and_then(|held| held.ending.as_mut()) {
                    ending.askers.push((id, tag));
                }
                return Ok(None);
            }
        }
        Ok(Some(Reply::Done))
    }

    fn start(&mut self, directory: &Path, launch: &Launch, now: Instant) -> Answer {
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

impl Held {
    fn take_input(&mut self, number: u64, bytes: Vec<u8>) -> Answer {
        if self.agent.input.is_none() && number > self.inputs.typed() {
            return Err(Refusal::WrongPhase);
        }
        match self.inputs.take(number, bytes) {
            Taken::Before => Ok(Some(Reply::Typed { number: self.inputs.typed() })),
            Taken::Waits => Ok(None),
            Taken::Refused(refusal) => Err(refusal),
        }
    }

    fn close_input(&mut self) -> Result<(), Refusal> {
        if self.agent.terminal.is_some() {
            return Err(Refusal::WrongPhase);
        }
        self.inputs.is_closing = true;
        if self.inputs.is_empty() {
            self.agent.input = None;
        }
        Ok(())
    }

    fn resize(&mut self, size: WindowSize, now: Instant) -> Result<(), Refusal> {
        let Some(terminal) = &self.agent.terminal else { return Err(Refusal::WrongPhase) };
        if self.outputs.is_waiting() {
            return Err(Refusal::Busy);
        }
        agent::resize(terminal, size).map_err(failed("resize"))?;
        self.outputs.append(&Body::Resize { columns: size.columns, rows: size.rows }, now);
        Ok(())
    }

    fn interrupt(&self) -> Result<(), Refusal> {
        let interrupted = kill_process_group(foreground(&self.agent), Signal::INT)
            .or_else(|_| kill_process_group(self.agent.pid, Signal::INT));
        interrupted.map_err(|error| failed("interrupt")(error.into()))
    }

    fn mark_turn_end(&mut self, offset: u64, now: Instant) -> Result<(), Refusal> {
        if self.outputs.is_waiting() {
            return Err(Refusal::Busy);
        }
        self.outputs.flush(now);
        if offset > self.outputs.offset() {
            return Err(Refusal::NoSuchOffset { first: 0, end: self.outputs.offset() });
        }
        self.outputs.append(&Body::TurnEnd { offset }, now);
        Ok(())
    }

    fn stop(&mut self, asker: (u64, u32), now: Instant) -> Answer {
        if self.ending.is_some() {
            return Err(Refusal::WrongPhase);
        }
        match &mut self.pause {
            Pause::Moving => self.pause = Pause::begin(&self.agent, asker, now),
            Pause::Stopping(stopping) => stopping.askers.push(asker),
            Pause::Still { .. } => return Ok(Some(Reply::Done)),
        }
        Ok(None)
    }

    fn status(&self) -> Status {
        let phase = match (&self.exit, &self.ending, &self.pause) {
            (Some(_), _, _) => Phase::Ended,
            (None, Some(_), _) => Phase::Ending,
            (None, None, Pause::Moving) => Phase::Running,
            (None, None, Pause::Stopping(_)) => Phase::Stopping,
            (None, None, Pause::Still { .. }) => Phase::Stopped,
        };
        Status {
            phase,
            agent_pid: Some(self.summary.agent_pid),
            offset: self.outputs.offset(),
            input_taken: self.inputs.taken(),
            input_typed: self.inputs.typed(),
            is_disk_full: self.outputs.is_waiting(),
            exit: self.exit,
        }
    }
}

const WAITING: Status = Status {
    phase: Phase::Waiting,
    agent_pid: None,
    offset: 0,
    input_taken: 0,
    input_typed: 0,
    is_disk_full: false,
    exit: None,
};

fn greet(version_min: u16, version_max: u16) -> Answer {
    let version = VERSION_MAX.min(version_max);
    if version < VERSION_MIN.max(version_min) {
        return Err(Refusal::Version { version_min: VERSION_MIN, version_max: VERSION_MAX });
    }
    Ok(Some(Reply::Hello(Greeting { version, holder_pid: number(getpid()) })))
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

fn refuse_spool(error: &SpoolError, held: &Held) -> Refusal {
    match error {
        SpoolError::Forgotten { first, .. } => {
            Refusal::NoSuchOffset { first: *first, end: held.outputs.offset() }
        }
        SpoolError::Beyond { end, .. } => Refusal::NoSuchOffset { first: 0, end: *end },
        SpoolError::Io { .. } | SpoolError::Damaged { .. } => Refusal::Unusable { what: error.to_string() },
    }
}

fn failed(what: &str) -> impl Fn(io::Error) -> Refusal {
    move |error| Refusal::Failed { what: what.to_owned(), errno: error.raw_os_error().unwrap_or(0) }
}

fn unusable(what: &str) -> Refusal {
    Refusal::Unusable { what: what.to_owned() }
}

fn number(pid: Pid) -> u32 {
    pid.as_raw_nonzero().get().cast_unsigned()
}

fn is_name(session: &str) -> bool {
    (1..=64).contains(&session.len())
        && session.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}
