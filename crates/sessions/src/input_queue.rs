//! The inputs of a live session that are not written yet: which of them can be written now, and in which order.
//!
//! Does not record inputs: its users do (the log of a run, [`crate::InputRecord`]), and queue them again after a restart.
//! An input that was written before the restart is reported as written, and not written twice.

use std::collections::VecDeque;

use drivers::{Told, Untold};

use crate::{
    error::SessionError,
    living::{Living, Seen},
};

/// The inputs that wait for one agent. One that takes no input for so long does not take any.
pub const INPUTS_MAX: usize = 1024;

/// A late answer that becomes a prompt, which becomes a file.
const RENDERINGS_MAX: usize = 3;

/// The order in which inputs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputOrder {
    /// As they are queued: the user of the queue knows when a turn has ended.
    AsQueued,
    /// A prompt waits for the end of the turn before it; answers and interrupts overtake waiting prompts.
    OnePromptPerTurn,
}

/// The inputs of one session that wait, of a type that is rendered when it is their turn.
#[derive(Debug)]
pub struct InputQueue<T> {
    order: InputOrder,
    waiting: VecDeque<(u32, T)>,
    last_prompt: u32,
    is_in_turn: bool,
}

/// An input that no longer waits.
#[derive(Debug)]
pub struct SentInput<T> {
    /// The number of the input.
    pub number: u32,
    /// The input as it was queued.
    pub queued: T,
    /// The input as it was written; none if nothing in the agent waits for it any more.
    pub written: Option<Told>,
    /// What the session reported meanwhile. An obsolete input counts as written.
    pub seen: Vec<Seen>,
}

/// An input that the driver refused as it was rendered.
#[derive(Debug)]
pub struct RefusedInput {
    /// The input as it was rendered.
    pub input: Told,
    /// Why the driver refused it; never [`Untold::NotReady`].
    pub reason: Untold,
}

enum Attempt {
    Sent { input: Told, seen: Vec<Seen> },
    Obsolete,
    Waits,
}

impl<T> InputQueue<T> {
    /// Returns an empty queue; `last_prompt` is the last prompt whose turn has ended, 0 if none.
    pub fn new(order: InputOrder, last_prompt: u32) -> Self {
        Self { order, waiting: VecDeque::new(), last_prompt, is_in_turn: false }
    }

    /// Adds an input behind the others.
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

    /// Tells whether inputs wait.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Tells whether the turn of a prompt that was sent has not ended.
    pub fn is_in_turn(&self) -> bool {
        self.is_in_turn
    }

    /// Returns the last prompt that was sent.
    pub fn last_prompt(&self) -> u32 {
        self.last_prompt
    }

    /// Notes that the turn of all prompts that were sent has ended.
    pub fn end_turn(&mut self) {
        self.is_in_turn = false;
    }

    /// Sends the next input that can be sent; none if all have to wait until the session reports more.
    ///
    /// `render` turns a queued input into what the driver understands. It is called again with what the driver refused,
    /// and returns a replacement, or none if the input is obsolete.
    pub fn send_next<E: From<SessionError>>(
        &mut self,
        session: &mut Living,
        mut render: impl FnMut(u32, &T, Option<RefusedInput>) -> Result<Option<Told>, E>,
    ) -> Result<Option<SentInput<T>>, E> {
        let mut prompts_wait = self.order == InputOrder::OnePromptPerTurn && self.is_in_turn;
        for index in 0..self.waiting.len() {
            let Some((number, queued)) = self.waiting.get(index) else { break };
            let render = |refused: Option<RefusedInput>| render(*number, queued, refused);
            let (written, seen) = match attempt(session, *number, prompts_wait, render)? {
                Attempt::Waits if self.order == InputOrder::AsQueued => break,
                Attempt::Waits => {
                    prompts_wait = true;
                    continue;
                }
                Attempt::Sent { input, seen } => (Some(input), seen),
                Attempt::Obsolete => {
                    session.give_up(*number)?;
                    (None, vec![Seen::Typed { number: *number }])
                }
            };
            let Some((number, queued)) = self.waiting.remove(index) else { break };
            if let Some(Told::Prompt { .. }) = written {
                (self.is_in_turn, self.last_prompt) = (true, number);
            }
            return Ok(Some(SentInput { number, queued, written, seen }));
        }
        Ok(None)
    }
}

fn attempt<E: From<SessionError>>(
    session: &mut Living,
    number: u32,
    prompts_wait: bool,
    mut render: impl FnMut(Option<RefusedInput>) -> Result<Option<Told>, E>,
) -> Result<Attempt, E> {
    let mut refused = None;
    for rendering in 1.. {
        let Some(input) = render(refused)? else { return Ok(Attempt::Obsolete) };
        if prompts_wait && matches!(input, Told::Prompt { .. }) {
            return Ok(Attempt::Waits);
        }
        refused = match session.tell(&input, number) {
            Ok(seen) => return Ok(Attempt::Sent { input, seen }),
            // There is no turn to be interrupted.
            Err(SessionError::Refused(Untold::NotReady))
                if input == Told::Interrupt && session.is_caught_up() =>
            {
                return Ok(Attempt::Obsolete);
            }
            Err(SessionError::Refused(Untold::NotReady)) => return Ok(Attempt::Waits),
            Err(SessionError::Refused(reason)) if rendering < RENDERINGS_MAX => {
                Some(RefusedInput { input, reason })
            }
            Err(error) => return Err(error.into()),
        };
    }
    Ok(Attempt::Waits)
}
