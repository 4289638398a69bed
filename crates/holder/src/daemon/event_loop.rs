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

use super::{
    agent_session::AgentSession, client_connection::ClientConnection, input_queue::PieceWriteOutcome,
    pause::PauseState, termination::Termination,
};
use crate::{
    SOCKET_NAME, TOKEN_NAME,
    mask::Secret,
    protocol::{CONNECTIONS_MAX, Refusal, Reply, WindowSize},
    spool::{EndReason, RecordBody},
    system::{self, ProgramPages},
    wait::timespec,
};

/// Time for clients to read the remaining data at the end. The files stay.
const FINAL_SEND_MAX: Duration = Duration::from_secs(1);

/// Loop iterations after which the program's pages are released even under load; about every 128 MB of output.
const ITERATIONS_MAX: u32 = 4096;

/// Idle time after which pages are released: too short to be noticed, longer than pauses within a burst.
const RELEASE_AFTER: Duration = Duration::from_millis(100);

/// Address of a later reply: connection id and tag.
pub(super) type ReplyAddress = (u64, u32);

/// State of the holder process.
pub(super) struct EventLoop {
    pub(super) connections: Vec<ClientConnection>,
    pub(super) session: Option<AgentSession>,
    pub(super) listener: Option<UnixListener>,
    /// Token that clients of the socket must present.
    pub(super) token: Option<Secret>,
    pub(super) signals: OwnedFd,
    /// The session's folder, which is watched for deletions.
    pub(super) folder: Option<OwnedFd>,
    next_id: u64,
    /// The agent could not be started: the holder exits.
    pub(super) has_failed: bool,
    program_pages: ProgramPages,
    /// Loop iterations since the program's pages were released.
    n_iterations: u32,
    /// When pages are released unless events arrive before.
    release_at: Option<Instant>,
}

/// Event sources of the loop.
#[derive(Clone, Copy)]
enum EventSource {
    Signals,
    Listener,
    Output(usize),
    Input,
    Client(u64),
}

