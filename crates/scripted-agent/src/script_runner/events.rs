//! Input of the script runner: waits for prompts and answers, and detects a cancel while a step runs.

use std::{
    thread,
    time::{Duration, Instant},
};

use super::{ScriptRunner, StepFlow};
use crate::{
    input::InputEvent,
    protocol::{AnswerStatus, ClientAnswer, ClientEvent, PermissionDecision},
    run_script::ScriptRunError,
    script::{InputWaitStep, LineMatcher, StopReason},
};

impl ScriptRunner<'_> {
    /// Waits for a matching prompt and starts its turn.
    pub(super) fn wait_for_prompt(&mut self, wait: &InputWaitStep) -> Result<StepFlow, ScriptRunError> {
        self.end_turn(StopReason::EndTurn)?;
        let deadline = wait.within.map(|within| Instant::now() + within.0);
        loop {
            while let Some(prompt) = self.queued_prompts.pop_front() {
                if self.start_turn_if_matching(prompt, &wait.matcher)? {
                    return Ok(StepFlow::Next);
                }
            }
            let remaining = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if remaining == Some(Duration::ZERO) {
                return Err(ScriptRunError::InputMissing("timed out"));
            }
            if self.next_event(remaining)?.is_none() && self.queued_prompts.is_empty() {
                match deadline {
                    Some(deadline) if Instant::now() >= deadline => {}
                    _ => return Ok(StepFlow::InputEnded),
                }
            }
        }
    }

    /// Starts the turn of a prompt. If it does not match, the turn ends at once; a line without turns is skipped.
    fn start_turn_if_matching(
        &mut self,
        prompt: String,
        matcher: &LineMatcher,
    ) -> Result<bool, ScriptRunError> {
        let is_match = matcher.matches(&prompt);
        if self.protocol.has_turns() {
            self.protocol.begin_turn(&prompt)?;
            self.is_in_turn = true;
            if !is_match {
                self.end_turn(StopReason::EndTurn)?;
            }
        }
        if is_match {
            self.placeholders.line = prompt;
        }
        Ok(is_match)
    }

    /// Waits for the answer to a request; returns how to continue if none arrives.
    pub(super) fn wait_for_answer(
        &mut self,
        request: AnswerStatus,
    ) -> Result<Result<ClientAnswer, StepFlow>, ScriptRunError> {
        let answer = match request {
            AnswerStatus::Answered(answer) => answer,
            AnswerStatus::Pending if !self.protocol.has_turns() => match self.input.next_line(None)? {
                InputEvent::Line(text) => {
                    let is_yes = text.trim().starts_with(['y', 'Y', '1']);
                    ClientAnswer {
                        decision: if is_yes { PermissionDecision::Allow } else { PermissionDecision::Deny },
                        text,
                    }
                }
                InputEvent::TimedOut | InputEvent::Closed => return Ok(Err(StepFlow::InputEnded)),
            },
            AnswerStatus::Pending => loop {
                match self.next_event(None)? {
                    Some(ClientEvent::Answer(answer)) => break answer,
                    Some(ClientEvent::Cancel) => return Ok(Err(StepFlow::Cancelled)),
                    Some(
                        ClientEvent::Ignored
                        | ClientEvent::Rejected
                        | ClientEvent::SessionOpened { .. }
                        | ClientEvent::Prompt(_),
                    ) => {}
                    None => return Ok(Err(StepFlow::InputEnded)),
                }
            },
        };
        self.placeholders.line.clone_from(&answer.text);
        Ok(Ok(answer))
    }

    /// Pauses. If the protocol has turns, input is handled meanwhile.
    pub(super) fn sleep(&mut self, pause: Duration) -> Result<StepFlow, ScriptRunError> {
        let deadline = Instant::now() + pause;
        while self.protocol.has_turns() {
            let remaining = deadline.saturating_duration_since(Instant::now());
            if remaining.is_zero() {
                return Ok(StepFlow::Next);
            }
            match self.next_event(Some(remaining))? {
                Some(ClientEvent::Cancel) => return Ok(StepFlow::Cancelled),
                Some(_) => {}
                None => break,
            }
        }
        thread::sleep(deadline.saturating_duration_since(Instant::now()));
        Ok(StepFlow::Next)
    }

    /// Handles available input without waiting.
    pub(super) fn handle_available_input(&mut self) -> Result<StepFlow, ScriptRunError> {
        while self.protocol.has_turns() {
            match self.next_event(Some(Duration::ZERO))? {
                Some(ClientEvent::Cancel) => return Ok(StepFlow::Cancelled),
                Some(_) => {}
                None => break,
            }
        }
        Ok(StepFlow::Next)
    }

    /// Returns the next event; `None` on timeout or if the input was closed. Prompts are queued for the next `wait`.
    pub(crate) fn next_event(
        &mut self,
        within: Option<Duration>,
    ) -> Result<Option<ClientEvent>, ScriptRunError> {
        let event = match self.pending_events.pop_front() {
            Some(event) => event,
            None if self.protocol.reads_keys() => match self.input.next_keys(within)? {
                Some(keys) => {
                    self.pending_events.extend(self.protocol.handle_keys(&keys)?);
                    self.pending_events.pop_front().unwrap_or(ClientEvent::Ignored)
                }
                None => return Ok(None),
            },
            None => match self.input.next_line(within)? {
                InputEvent::Line(line) => self.protocol.handle_line(&line)?,
                InputEvent::TimedOut | InputEvent::Closed => return Ok(None),
            },
        };
        Ok(Some(match event {
            ClientEvent::Prompt(prompt) => {
                self.queued_prompts.push_back(prompt);
                ClientEvent::Ignored
            }
            // Between turns there is nothing to cancel.
            ClientEvent::Cancel if !self.is_in_turn => ClientEvent::Ignored,
            event @ ClientEvent::Ignored
            | event @ ClientEvent::Rejected
            | event @ ClientEvent::SessionOpened { .. }
            | event @ ClientEvent::Answer(_)
            | event @ ClientEvent::Cancel => event,
        }))
    }
}
