//! A conversation with an agent that is kept in its session's folder, for those who have no log of their own.
//!
//! Whoever opens it goes on where the last one was, however that one ended: what was to be told is written down before
//! it is told, and where the reading begins again is written down when a turn ends.

mod kept;

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use domain::{Role, Timestamp, Usage};
use drivers::{Begin, Happening, Left, Told, Untold, driver};

use crate::{
    launch::Hired,
    living::{Living, LivingError, Seen, Waker, Watching},
    sessions::{Found, now},
    talk::kept::Kept,
};

/// Why a conversation can't be had.
#[derive(Debug, thiserror::Error)]
pub enum TalkError {
    /// The session is no agent's.
    #[error("no driver speaks with session '{name}'")]
    NoAgent {
        /// Its name.
        name: String,
    },
    /// A run speaks with it.
    #[error("session '{name}' belongs to a run")]
    OfRun {
        /// Its name.
        name: String,
    },
    /// The session can't be used.
    #[error("session '{name}'")]
    Living {
        /// Its name.
        name: String,
        /// Why.
        source: LivingError,
    },
    /// What is kept can't be used.
    #[error("keep the conversation in {}", .path.display())]
    Kept {
        /// Where.
        path: std::path::PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// A conversation with one agent.
pub struct Talk {
    name: String,
    living: Living,
    kept: Kept,
    /// What was written down and can't be told yet, in order.
    waiting: VecDeque<(u32, Told)>,
    /// The last prompt that was told, or is on its way.
    last_prompt: u32,
}

impl Talk {
    /// Takes up the conversation where it was left.
    pub fn open(found: &Found) -> Result<(Self, Vec<Seen>), TalkError> {
        let hired = hired(found)?;
        if hired.is_of_run {
            return Err(TalkError::OfRun { name: found.name.clone() });
        }
        let kept = Kept::open(&found.directory)?;
        let begin = begin(found, hired, &kept);
        let opened =
            Living::open(&found.directory, driver(&hired.preset, &begin), begin.aside(), kept.left.read_from);
        let failed = |source| TalkError::Living { name: found.name.clone(), source };
        let (living, seen) = opened.map_err(failed)?;
        let (name, last_prompt) = (found.name.clone(), kept.idle_after);
        let waiting = kept.told_after(kept.idle_after).cloned().collect();
        let mut talk = Self { name, living, kept, waiting, last_prompt };
        talk.note(&seen)?;
        let mut all = seen;
        all.extend(talk.go_on()?);
        Ok((talk, all))
    }

    /// Reads along, from the beginning or from the turn that is not over yet.
    pub fn watch(found: &Found, from_beginning: bool) -> Result<Watching, TalkError> {
        let hired = hired(found)?;
        let mut kept = Kept::read(&found.directory)?;
        if from_beginning {
            kept.left = Left::default();
        }
        let begin = begin(found, hired, &kept);
        let from = kept.left.read_from;
        let watching = Watching::open(&found.directory, driver(&hired.preset, &begin), begin.aside(), from);
        watching.map_err(|source| TalkError::Living { name: found.name.clone(), source })
    }

    /// Returns all that was to be told so far, by its numbers.
    pub fn told(found: &Found) -> Result<Vec<(u32, Told)>, TalkError> {
        Ok(Kept::read(&found.directory)?.told)
    }

    /// Returns the agent's own id of the session, by which it can come back.
    pub fn agent_session(found: &Found) -> Option<String> {
        Kept::read(&found.directory).ok()?.left.agent_session
    }

    /// Returns when the last turn ended, as far as it was seen.
    pub fn idle_since(found: &Found) -> Option<Timestamp> {
        Kept::read(&found.directory).ok()?.idle_since
    }

    /// Returns what wakes [`Talk::next`] from another thread.
    pub fn waker(&self) -> Waker {
        self.living.waker()
    }

    /// Tells whether a turn is under way, or about to be.
    pub fn is_busy(&self) -> bool {
        self.last_prompt > self.kept.idle_after || !self.waiting.is_empty()
    }

    /// Tells the agent something, now or as soon as it can be told. It is written down before, and is not lost.
    pub fn tell(&mut self, told: Told) -> Result<(u32, Vec<Seen>), TalkError> {
        let number = self.kept.add(&told)?;
        self.waiting.push_back((number, told));
        Ok((number, self.go_on()?))
    }

    /// Waits until something happens, a deadline passes, or somebody wakes it.
    pub fn next(&mut self, deadline: Option<Instant>) -> Result<Vec<Seen>, TalkError> {
        let mut seen = self.living.next(deadline).map_err(|source| self.failed(source))?;
        self.note(&seen)?;
        seen.extend(self.go_on()?);
        Ok(seen)
    }

    /// Ends the session.
    pub fn stop(&mut self, grace: Duration) -> Result<(), TalkError> {
        self.living.stop(grace).map_err(|source| self.failed(source))
    }

    /// Tells what waits and can be told now: one prompt at a time, the rest at once.
    fn go_on(&mut self) -> Result<Vec<Seen>, TalkError> {
        let mut seen = Vec::new();
        for (number, told) in std::mem::take(&mut self.waiting) {
            let is_prompt = matches!(told, Told::Prompt { .. });
            let has_turn = self.last_prompt > self.kept.idle_after && self.last_prompt != number;
            if is_prompt && has_turn {
                self.waiting.push_back((number, told));
                continue;
            }
            match self.living.tell(&told, number) {
                Ok(more) => {
                    seen.extend(more);
                    if is_prompt {
                        self.last_prompt = self.last_prompt.max(number);
                    }
                }
                Err(LivingError::Untold(Untold::NotReady)) if is_prompt => {
                    self.waiting.push_back((number, told));
                }
                // A turn that is over has nothing to be stopped, and a prompt that is not there no answer.
                Err(LivingError::Untold(Untold::UnknownPrompt { .. } | Untold::NotReady)) => {
                    if self.is_caught_up(&mut seen)? {
                        self.living.give_up(number).map_err(|source| self.failed(source))?;
                    } else {
                        self.waiting.push_back((number, told));
                    }
                }
                Err(source) => return Err(self.failed(source)),
            }
        }
        Ok(seen)
    }

    /// Looks whether there is more to be heard; who has just taken over has to hear a prompt again first.
    fn is_caught_up(&mut self, seen: &mut Vec<Seen>) -> Result<bool, TalkError> {
        let more = self.living.next(Some(Instant::now())).map_err(|source| self.failed(source))?;
        self.note(&more)?;
        let is_caught_up = more.is_empty();
        seen.extend(more);
        Ok(is_caught_up)
    }

    /// Writes down where to begin again.
    fn note(&mut self, seen: &[Seen]) -> Result<(), TalkError> {
        for seen in seen {
            match seen {
                Seen::Happened(Happening::Ready { agent_session: Some(id) }) => {
                    self.kept.left.agent_session = Some(id.clone());
                    self.kept.write()?;
                }
                Seen::Happened(Happening::Usage(usage)) => add(&mut self.kept.left.used, usage),
                Seen::Happened(Happening::TurnEnded { read_from, .. }) => {
                    self.kept.left.read_from = *read_from;
                    self.kept.idle_after = self.last_prompt;
                    self.kept.idle_since = Some(now());
                    self.kept.write()?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn failed(&self, source: LivingError) -> TalkError {
        TalkError::Living { name: self.name.clone(), source }
    }
}

fn hired(found: &Found) -> Result<&Hired, TalkError> {
    found.about.agent.as_deref().ok_or_else(|| TalkError::NoAgent { name: found.name.clone() })
}

fn begin<'a>(found: &'a Found, hired: &'a Hired, kept: &Kept) -> Begin<'a> {
    Begin {
        launch: hired.launch(),
        directory: &found.about.directory,
        key: &found.about.key,
        role: Role::Worker,
        has_numeric_ids: false,
        left: Some(kept.left.clone()),
    }
}

fn add(sum: &mut Usage, usage: &Usage) {
    sum.input_tokens += usage.input_tokens;
    sum.output_tokens += usage.output_tokens;
    sum.cached_tokens += usage.cached_tokens;
    sum.cost_micros += usage.cost_micros;
}
