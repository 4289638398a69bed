//! The event loop: waits for the next event and dispatches it.
//!
//! Without scheduled actions it waits without a timeout, so an idle session uses no CPU time.

use std::{
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::net::UnixListener,
    },
    process::ExitCode,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    io::Errno,
    process::{WaitOptions, wait},
};

use super::{connection::Connection, ending::Ending, held::Held, inputs::Step, pause::Pause};
use crate::{
    SOCKET_NAME,
    mask::Secret,
    protocol::{CONNECTIONS_MAX, Refusal, Reply, WindowSize},
    spool::{Body, EndReason},
    system::{self, Program},
    wait::timespec,
};

/// Time for clients to read the remaining data at the end. The files stay.
const FAREWELL_MAX: Duration = Duration::from_secs(1);

/// Loop iterations after which the program's pages are released even under load; about every 128 MB of output.
const TURNS_MAX: u32 = 4096;

/// Idle time after which pages are released: too short to be noticed, longer than pauses within a burst.
const REST_AFTER: Duration = Duration::from_millis(100);

/// Address of a later reply: connection id and tag.
pub(super) type Asker = (u64, u32);

/// State of the holder process.
pub(super) struct Session {
    pub(super) connections: Vec<Connection>,
    pub(super) held: Option<Held>,
    pub(super) listener: Option<UnixListener>,
    /// Token that clients of the socket must present.
    pub(super) token: Option<Secret>,
    pub(super) signals: OwnedFd,
    next_id: u64,
    /// The agent could not be started: the holder exits.
    pub(super) has_failed: bool,
    program: Program,
    /// Loop iterations since the program's pages were released.
    n_turns: u32,
    /// When pages are released unless events arrive before.
    rest_at: Option<Instant>,
}

/// Event sources of the loop.
#[derive(Clone, Copy)]
enum Source {
    Signals,
    Listener,
    Output(usize),
    Input,
    Client(u64),
}

impl Session {
    pub(super) fn new(signals: OwnedFd, first: OwnedFd) -> io::Result<Self> {
        let connections = vec![Connection::new(0, first)?];
        Ok(Self {
            connections,
            held: None,
            listener: None,
            token: None,
            signals,
            next_id: 1,
            has_failed: false,
            program: Program::default(),
            n_turns: 0,
            rest_at: None,
        })
    }

