//! Claude Code without its screen: a process that takes and gives lines of JSON, turn after turn.
//!
//! Only what the model itself says is decoded: not what tools print, not what its own helpers say to it, and not what
//! the program puts into the model's mouth when a request fails.

mod events;
mod input_lines;
mod output_lines;
mod plan;
mod prompts;
mod turn_outcome;

use std::{collections::VecDeque, path::PathBuf};

use domain::Usage;

use crate::{
    driver::{AgentInput, Driver, DriverEvent, Reaction, SendError, SpoolChunk},
    pending_prompts::PendingPrompts,
    turn::TurnReader,
};

use plan::PlanTracker;
use prompts::PendingPrompt;
use turn_outcome::UsageMeter;

/// As many of a turn's tool calls are remembered: their results name them by their ids.
const TOOLS_MAX: usize = 256;

/// How a session is led.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Where the agent works; what lies below it is its worktree.
    pub directory: PathBuf,
    /// The id of the session, a UUID: one that we chose, or that of a session which comes back.
    pub session: String,
    /// What this process was reported to have used before the place from which it is read; nothing for a new one.
    ///
    /// The agent tells sums, and a driver that starts again in the middle must know where they stood.
    pub usage_before: Usage,
    /// How its words are read.
    pub decoding: protocol::DecoderOptions,
}

/// Speaks with one process of Claude Code.
#[derive(Debug)]
pub struct Claude {
    directory: PathBuf,
    session: String,
    turn: TurnReader,
    prompts: PendingPrompts<PendingPrompt>,
    meter: UsageMeter,
    plan: PlanTracker,
    /// The titles of this turn's tool calls, by their ids.
    tools: VecDeque<(String, String)>,
    /// How many turns are open: one that is told while another runs waits for its end.
    n_open: u32,
    /// The number of the last prompt that was told.
    last_told: u32,
    /// Whether the words of the next paragraph were told as they came.
    is_streamed: bool,
}

impl Claude {
    /// Makes a driver for a process that was started with these options.
    pub fn new(options: Options) -> Self {
        let Options { directory, session, usage_before, decoding } = options;
        Self {
            directory,
            session,
            turn: TurnReader::new(decoding),
            prompts: PendingPrompts::new(),
            meter: UsageMeter::new(usage_before),
            plan: PlanTracker::default(),
            tools: VecDeque::new(),
            n_open: 0,
            last_told: 0,
            is_streamed: false,
        }
    }
}

impl Driver for Claude {
    fn on_start(&mut self) -> Reaction {
        // The agent says nothing before it is told something; its id is the one that we gave it.
        Reaction::from_events([DriverEvent::Ready { agent_session: Some(self.session.clone()) }])
    }

    fn on_output(&mut self, chunk: SpoolChunk<'_>) -> Reaction {
        let mut reaction = Reaction::default();
        for line in self.turn.split(chunk) {
            reaction.append(match self.turn.classify(line) {
                Ok(message) => self.take(&message),
                Err(said) => Reaction::from_events(said),
            });
        }
        reaction
    }

    fn encode_input(&mut self, input: &AgentInput, number: u32) -> Result<Reaction, SendError> {
        let outgoing = match input {
            AgentInput::Prompt { text } => {
                // The same input may be told again, and is one turn all the same.
                self.n_open += u32::from(number > self.last_told);
                self.last_told = self.last_told.max(number);
                input_lines::prompt(text)
            }
            AgentInput::Permission { prompt, allowed } => self.prompts.answer(prompt, number, |asked| {
                asked.permission(*allowed).map(|answer| input_lines::answer(prompt, &answer))
            })?,
            AgentInput::Answer { prompt, answer } => self.prompts.answer(prompt, number, |asked| {
                asked.answer(answer).map(|answer| input_lines::answer(prompt, &answer))
            })?,
            AgentInput::Interrupt => input_lines::interrupt(number),
        };
        Ok(Reaction { events: Vec::new(), outgoing })
    }

    fn on_exit(&mut self) -> Reaction {
        let mut reaction = Reaction::default();
        for line in self.turn.split_rest() {
            reaction.append(match self.turn.classify(line) {
                Ok(message) => self.take(&message),
                Err(said) => Reaction::from_events(said),
            });
        }
        if std::mem::take(&mut self.n_open) > 0 {
            self.prompts.clear();
            reaction.events.extend(self.turn.break_off());
        }
        reaction
    }

    fn read_from(&self) -> u64 {
        self.turn.read_from()
    }
}
