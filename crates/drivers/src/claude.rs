//! Claude Code without its screen: a process that takes and gives lines of JSON, turn after turn.
//!
//! Only what the model itself says is decoded: not what tools print, not what its own helpers say to it, and not what
//! the program puts into the model's mouth when a request fails.

mod ask;
mod hear;
mod outcome;
mod plan;
mod read;
mod write;

use std::{collections::VecDeque, path::PathBuf};

use domain::Usage;

use crate::{
    driver::{Chunk, Driver, Happening, Reaction, Told, Untold},
    prompts::Prompts,
    turn::Turn,
};

use ask::Asked;
use outcome::Meter;
use plan::Plan;

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
    pub used_before: Usage,
    /// How its words are read.
    pub wire: protocol::Options,
}

/// Speaks with one process of Claude Code.
#[derive(Debug)]
pub struct Claude {
    directory: PathBuf,
    session: String,
    turn: Turn,
    prompts: Prompts<Asked>,
    meter: Meter,
    plan: Plan,
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
        let Options { directory, session, used_before, wire } = options;
        Self {
            directory,
            session,
            turn: Turn::new(wire),
            prompts: Prompts::new(),
            meter: Meter::new(used_before),
            plan: Plan::default(),
            tools: VecDeque::new(),
            n_open: 0,
            last_told: 0,
            is_streamed: false,
        }
    }
}

impl Driver for Claude {
    fn open(&mut self) -> Reaction {
        // The agent says nothing before it is told something; its id is the one that we gave it.
        Reaction::of([Happening::Ready { agent_session: Some(self.session.clone()) }])
    }

    fn hear(&mut self, chunk: Chunk<'_>) -> Reaction {
        let mut reaction = Reaction::default();
        for line in self.turn.cut(chunk) {
            reaction.append(match self.turn.sort(line) {
                Ok(message) => self.take(&message),
                Err(said) => Reaction::of(said),
            });
        }
        reaction
    }

    fn tell(&mut self, told: &Told, number: u32) -> Result<Reaction, Untold> {
        let send = match told {
            Told::Prompt { text } => {
                // The same input may be told again, and is one turn all the same.
                self.n_open += u32::from(number > self.last_told);
                self.last_told = self.last_told.max(number);
                write::prompt(text)
            }
            Told::Permission { prompt, allowed } => self.prompts.answer(prompt, number, |asked| {
                asked.permission(*allowed).map(|answer| write::answer(prompt, &answer))
            })?,
            Told::Answer { prompt, answer } => self.prompts.answer(prompt, number, |asked| {
                asked.answer(answer).map(|answer| write::answer(prompt, &answer))
            })?,
            Told::Interrupt => write::interrupt(number),
        };
        Ok(Reaction { happened: Vec::new(), send })
    }

    fn end(&mut self) -> Reaction {
        let mut reaction = Reaction::default();
        for line in self.turn.cut_last() {
            reaction.append(match self.turn.sort(line) {
                Ok(message) => self.take(&message),
                Err(said) => Reaction::of(said),
            });
        }
        if std::mem::take(&mut self.n_open) > 0 {
            self.prompts.clear();
            reaction.happened.extend(self.turn.break_off());
        }
        reaction
    }

    fn read_from(&self) -> u64 {
        self.turn.read_from()
    }
}
