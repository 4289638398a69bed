//! The driver for any program on a terminal: types prompts, and treats silence as the end of a turn.
//!
//! Tool output cannot be distinguished from the program's own text, so messages must carry the key. A prompt is never
//! typed twice: if it was not accepted, only the submit key is pressed again.

mod terminal_reader;
mod typing_options;

pub use typing_options::TypingOptions;

use domain::TurnTools;

use crate::driver::{
    AgentInput, AgentWarning, Driver, DriverEvent, OutgoingBytes, OutputStream, Reaction, SendError,
    SpoolChunk, TurnOutcome,
};
use terminal_reader::TerminalReader;

/// Attempts to submit a prompt before it counts as not accepted.
const SUBMITS_MAX: u32 = 3;
/// Time allowed for a program to show that it accepted a prompt.
const VERIFY_MS: u64 = 1000;

/// The options of a terminal session.
#[derive(Debug, Clone)]
pub struct PtyOptions {
    pub decoding: protocol::DecoderOptions,
    pub mode: PtyMode,
    pub typing: TypingOptions,
    /// The silence that ends a turn.
    pub quiet_ms: u64,
    /// The id that the program was started with, if it has sessions.
    pub agent_session: Option<String>,
    /// The output offset at which reading starts; 0 for a new process.
    pub read_from: u64,
    /// `Some` if an earlier driver left a turn open; whether there was text in it.
    pub open_turn: Option<bool>,
}

/// The way in which a program uses its terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PtyMode {
    /// Line by line.
    Lines,
    /// Redrawing the whole screen.
    Screen,
}

/// The driver of one program on a terminal.
#[derive(Debug)]
pub struct PtyDriver {
    options: PtyOptions,
    reader: TerminalReader,
    is_ready: bool,
    turn: TurnState,
}

#[derive(Debug)]
enum TurnState {
    /// No prompt was sent.
    Closed,
    /// A prompt was typed, and is not known to be accepted.
    Typed { text: String, n_submits: u32, has_output: bool },
    /// The program works on a prompt.
    Open,
}

impl PtyDriver {
    /// Returns the driver for one process.
    pub fn new(options: PtyOptions) -> Self {
        let is_again = options.read_from > 0;
        Self {
            reader: TerminalReader::new(&options),
            // A full-screen program accepts input only after its first paint.
            is_ready: is_again || options.mode == PtyMode::Lines,
            turn: if options.open_turn.is_some() { TurnState::Open } else { TurnState::Closed },
            options,
        }
    }

    fn ready_event(&self) -> DriverEvent {
        DriverEvent::Ready { agent_session: self.options.agent_session.clone() }
    }

    fn end_turn(&mut self, outcome: TurnOutcome) -> Reaction {
        self.turn = TurnState::Closed;
        let (mut events, text) = self.reader.end_turn();
        let read_from = self.reader.resume_offset();
        // Tool calls cannot be recognized on a terminal.
        events.push(DriverEvent::TurnEnded { read_from, text, tools: TurnTools::default(), outcome });
        Reaction { events, outgoing: Vec::new() }
    }

    /// Checks whether the typed prompt was accepted; otherwise presses the submit key again.
    fn verify_submission(&mut self) -> Option<Reaction> {
        let TurnState::Typed { text, n_submits, has_output } = &mut self.turn else { return None };
        let typing = &self.options.typing;
        let is_taken = match self.options.mode {
            PtyMode::Screen => !typing.is_in_input_box(text, &self.reader.screen_rows()),
            PtyMode::Lines => *has_output,
        };
        if is_taken || !typing.verify {
            self.turn = TurnState::Open;
            return None;
        }
        if *n_submits < SUBMITS_MAX {
            *n_submits += 1;
            return Some(Reaction { outgoing: vec![typing.submit_key()], ..Reaction::default() });
        }
        let message = "the prompt was typed, and the program did not take it".to_owned();
        Some(self.end_turn(TurnOutcome::Failed { message }))
    }
}

impl Driver for PtyDriver {
    fn on_start(&mut self) -> Reaction {
        Reaction::from_events(self.is_ready.then(|| self.ready_event()))
    }

    fn on_output(&mut self, chunk: SpoolChunk<'_>) -> Reaction {
        if chunk.stream == OutputStream::Stderr {
            let text = String::from_utf8_lossy(chunk.bytes).into_owned();
            let trouble = DriverEvent::Warning(AgentWarning::UnknownOutput { text });
            return Reaction { events: vec![trouble], outgoing: Vec::new() };
        }
        if let TurnState::Typed { has_output, .. } = &mut self.turn {
            *has_output = true;
        }
        Reaction { events: self.reader.push(chunk.bytes, chunk.offset), outgoing: Vec::new() }
    }

    fn encode_input(&mut self, input: &AgentInput, _number: u32) -> Result<Reaction, SendError> {
        let outgoing = match input {
            AgentInput::Prompt { text } => {
                if !self.is_ready {
                    return Err(SendError::NotReady);
                }
                let text = self.options.typing.typed_text(text, self.options.mode)?;
                self.reader.expect_echo(&text);
                let outgoing = self.options.typing.keystrokes(&text);
                self.turn = TurnState::Typed { text, n_submits: 1, has_output: false };
                outgoing
            }
            AgentInput::Interrupt => {
                vec![OutgoingBytes { after_ms: 0, bytes: self.options.typing.interrupt.clone().into_bytes() }]
            }
            // A terminal has no prompts with ids: people answer what they see on its screen.
            AgentInput::Permission { prompt, .. } | AgentInput::Answer { prompt, .. } => {
                return Err(SendError::UnknownPrompt { prompt: prompt.clone() });
            }
        };
        Ok(Reaction { events: Vec::new(), outgoing })
    }

    fn on_silence(&mut self, silent_ms: u64) -> Reaction {
        if self.silence_timeout_ms().is_none_or(|silence_timeout_ms| silent_ms < silence_timeout_ms) {
            return Reaction::default();
        }
        if !self.is_ready {
            self.is_ready = true;
            return Reaction::from_events([self.ready_event()]);
        }
        if let Some(reaction) = self.verify_submission() {
            return reaction;
        }
        // Silence before the first output means work, not the end of the turn.
        if self.reader.has_written_text() && !self.reader.prevents_turn_end() {
            return self.end_turn(TurnOutcome::Finished);
        }
        Reaction::default()
    }

    fn on_replayed_turn_end(&mut self) -> Reaction {
        self.is_ready = true;
        self.end_turn(TurnOutcome::Finished)
    }

    fn silence_timeout_ms(&self) -> Option<u64> {
        let quiet_ms = self.options.quiet_ms;
        match &self.turn {
            TurnState::Typed { .. } if self.options.typing.verify => {
                Some(quiet_ms.max(self.options.typing.submit_after_ms + VERIFY_MS))
            }
            // Output of a full-screen program without a prompt is not a turn.
            TurnState::Closed if self.is_ready && self.options.mode == PtyMode::Screen => None,
            TurnState::Typed { .. } | TurnState::Open | TurnState::Closed => {
                (self.reader.has_written_text() && !self.reader.prevents_turn_end()).then_some(quiet_ms)
            }
        }
    }

    fn on_exit(&mut self) -> Reaction {
        let is_open = match self.turn {
            TurnState::Closed => self.reader.has_written_text(),
            TurnState::Typed { .. } | TurnState::Open => true,
        };
        if is_open { self.end_turn(TurnOutcome::Finished) } else { Reaction::default() }
    }

    fn resume_offset(&self) -> u64 {
        self.reader.resume_offset()
    }
}
