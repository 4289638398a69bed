//! How the performer hears: waits for prompts and answers, and notices a cancel while it does something else.

use std::{
    thread,
    time::{Duration, Instant},
};

use super::{Flow, Performer};
use crate::{
    input::Listened,
    play::PlayError,
    script::{Matcher, Stop, Wait},
    voice::{Answer, Asked, Heard, Verdict},
};

impl Performer<'_> {
    /// Waits for a prompt that fits, and begins its turn.
    pub(super) fn wait(&mut self, wait: &Wait) -> Result<Flow, PlayError> {
        self.end_turn(Stop::EndTurn)?;
        let until = wait.within.map(|within| Instant::now() + within.0);
        loop {
            while let Some(prompt) = self.prompts.pop_front() {
                if self.take(prompt, &wait.matcher)? {
                    return Ok(Flow::Next);
                }
            }
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Err(PlayError::NotHeard("its time is over"));
            }
            if self.listen(left)?.is_none() && self.prompts.is_empty() {
                match until {
                    Some(until) if Instant::now() >= until => {}
                    _ => return Ok(Flow::InputEnded),
                }
            }
        }
    }

    /// Begins the turn of a prompt; one that does not fit is over at once, a line that does not fit is passed by.
    fn take(&mut self, prompt: String, matcher: &Matcher) -> Result<bool, PlayError> {
        let fits = matcher.fits(&prompt);
        if self.voice.has_turns() {
            self.voice.begin_turn(&prompt)?;
            self.is_in_turn = true;
            if !fits {
                self.end_turn(Stop::EndTurn)?;
            }
        }
        if fits {
            self.known.line = prompt;
        }
        Ok(fits)
    }

    /// Waits for the answer to what was asked, or says how it goes on without.
    pub(super) fn answer(&mut self, asked: Asked) -> Result<Result<Answer, Flow>, PlayError> {
        let answer = match asked {
            Asked::Nobody(answer) => answer,
            Asked::Waiting if !self.voice.has_turns() => match self.input.next(None)? {
                Listened::Line(text) => {
                    let is_yes = text.trim().starts_with(['y', 'Y', '1']);
                    Answer { verdict: if is_yes { Verdict::Allow } else { Verdict::Deny }, text }
                }
                Listened::Nothing | Listened::End => return Ok(Err(Flow::InputEnded)),
            },
            Asked::Waiting => loop {
                match self.listen(None)? {
                    Some(Heard::Answer(answer)) => break answer,
                    Some(Heard::Cancel) => return Ok(Err(Flow::Cancelled)),
                    Some(Heard::Nothing | Heard::Over | Heard::Opened { .. } | Heard::Prompt(_)) => {}
                    None => return Ok(Err(Flow::InputEnded)),
                }
            },
        };
        self.known.line.clone_from(&answer.text);
        Ok(Ok(answer))
    }

    /// Does nothing for a time. Where there are turns it listens meanwhile.
    pub(super) fn sleep(&mut self, pause: Duration) -> Result<Flow, PlayError> {
        let until = Instant::now() + pause;
        while self.voice.has_turns() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Flow::Next);
            }
            match self.listen(Some(left))? {
                Some(Heard::Cancel) => return Ok(Flow::Cancelled),
                Some(_) => {}
                None => break,
            }
        }
        thread::sleep(until.saturating_duration_since(Instant::now()));
        Ok(Flow::Next)
    }

    /// Hears what is there already, without waiting.
    pub(super) fn glance(&mut self) -> Result<Flow, PlayError> {
        while self.voice.has_turns() {
            match self.listen(Some(Duration::ZERO))? {
                Some(Heard::Cancel) => return Ok(Flow::Cancelled),
                Some(_) => {}
                None => break,
            }
        }
        Ok(Flow::Next)
    }

    /// Hears one thing; `None` where nothing came in time or the input has ended. Prompts are kept until one waits.
    pub(crate) fn listen(&mut self, within: Option<Duration>) -> Result<Option<Heard>, PlayError> {
        let heard = match self.pending.pop_front() {
            Some(heard) => heard,
            None if self.voice.wants_keys() => match self.input.keys(within)? {
                Some(keys) => {
                    self.pending.extend(self.voice.hear_keys(&keys)?);
                    self.pending.pop_front().unwrap_or(Heard::Nothing)
                }
                None => return Ok(None),
            },
            None => match self.input.next(within)? {
                Listened::Line(line) => self.voice.hear(&line)?,
                Listened::Nothing | Listened::End => return Ok(None),
            },
        };
        Ok(Some(match heard {
            Heard::Prompt(prompt) => {
                self.prompts.push_back(prompt);
                Heard::Nothing
            }
            // There is nothing to cancel between two turns.
            Heard::Cancel if !self.is_in_turn => Heard::Nothing,
            heard => heard,
        }))
    }
}
