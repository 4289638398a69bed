//! The queue of inputs for a live session: decides which can be written now, and in which order.
//!
//! Does not record inputs: its users do (the log of a run, [`crate::InputRecord`]), and queue them again after a restart.
//! An input that was written before the restart is reported as written, and not written twice.

use std::collections::VecDeque;

use drivers::{AgentInput, SendError};

use crate::{
    error::SessionError,
    session::{Session, SessionReport},
};

/// The most inputs that may wait for one agent. An agent that lets more wait accepts none.
pub const INPUTS_MAX: usize = 1024;

/// A late answer may become a prompt, and that a reference to a file.
const RENDERINGS_MAX: usize = 3;

/// The order in which inputs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendPolicy {
    /// As they are queued: the user of the queue knows when a turn has ended.
    AsQueued,
    /// A prompt waits for the end of the turn before it; answers and interrupts overtake waiting prompts.
    OnePromptPerTurn,
}

/// The waiting inputs of one session. Each is rendered to an [`AgentInput`] when it can be sent.
#[derive(Debug)]
pub struct InputQueue<T> {
    order: SendPolicy,
    waiting: VecDeque<(u32, T)>,
    last_prompt: u32,
    is_in_turn: bool,
}

/// An input that no longer waits.
#[derive(Debug)]
pub struct DequeuedInput<T> {
    pub number: u32,
    /// The input as it was queued.
    pub queued: T,
    /// The input as it was written; none if nothing in the agent waits for it any more.
    pub written: Option<AgentInput>,
    /// The reports that sending it caused. An obsolete input counts as written.
    pub reports: Vec<SessionReport>,
}

/// An input that the driver refused as it was rendered.
#[derive(Debug)]
pub struct RefusedInput {
    /// The input as it was rendered.
    pub input: AgentInput,
    /// Why the driver refused it; never [`SendError::NotReady`].
    pub reason: SendError,
}

enum SendAttempt {
    Sent { input: AgentInput, reports: Vec<SessionReport> },
    Obsolete,
    MustWait,
}

impl<T> InputQueue<T> {
    /// Returns an empty queue; `last_prompt` is the last prompt whose turn has ended, 0 if none.
    pub fn new(order: SendPolicy, last_prompt: u32) -> Self {
        Self { order, waiting: VecDeque::new(), last_prompt, is_in_turn: false }
    }

    /// Adds an input at the end.
    pub fn push(&mut self, number: u32, input: T) -> Result<(), SessionError> {
        if self.waiting.len() >= INPUTS_MAX {
            return Err(SessionError::QueueFull);
        }
        self.waiting.push_back((number, input));
        Ok(())
    }

    /// Puts inputs before all others, for another process of the same session.
    pub fn restore(&mut self, inputs: Vec<(u32, T)>) {
        inputs.into_iter().rev().for_each(|input| self.waiting.push_front(input));
    }

    /// Returns whether no input waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Returns whether a prompt was sent whose turn has not ended.
    pub fn is_in_turn(&self) -> bool {
        self.is_in_turn
    }

    /// Returns the number of the last prompt that was sent.
    pub fn last_prompt(&self) -> u32 {
        self.last_prompt
    }

    /// Notes that the turn of all prompts that were sent has ended.
    pub fn end_turn(&mut self) {
        self.is_in_turn = false;
    }

    /// Sends the next input that can be sent; none if all have to wait until the session reports more.
    ///
    /// `render` converts a queued input for the driver. If the driver refuses the result, `render` is called again with
    /// it, and returns a replacement, or none if the input is obsolete.
    pub fn send_next<E: From<SessionError>>(
        &mut self,
        session: &mut Session,
        mut render: impl FnMut(u32, &T, Option<RefusedInput>) -> Result<Option<AgentInput>, E>,
    ) -> Result<Option<DequeuedInput<T>>, E> {
        let mut prompts_wait = self.order == SendPolicy::OnePromptPerTurn && self.is_in_turn;
        for index in 0..self.waiting.len() {
            let Some((number, queued)) = self.waiting.get(index) else { break };
            let render = |refused: Option<RefusedInput>| render(*number, queued, refused);
            let (written, reports) = match try_send(session, *number, prompts_wait, render)? {
                SendAttempt::MustWait if self.order == SendPolicy::AsQueued => break,
                SendAttempt::MustWait => {
                    prompts_wait = true;
                    continue;
                }
                SendAttempt::Sent { input, reports } => (Some(input), reports),
                SendAttempt::Obsolete => {
                    session.skip_input(*number)?;
                    (None, vec![SessionReport::InputWritten { number: *number }])
                }
            };
            let Some((number, queued)) = self.waiting.remove(index) else { break };
            if let Some(AgentInput::Prompt { .. }) = written {
                (self.is_in_turn, self.last_prompt) = (true, number);
            }
            return Ok(Some(DequeuedInput { number, queued, written, reports }));
        }
        Ok(None)
    }
}

fn try_send<E: From<SessionError>>(
    session: &mut Session,
    number: u32,
    prompts_wait: bool,
    mut render: impl FnMut(Option<RefusedInput>) -> Result<Option<AgentInput>, E>,
) -> Result<SendAttempt, E> {
    let mut refused = None;
    for rendering in 1.. {
        let Some(input) = render(refused)? else { return Ok(SendAttempt::Obsolete) };
        if prompts_wait && matches!(input, AgentInput::Prompt { .. }) {
            return Ok(SendAttempt::MustWait);
        }
        refused = match session.send_input(&input, number) {
            Ok(reports) => return Ok(SendAttempt::Sent { input, reports }),
            // There is no turn to interrupt.
            Err(SessionError::Refused(SendError::NotReady))
                if input == AgentInput::Interrupt && session.is_caught_up() =>
            {
                return Ok(SendAttempt::Obsolete);
            }
            Err(SessionError::Refused(SendError::NotReady)) => return Ok(SendAttempt::MustWait),
            Err(SessionError::Refused(reason)) if rendering < RENDERINGS_MAX => {
                Some(RefusedInput { input, reason })
            }
            Err(error) => return Err(error.into()),
        };
    }
    Ok(SendAttempt::MustWait)
}