    pub(super) fn run(mut self) -> ExitCode {
        loop {
            let ready = self.wait();
            let now = Instant::now();
            let is_woken = !ready.is_empty();
            for (source, flags) in ready {
                self.handle(source, flags, now);
            }
            self.tick(now);
            self.connections.retain_mut(|connection| {
                connection.pump() && (!connection.is_closing || connection.wants_to_write())
            });
            self.rest(is_woken, now);
            if self.is_over(now) {
                self.say_farewell();
                return if self.has_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS };
            }
        }
    }

    /// Releases pages of the program after a burst, and periodically during a long one.
    fn rest(&mut self, is_woken: bool, now: Instant) {
        if self.held.is_none() {
            return;
        }
        if is_woken {
            self.n_turns += 1;
            self.rest_at = Some(now + REST_AFTER);
        }
        if self.n_turns >= TURNS_MAX || self.rest_at.is_some_and(|at| now >= at) {
            self.n_turns = 0;
            self.rest_at = None;
            self.program.release();
        }
    }

    /// Waits for an event or the next scheduled action.
    fn wait(&self) -> Vec<(Source, PollFlags)> {
        let mut sources = vec![Source::Signals];
        let mut polled = vec![PollFd::new(&self.signals, PollFlags::IN)];
        if let Some(listener) = &self.listener {
            sources.push(Source::Listener);
            polled.push(PollFd::new(listener, PollFlags::IN));
        }
        let mut deadline = None;
        if let Some(held) = &self.held {
            deadline = [held.deadline(), self.rest_at].into_iter().flatten().min();
            // Invariant: while the disk is full, nothing is read or typed.
            if !held.outputs.is_waiting() {
                for (index, output) in held.outputs.open.iter().enumerate() {
                    sources.push(Source::Output(index));
                    polled.push(PollFd::new(&output.wire, PollFlags::IN));
                }
                if let Some(input) = held.agent.input.as_ref().filter(|_| !held.inputs.is_empty()) {
                    sources.push(Source::Input);
                    polled.push(PollFd::new(input, PollFlags::OUT));
                }
            }
        }
        let sockets: Vec<_> = self.connections.iter().map(Connection::socket).collect();
        for (connection, socket) in self.connections.iter().zip(&sockets) {
            let write = if connection.wants_to_write() { PollFlags::OUT } else { PollFlags::empty() };
            sources.push(Source::Client(connection.id));
            polled.push(PollFd::from_borrowed_fd(socket.as_fd(), PollFlags::IN | write));
        }
        let timeout = deadline.map(|deadline| timespec(deadline.saturating_duration_since(Instant::now())));
        if poll(&mut polled, timeout.as_ref()).is_err() {
            return Vec::new();
        }
        let ready = sources.into_iter().zip(polled.iter().map(PollFd::revents));
        ready.filter(|(_, flags)| !flags.is_empty()).collect()
    }

    fn handle(&mut self, source: Source, flags: PollFlags, now: Instant) {
        match source {
            Source::Signals => {
                let came = system::came(&self.signals);
                if came.child {
                    self.reap(now);
                }
                if came.end {
                    self.end(EndReason::HolderEnded, None, now);
                }
            }
            Source::Listener => self.accept(),
            Source::Output(index) => {
                if let Some(held) = &mut self.held {
                    held.outputs.read(index, now);
                }
            }
            Source::Input => self.type_some(now),
            Source::Client(id) => {
                if flags.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) {
                    self.hear(id, now);
                }
            }
        }
    }

    fn accept(&mut self) {
        let Some(Ok((stream, _))) = self.listener.as_ref().map(UnixListener::accept) else { return };
        // Connections of other users are closed without a reply.
        let Ok(mut connection) = Connection::new(self.next_id, stream.into()) else { return };
        self.next_id += 1;
        // A client without hello must not keep others out.
        let stranger = self.connections.iter().position(|connection| !connection.is_greeted);
        if let Some(stranger) = stranger.filter(|_| self.connections.len() >= CONNECTIONS_MAX) {
            self.connections.remove(stranger);
        }
        if self.connections.len() < CONNECTIONS_MAX {
            self.connections.push(connection);
        } else {
            connection.reply(0, &Reply::Refused(Refusal::Busy));
            connection.write();
        }
    }

    /// Reaps all children that have ended.
    pub(super) fn reap(&mut self, now: Instant) {
        let Some(held) = &mut self.held else { return };
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == held.agent.pid => held.status = Some(status),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => break,
                Err(_) => {
                    held.has_children = false;
                    break;
                }
            }
        }
        if held.status.is_some() {
            let grace = held.leftover_grace;
            let ending = held
                .ending
                .get_or_insert_with(|| Ending::begin(EndReason::Itself, grace, held.cgroup.as_ref(), now));
            ending.hurry(grace, now);
        }
    }

    /// Starts the termination, or shortens the grace period of a running one.
    pub(super) fn end(&mut self, reason: EndReason, grace: Option<Duration>, now: Instant) {
        let Some(held) = &mut self.held else {
            self.has_failed = true;
            return;
        };
        let grace = grace.unwrap_or(held.limits.end_grace);
        let stopped = held.pause.go_on(held.cgroup.as_ref());
        match &mut held.ending {
            Some(ending) => ending.hurry(grace, now),
            None => held.ending = Some(Ending::begin(reason, grace, held.cgroup.as_ref(), now)),
        }
        self.answer_all(stopped, &Reply::Refused(Refusal::WrongPhase));
    }

    fn type_some(&mut self, now: Instant) {
        let Some(held) = &mut self.held else { return };
        let Some(input) = &held.agent.input else { return };
        let terminal = held.agent.terminal.as_ref();
        let is_canonical = || {
            let modes = terminal.and_then(|terminal| rustix::termios::tcgetattr(terminal).ok());
            modes.is_some_and(|modes| modes.local_modes.contains(rustix::termios::LocalModes::ICANON))
        };
        let reply = match held.inputs.step(input, is_canonical) {
            Step::Idle | Step::Blocked | Step::Piece => return,
            Step::Typed { number, bytes } => {
                held.outputs.append_input(number, &bytes, now);
                if held.inputs.is_closing && held.inputs.is_empty() {
                    held.agent.input = None;
                }
                Reply::Typed { number }
            }
            Step::LineTooLong => Reply::Refused(Refusal::TooLong { bytes_max: 4095 }),
            Step::Closed => {
                held.agent.input = None;
                Reply::Refused(Refusal::WrongPhase)
            }
        };
        self.connections.retain_mut(|connection| match connection.input_tag {
            Some(tag) => connection.reply(tag, &reply),
            None => true,
        });
    }

    /// Performs due actions.
    fn tick(&mut self, now: Instant) {
        let Some(held) = &mut self.held else { return };
        held.outputs.tick(now);
        if let Some(WindowSize { columns, rows }) = held.first_size.take() {
            held.outputs.append(&Body::Resize { columns, rows }, now);
        }
        held.write_status(now);
        if held.clock.take_expired(now) {
            self.end(EndReason::TimeLimit, None, now);
        }
        let Some(held) = &mut self.held else { return };
        if let Some(ending) = &mut held.ending {
            ending.tick(held.cgroup.as_ref(), now);
        }
        let stopped = held.pause.tick(&held.agent, held.cgroup.as_ref(), now);
        if matches!(held.pause, Pause::Still { .. }) {
            held.clock.stop(now);
        }
        self.answer_all(stopped, &Reply::Done);
    }

    pub(super) fn answer_all(&mut self, askers: Vec<Asker>, reply: &Reply) {
        for (id, tag) in askers {
            self.answer(id, tag, reply);
        }
    }

    /// Replies at once, before anything else is done.
    pub(super) fn answer_now(&mut self, (id, tag): Asker, reply: &Reply) {
        self.connections.retain_mut(|connection| {
            connection.id != id || connection.reply(tag, reply) && connection.write()
        });
    }

    pub(super) fn answer(&mut self, id: u64, tag: u32, reply: &Reply) {
        self.connections.retain_mut(|connection| connection.id != id || connection.reply(tag, reply));
    }

    /// Finishes the session after the last process has ended; returns true when nothing is left to do.
    fn is_over(&mut self, now: Instant) -> bool {
        let Some(held) = &mut self.held else {
            let is_talking =
                self.connections.iter().any(|connection| !self.has_failed || connection.wants_to_write());
            return !is_talking;
        };
        if !held.finish(now) {
            return false;
        }
        let askers = held.ending.as_mut().map(|ending| std::mem::take(&mut ending.askers));
        self.answer_all(askers.unwrap_or_default(), &Reply::Done);
        true
    }

    /// Gives clients a moment to read the remaining data, before the holder exits.
    fn say_farewell(&mut self) {
        if self.listener.take().is_some() {
            let _ = std::fs::remove_file(SOCKET_NAME);
        }
        let deadline = Instant::now() + FAREWELL_MAX;
        while Instant::now() < deadline {
            self.connections.retain_mut(|connection| connection.pump() && connection.wants_to_write());
            if self.connections.is_empty() {
                break;
            }
            let sockets: Vec<_> = self.connections.iter().map(Connection::socket).collect();
            let mut polled: Vec<_> = sockets
                .iter()
                .map(|socket| PollFd::from_borrowed_fd(socket.as_fd(), PollFlags::OUT))
                .collect();
            crate::wait::until_ready(&mut polled, Some(deadline));
        }
    }
}
