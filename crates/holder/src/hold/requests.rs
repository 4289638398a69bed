//! Handles the requests of clients.

use std::{io, path::Path, time::Instant};

use rustix::process::{Pid, getpid};

use super::{held::Held, session::Session};
use crate::{
    mask::{self, Secret},
    protocol::{Greeting, Phase, Refusal, Reply, Request, Status, VERSION_MAX},
    spool::{self, EndReason, SpoolError},
};

/// The immediate reply; `None` if it is sent later.
pub(super) type Answer = Result<Option<Reply>, Refusal>;

/// The session's folder is the holder's working directory.
pub(super) const HERE: &str = ".";

impl Session {
    /// Reads from a client, and answers every complete request.
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
                Some(Request::Hello { version_min, version_max, token }) => {
                    let is_friend = connection.is_first || is_same(token.as_ref(), self.token.as_ref());
                    let answer = greet(version_min, version_max, is_friend);
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
            return self.start(&directory, &launch, (id, tag), now);
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
            Request::SayAside { bytes } => held.say_aside(&bytes, now)?,
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

fn greet(version_min: u16, version_max: u16, is_friend: bool) -> Answer {
    // Older clients know no token, so they are rejected by version.
    if !(version_min..=version_max).contains(&VERSION_MAX) {
        return Err(Refusal::Version { version_min: VERSION_MAX, version_max: VERSION_MAX });
    }
    if !is_friend {
        return Err(Refusal::Stranger);
    }
    Ok(Some(Reply::Hello(Greeting { version: VERSION_MAX, holder_pid: number(getpid()) })))
}

/// Compares in constant time.
fn is_same(presented: Option<&Secret>, token: Option<&Secret>) -> bool {
    let (Some(presented), Some(token)) = (presented.map(Secret::value), token.map(Secret::value)) else {
        return false;
    };
    presented.len() == token.len() && presented.iter().zip(token).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
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

pub(super) fn failed(what: &str) -> impl Fn(io::Error) -> Refusal {
    move |error| Refusal::Failed { what: what.to_owned(), errno: error.raw_os_error().unwrap_or(0) }
}

pub(super) fn unusable(what: &str) -> Refusal {
    Refusal::Unusable { what: what.to_owned() }
}

pub(super) fn number(pid: Pid) -> u32 {
    pid.as_raw_nonzero().get().cast_unsigned()
}
