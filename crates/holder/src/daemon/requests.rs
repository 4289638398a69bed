//! Handles the requests of clients.

use std::{io, path::Path, time::Instant};

use rustix::process::{Pid, getpid};

use super::{agent_session::AgentSession, event_loop::EventLoop};
use crate::{
    mask::{self, Secret},
    protocol::{Greeting, Refusal, Reply, Request, SessionPhase, SessionStatus, VERSION_MAX},
    spool::{self, EndReason, SpoolError},
};

/// The immediate reply; `None` if it is sent later.
pub(super) type RequestResult = Result<Option<Reply>, Refusal>;

/// The session's folder is the holder's working directory.
pub(super) const SESSION_FOLDER: &str = ".";

impl EventLoop {
    /// Reads from a client, and answers every complete request.
    pub(super) fn read_requests(&mut self, id: u64, now: Instant) {
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
                    connection.queue_reply(0, &Reply::Refused(Refusal::Malformed));
                    connection.is_closing = true;
                    return;
                }
            };
            let tag = frame.tag;
            let answer = match Request::decode(&frame) {
                Some(Request::Hello { version_min, version_max, token }) => {
                    let is_trusted =
                        connection.is_launcher || is_same_token(token.as_ref(), self.token.as_ref());
                    let answer = check_hello(version_min, version_max, is_trusted);
                    connection.is_greeted = answer.is_ok();
                    connection.is_closing = answer.is_err();
                    answer
                }
                _ if !connection.is_greeted => {
                    connection.is_closing = true;
                    Err(Refusal::HelloRequired)
                }
                Some(request) => self.handle_request(request, id, tag, now),
                None => Err(Refusal::Malformed),
            };
            match answer {
                Ok(Some(reply)) => self.queue_reply(id, tag, &reply),
                Ok(None) => {}
                Err(refusal) => self.queue_reply(id, tag, &Reply::Refused(refusal)),
            }
        }
    }

    fn handle_request(&mut self, request: Request, id: u64, tag: u32, now: Instant) -> RequestResult {
        if let Request::Start { directory, launch } = request {
            return self.start_session(&directory, &launch, (id, tag), now);
        }
        let Some(session) = &mut self.session else {
            return match request {
                Request::Status => Ok(Some(Reply::Status(NOT_STARTED))),
                Request::Hello { .. }
                | Request::Start { .. }
                | Request::Input { .. }
                | Request::CloseInput
                | Request::Resize(_)
                | Request::Stop
                | Request::Continue
                | Request::End { .. }
                | Request::Interrupt
                | Request::Subscribe { .. }
                | Request::SetSecrets(_)
                | Request::AddSecrets(_)
                | Request::WriteSideChannel { .. }
                | Request::MarkTurnEnd { .. }
                | Request::DeleteBefore { .. } => Err(Refusal::WrongPhase),
            };
        };
        match request {
            Request::Hello { .. } | Request::Start { .. } => return Err(Refusal::Malformed),
            Request::Status => return Ok(Some(Reply::Status(session.status()))),
            Request::Input { number, bytes } => {
                let answer = session.accept_input(number, bytes);
                let connection = self.connections.iter_mut().find(|connection| connection.id == id);
                if let Some(connection) = connection {
                    connection.input_tag = Some(tag);
                }
                return answer;
            }
            Request::CloseInput => session.close_input()?,
            Request::Resize(size) => session.resize(size, now)?,
            Request::Interrupt => session.interrupt()?,
            Request::SetSecrets(secrets) => {
                mask::check_secrets(&secrets).map_err(invalid_value_refusal)?;
                session.outputs.set_secrets(secrets);
            }
            Request::AddSecrets(added) => {
                let secrets = session.outputs.secrets_with(added);
                mask::check_secrets(&secrets).map_err(invalid_value_refusal)?;
                session.outputs.set_secrets(secrets);
            }
            Request::MarkTurnEnd { offset } => session.mark_turn_end(offset, now)?,
            Request::WriteSideChannel { bytes } => session.write_side_channel(&bytes, now)?,
            Request::DeleteBefore { offset } => {
                spool::delete_before(Path::new(SESSION_FOLDER), offset)
                    .map_err(|error| spool_refusal(&error, session))?;
            }
            Request::Subscribe { from } => {
                let connection = self.connections.iter_mut().find(|connection| connection.id == id);
                if let Some(connection) = connection {
                    let result = connection.subscribe(tag, Path::new(SESSION_FOLDER), from);
                    result.map_err(|error| spool_refusal(&error, session))?;
                }
            }
            Request::Stop => return session.begin_pause((id, tag), now),
            Request::Continue => {
                if session.termination.is_some() {
                    return Err(Refusal::WrongPhase);
                }
                let waiters = session.pause.resume(session.cgroup.as_ref());
                session.time_limit.resume(now);
                self.reply_to_waiters(waiters, &Reply::Refused(Refusal::WrongPhase));
            }
            Request::End { grace } => {
                self.begin_termination(EndReason::Request, Some(grace), now);
                if let Some(termination) =
                    self.session.as_mut().and_then(|session| session.termination.as_mut())
                {
                    termination.waiters.push((id, tag));
                }
                return Ok(None);
            }
        }
        Ok(Some(Reply::Done))
    }
}

const NOT_STARTED: SessionStatus = SessionStatus {
    phase: SessionPhase::Waiting,
    agent_pid: None,
    offset: 0,
    inputs_accepted: 0,
    inputs_written: 0,
    is_disk_full: false,
    exit: None,
};

fn check_hello(version_min: u16, version_max: u16, is_trusted: bool) -> RequestResult {
    // Older clients know no token, so they are rejected by version.
    if !(version_min..=version_max).contains(&VERSION_MAX) {
        return Err(Refusal::Version { version_min: VERSION_MAX, version_max: VERSION_MAX });
    }
    if !is_trusted {
        return Err(Refusal::InvalidToken);
    }
    Ok(Some(Reply::Hello(Greeting { version: VERSION_MAX, holder_pid: pid_number(getpid()) })))
}

/// Compares in constant time.
fn is_same_token(presented: Option<&Secret>, token: Option<&Secret>) -> bool {
    let (Some(presented), Some(token)) = (presented.map(Secret::value), token.map(Secret::value)) else {
        return false;
    };
    presented.len() == token.len() && presented.iter().zip(token).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

fn spool_refusal(error: &SpoolError, session: &AgentSession) -> Refusal {
    match error {
        SpoolError::Deleted { first, .. } => {
            Refusal::NoSuchOffset { first: *first, end: session.outputs.offset() }
        }
        SpoolError::BeyondEnd { end, .. } => Refusal::NoSuchOffset { first: 0, end: *end },
        SpoolError::Io { .. } | SpoolError::Damaged { .. } => {
            Refusal::InvalidValue { what: error.to_string() }
        }
    }
}

pub(super) fn io_refusal(what: &str) -> impl Fn(io::Error) -> Refusal {
    move |error| Refusal::Failed { what: what.to_owned(), errno: error.raw_os_error().unwrap_or(0) }
}

pub(super) fn invalid_value_refusal(what: &str) -> Refusal {
    Refusal::InvalidValue { what: what.to_owned() }
}

pub(super) fn pid_number(pid: Pid) -> u32 {
    pid.as_raw_nonzero().get().cast_unsigned()
}
