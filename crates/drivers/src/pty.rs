//! The driver for any program on a terminal: types words, and takes silence for the end of a turn.
//!
//! What its tools print can't be told from its own words, so a message counts by its key. Never types words twice:
//! where they were not taken, only the key that sends them is pressed again.

mod terminal_reader;
mod typing_options;

pub use typing_options::TypingOptions;

use domain::TurnTools;

use crate::driver::{
    AgentInput, AgentWarning, Driver, DriverEvent, OutgoingBytes, OutputStream, Reaction, SendError,
    SpoolChunk, TurnOutcome,
};
use terminal_reader::TerminalReader;

/// So often the key is pressed before a prompt counts as not taken.
const SUBMITS_MAX: u32 = 3;
/// As long a program may take to show that it took something.
const VERIFY_MS: u64 = 1000;

/// What a terminal session is.
#[derive(Debug, Clone)]
pub struct PtyOptions {
    /// How its words are read.
    pub decoding: protocol::DecoderOptions,
    /// How it writes.
    pub mode: PtyMode,
    /// How it is typed to.
    pub typing: TypingOptions,
    /// How long it is silent when its turn is over.
    pub quiet_ms: u64,
    /// The id under which the program keeps its session, where it has one that was given to it.
    pub agent_session: Option<String>,
    /// From where its output is read: 0, or where an earlier driver says.
    pub read_from: u64,
    /// Whether it had said something in a turn that an earlier driver opened, and that had not ended.
    pub open_turn: Option<bool>,
}

/// How a program writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PtyMode {
    /// Line by line.
    Lines,
    /// On the whole screen, again and again.
    Screen,
}

/// Speaks with one program on a terminal.
#[derive(Debug)]
pub struct Pty {
    options: PtyOptions,
    reader: TerminalReader,
    is_ready: bool,
    turn: Turn,
}

#[derive(Debug)]
enum Turn {
    /// Nothing was told.
    Closed,
    /// Words were typed, and nothing shows yet that they were taken.
    Typed { words: String, n_submits: u32, has_heard: bool },
    /// The program works.
    Open,
}

impl Pty {
    /// Makes a driver for one process.
    pub fn new(options: PtyOptions) -> Self {
        let is_again = options.read_from > 0;
        Self {
            reader: TerminalReader::new(&options),
            // Of a program on a screen nobody knows when it reads before it has drawn itself.
            is_ready: is_again || options.mode == PtyMode::Lines,
            turn: if options.open_turn.is_some() { Turn::Open } else { Turn::Closed },
            options,
        }
    }

    fn ready(&self) -> DriverEvent {
        DriverEvent::Ready { agent_session: self.options.agent_session.clone() }
    }

    fn end_turn(&mut self, outcome: TurnOutcome) -> Reaction {
        self.turn = Turn::Closed;
        let (mut events, text) = self.reader.end_turn();
        let read_from = self.reader.read_from();
        // On a terminal nothing tells a tool from words.
        events.push(DriverEvent::TurnEnded { read_from, text, tools: TurnTools::default(), outcome });
        Reaction { events, outgoing: Vec::new() }
    }

    /// Looks whether typed words were taken; presses the key again where they were not.
    fn verify(&mut self) -> Option<Reaction> {
        let Turn::Typed { words, n_submits, has_heard } = &mut self.turn else { return None };
        let typing = &self.options.typing;
        let is_taken = match self.options.mode {
            PtyMode::Screen => !typing.stands_in_box(words, &self.reader.rows()),
            PtyMode::Lines => *has_heard,
        };
        if is_taken || !typing.verify {
            self.turn = Turn::Open;
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

impl Driver for Pty {
    fn on_start(&mut self) -> Reaction {
        Reaction::from_events(self.is_ready.then(|| self.ready()))
    }

    fn on_output(&mut self, chunk: SpoolChunk<'_>) -> Reaction {
        if chunk.stream == OutputStream::Stderr {
            let text = String::from_utf8_lossy(chunk.bytes).into_owned();
            let trouble = DriverEvent::Warning(AgentWarning::UnknownOutput { text });
            return Reaction { events: vec![trouble], outgoing: Vec::new() };
        }
        if let Turn::Typed { has_heard, .. } = &mut self.turn {
            *has_heard = true;
        }
        Reaction { events: self.reader.push(chunk.bytes, chunk.offset), outgoing: Vec::new() }
    }

    fn encode_input(&mut self, input: &AgentInput, _number: u32) -> Result<Reaction, SendError> {
        let outgoing = match input {
            AgentInput::Prompt { text } => {
                if !self.is_ready {
                    return Err(SendError::NotReady);
                }
                let words = self.options.typing.words(text, self.options.mode)?;
                self.reader.expect_echo(&words);
                let outgoing = self.options.typing.keys(&words);
                self.turn = Turn::Typed { words, n_submits: 1, has_heard: false };
                outgoing
            }
            AgentInput::Interrupt => {
                vec![OutgoingBytes { after_ms: 0, bytes: self.options.typing.interrupt.clone().into_bytes() }]
            }
            // A terminal has no prompts with ids: what stands on its screen is answered by who looks at it.
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
            return Reaction::from_events([self.ready()]);
        }
        if let Some(reaction) = self.verify() {
            return reaction;
        }
        // Silence before the first word is work, not the end of it.
        if self.reader.has_spoken() && !self.reader.holds_turn() {
            return self.end_turn(TurnOutcome::Finished);
        }
        Reaction::default()
    }

    fn on_recorded_turn_end(&mut self) -> Reaction {
        self.is_ready = true;
        self.end_turn(TurnOutcome::Finished)
    }

    fn silence_timeout_ms(&self) -> Option<u64> {
        let quiet_ms = self.options.quiet_ms;
        match &self.turn {
            Turn::Typed { .. } if self.options.typing.verify => {
                Some(quiet_ms.max(self.options.typing.submit_after_ms + VERIFY_MS))
            }
            // What a screen paints without being told something is no turn.
            Turn::Closed if self.is_ready && self.options.mode == PtyMode::Screen => None,
            Turn::Typed { .. } | Turn::Open | Turn::Closed => {
                (self.reader.has_spoken() && !self.reader.holds_turn()).then_some(quiet_ms)
            }
        }
    }

    fn on_exit(&mut self) -> Reaction {
        let is_open = match self.turn {
            Turn::Closed => self.reader.has_spoken(),
            Turn::Typed { .. } | Turn::Open => true,
        };
        if is_open { self.end_turn(TurnOutcome::Finished) } else { Reaction::default() }
    }

    fn read_from(&self) -> u64 {
        self.reader.read_from()
    }
}