impl EventLoop {
    pub(super) fn new(signals: OwnedFd, first: OwnedFd) -> io::Result<Self> {
        let connections = vec![ClientConnection::new(0, first)?];
        Ok(Self {
            connections,
            session: None,
            listener: None,
            token: None,
            signals,
            folder: None,
            next_id: 1,
            has_failed: false,
            program_pages: ProgramPages::default(),
            n_iterations: 0,
            release_at: None,
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
                connection.send_pending() && (!connection.is_closing || connection.wants_to_write())
            });
            self.release_pages(is_woken, now);
            if self.try_finish(now) {
                self.flush_connections();
                return if self.has_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS };
            }
        }
    }

    /// Releases pages of the program after a burst, and periodically during a long one.
    fn release_pages(&mut self, is_woken: bool, now: Instant) {
        if self.session.is_none() {
            return;
        }
        if is_woken {
            self.n_iterations += 1;
            self.release_at = Some(now + RELEASE_AFTER);
        }
        if self.n_iterations >= ITERATIONS_MAX || self.release_at.is_some_and(|at| now >= at) {
            self.n_iterations = 0;
            self.release_at = None;
            self.program_pages.release();
        }
    }

    /// Waits for an event or the next scheduled action.
    fn wait(&self) -> Vec<(EventSource, PollFlags)> {
        let mut sources = vec![EventSource::Signals];
        let mut polled = vec![PollFd::new(&self.signals, PollFlags::IN)];
        if let Some(listener) = &self.listener {
            sources.push(EventSource::Listener);
            polled.push(PollFd::new(listener, PollFlags::IN));
        }
        let mut deadline = None;
        if let Some(session) = &self.session {
            deadline = [session.next_action_at(), self.release_at].into_iter().flatten().min();
            // Invariant: while the disk is full, nothing is read or written.
            if !session.outputs.is_blocked() {
                for (index, output) in session.outputs.open.iter().enumerate() {
                    sources.push(EventSource::Output(index));
                    polled.push(PollFd::new(&output.pipe, PollFlags::IN));
                }
                if let Some(input) = session.agent.input.as_ref().filter(|_| !session.inputs.is_empty()) {
                    sources.push(EventSource::Input);
                    polled.push(PollFd::new(input, PollFlags::OUT));
                }
            }
        }
        let sockets: Vec<_> = self.connections.iter().map(ClientConnection::socket).collect();
        for (connection, socket) in self.connections.iter().zip(&sockets) {
            let write = if connection.wants_to_write() { PollFlags::OUT } else { PollFlags::empty() };
            sources.push(EventSource::Client(connection.id));
            polled.push(PollFd::from_borrowed_fd(socket.as_fd(), PollFlags::IN | write));
        }
        let timeout = deadline.map(|deadline| timespec(deadline.saturating_duration_since(Instant::now())));
        if poll(&mut polled, timeout.as_ref()).is_err() {
            return Vec::new();
        }
        let ready = sources.into_iter().zip(polled.iter().map(PollFd::revents));
        ready.filter(|(_, flags)| !flags.is_empty()).collect()
    }

    fn handle(&mut self, source: EventSource, flags: PollFlags, now: Instant) {
        match source {
            EventSource::Signals => {
                let signals = system::take_signals(&self.signals);
                if signals.child {
                    self.reap(now);
                }
                if signals.end {
                    self.begin_termination(EndReason::HolderEnded, None, now);
                }
                if signals.deletion {
                    self.end_without_folder(now);
                }
            }
            EventSource::Listener => self.accept(),
            EventSource::Output(index) => {
                if let Some(session) = &mut self.session {
                    session.outputs.read(index, now);
                }
            }
            EventSource::Input => self.write_input(now),
            EventSource::Client(id) => {
                if flags.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) {
                    self.read_requests(id, now);
                }
            }
        }
    }

    /// Ends the session if its folder was removed: no client can find it any more, and its output cannot be kept.
    fn end_without_folder(&mut self, now: Instant) {
        let is_removed =
            std::fs::symlink_metadata(TOKEN_NAME).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        if let Some(session) = self.session.as_mut().filter(|_| is_removed) {
            session.has_folder = false;
            self.begin_termination(EndReason::HolderEnded, None, now);
        }
    }

    fn accept(&mut self) {
        let Some(Ok((stream, _))) = self.listener.as_ref().map(UnixListener::accept) else { return };
        // Connections of other users are closed without a reply.
        let Ok(mut connection) = ClientConnection::new(self.next_id, stream.into()) else { return };
        self.next_id += 1;
        // A client without hello must not keep others out.
        let unauthenticated = self.connections.iter().position(|connection| !connection.is_greeted);
        if let Some(index) = unauthenticated.filter(|_| self.connections.len() >= CONNECTIONS_MAX) {
            self.connections.remove(index);
        }
        if self.connections.len() < CONNECTIONS_MAX {
            self.connections.push(connection);
        } else {
            connection.queue_reply(0, &Reply::Refused(Refusal::Busy));
            connection.write();
        }
    }

    /// Reaps all children that have ended.
    pub(super) fn reap(&mut self, now: Instant) {
        let Some(session) = &mut self.session else { return };
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == session.agent.pid => session.status = Some(status),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => break,
                Err(_) => {
                    session.has_children = false;
                    break;
                }
            }
        }
        if session.status.is_some() {
            let grace = session.leftover_grace;
            let termination = session.termination.get_or_insert_with(|| {
                Termination::begin(EndReason::AgentExited, grace, session.cgroup.as_ref(), now)
            });
            termination.shorten_grace(grace, now);
        }
    }

    /// Starts the termination, or shortens the grace period of a running one.
    pub(super) fn begin_termination(&mut self, reason: EndReason, grace: Option<Duration>, now: Instant) {
        let Some(session) = &mut self.session else {
            self.has_failed = true;
            return;
        };
        let grace = grace.unwrap_or(session.limits.end_grace);
        let stopped = session.pause.resume(session.cgroup.as_ref());
        match &mut session.termination {
            Some(termination) => termination.shorten_grace(grace, now),
            None => {
                session.termination = Some(Termination::begin(reason, grace, session.cgroup.as_ref(), now))
            }
        }
        self.reply_to_waiters(stopped, &Reply::Refused(Refusal::WrongPhase));
    }

    fn write_input(&mut self, now: Instant) {
        let Some(session) = &mut self.session else { return };
        let Some(input) = &session.agent.input else { return };
        let terminal = session.agent.terminal.as_ref();
        let is_canonical = || {
            let modes = terminal.and_then(|terminal| rustix::termios::tcgetattr(terminal).ok());
            modes.is_some_and(|modes| modes.local_modes.contains(rustix::termios::LocalModes::ICANON))
        };
        let reply = match session.inputs.write_piece(input, is_canonical) {
            PieceWriteOutcome::Idle | PieceWriteOutcome::Blocked | PieceWriteOutcome::Piece => return,
            PieceWriteOutcome::Written { number, bytes } => {
                session.outputs.append_input(number, &bytes, now);
                if session.inputs.is_closing && session.inputs.is_empty() {
                    session.agent.input = None;
                }
                Reply::InputWritten { number }
            }
            PieceWriteOutcome::LineTooLong => Reply::Refused(Refusal::TooLong { bytes_max: 4095 }),
            PieceWriteOutcome::Closed => {
                session.agent.input = None;
                Reply::Refused(Refusal::WrongPhase)
            }
        };
        self.connections.retain_mut(|connection| match connection.input_tag {
            Some(tag) => connection.queue_reply(tag, &reply),
            None => true,
        });
    }

    /// Performs due actions.
    fn tick(&mut self, now: Instant) {
        let Some(session) = &mut self.session else { return };
        session.outputs.tick(now);
        if let Some(WindowSize { columns, rows }) = session.first_size.take() {
            session.outputs.append_record(&RecordBody::Resize { columns, rows }, now);
        }
        session.write_status(now);
        if session.time_limit.take_expired(now) {
            self.begin_termination(EndReason::TimeLimit, None, now);
        }
        let Some(session) = &mut self.session else { return };
        if session.take_exceeded_output_limit() {
            self.begin_termination(EndReason::OutputLimit, None, now);
        }
        let Some(session) = &mut self.session else { return };
        if let Some(termination) = &mut session.termination {
            termination.tick(session.cgroup.as_ref(), now);
        }
        let stopped = session.pause.tick(&session.agent, session.cgroup.as_ref(), now);
        if matches!(session.pause, PauseState::Stopped { .. }) {
            session.time_limit.pause(now);
        }
        self.reply_to_waiters(stopped, &Reply::Done);
    }

    pub(super) fn reply_to_waiters(&mut self, waiters: Vec<ReplyAddress>, reply: &Reply) {
        for (id, tag) in waiters {
            self.queue_reply(id, tag, reply);
        }
    }

    /// Replies at once, before anything else is done.
    pub(super) fn send_reply(&mut self, (id, tag): ReplyAddress, reply: &Reply) {
        self.connections.retain_mut(|connection| {
            connection.id != id || connection.queue_reply(tag, reply) && connection.write()
        });
    }

    pub(super) fn queue_reply(&mut self, id: u64, tag: u32, reply: &Reply) {
        self.connections.retain_mut(|connection| connection.id != id || connection.queue_reply(tag, reply));
    }

    /// Finishes the session after the last process has ended; returns true when nothing is left to do.
    fn try_finish(&mut self, now: Instant) -> bool {
        let Some(session) = &mut self.session else {
            let is_talking =
                self.connections.iter().any(|connection| !self.has_failed || connection.wants_to_write());
            return !is_talking;
        };
        if !session.finish(now) {
            return false;
        }
        let waiters =
            session.termination.as_mut().map(|termination| std::mem::take(&mut termination.waiters));
        self.reply_to_waiters(waiters.unwrap_or_default(), &Reply::Done);
        true
    }

    /// Gives clients a moment to read the remaining data, before the holder exits.
    fn flush_connections(&mut self) {
        if self.listener.take().is_some() {
            // Nothing listens on a socket that stays.
            let _ = std::fs::remove_file(SOCKET_NAME);
        }
        let deadline = Instant::now() + FINAL_SEND_MAX;
        while Instant::now() < deadline {
            self.connections
                .retain_mut(|connection| connection.send_pending() && connection.wants_to_write());
            if self.connections.is_empty() {
                break;
            }
            let sockets: Vec<_> = self.connections.iter().map(ClientConnection::socket).collect();
            let mut polled: Vec<_> = sockets
                .iter()
                .map(|socket| PollFd::from_borrowed_fd(socket.as_fd(), PollFlags::OUT))
                .collect();
            crate::wait::until_ready(&mut polled, Some(deadline));
        }
    }
}
