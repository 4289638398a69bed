//! Codex without its screen: `codex app-server`, which speaks JSON-RPC, a line each.
//!
//! Only whole messages of the model's are decoded. A message that a lost connection or a new prompt cut off is said
//! again or given up by the model; its pieces are words for people and nothing else.

mod ask;
mod command;
mod hear;
mod meter;
mod read;
mod write;

use std::{collections::VecDeque, path::PathBuf};

use crate::{
    driver::{Chunk, Driver, Happening, Reaction, Told, Untold},
    prompts::Prompts,
    turn::Turn,
};

use ask::Asked;
use meter::Meter;

/// As many tool calls are remembered: a permission prompt names one by its id.
const ITEMS_MAX: usize = 256;

/// How a session is led.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Where the agent works; what lies below it is its worktree.
    pub directory: PathBuf,
    /// Which thread it is, in the agent's own word for a session.
    pub thread: Thread,
    /// When the agent asks.
    pub approval: Approval,
    /// What its commands may do without asking.
    pub sandbox: Sandbox,
    /// Which model; the agent's own choice where nothing is said.
    pub model: Option<String>,
    /// How its words are read.
    pub wire: protocol::Options,
}

/// How the thread begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Thread {
    /// As a new one.
    Fresh,
    /// In a new process, as the one that the agent knows under this id.
    Resume(String),
    /// With a process that has it already.
    Attached(String),
}

/// When the agent asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// Before everything that is not known to be harmless.
    Untrusted,
    /// Before what its sandbox does not let it do.
    OnRequest,
    /// Never: what the sandbox does not let it do fails.
    Never,
}

/// What the agent's commands may do without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sandbox {
    /// Read. Rules of ours need this one: every edit is then asked, and we answer.
    ReadOnly,
    /// Write below the working directory. The agent marks the directory as trusted in its own settings.
    WorkspaceWrite,
    /// Anything.
    None,
}

/// Speaks with one process of Codex.
#[derive(Debug)]
pub struct Codex {
    options: Options,
    turn: Turn,
    prompts: Prompts<Asked>,
    meter: Meter,
    thread: Option<String>,
    /// The turn that runs.
    turn_id: Option<String>,
    /// Whether a turn was told and has not ended.
    is_open: bool,
    /// The last tool calls, also those of its helpers.
    items: VecDeque<read::Item>,
    /// The message whose words were told as they came.
    streamed: Option<String>,
}

impl Codex {
    /// Makes a driver for a process that was started with these options.
    pub fn new(options: Options) -> Self {
        Self {
            turn: Turn::new(options.wire.clone()),
            prompts: Prompts::new(),
            meter: Meter::new(options.model.clone()),
            thread: match &options.thread {
                Thread::Fresh => None,
                Thread::Resume(thread) | Thread::Attached(thread) => Some(thread.clone()),
            },
            turn_id: None,
            is_open: false,
            items: VecDeque::new(),
            streamed: None,
            options,
        }
    }
}

impl Driver for Codex {
    fn open(&mut self) -> Reaction {
        match &self.options.thread {
            Thread::Attached(thread) => {
                Reaction::of([Happening::Ready { agent_session: Some(thread.clone()) }])
            }
            Thread::Fresh | Thread::Resume(_) => {
                Reaction { happened: Vec::new(), send: write::open(&self.options) }
            }
        }
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
        let thread = self.thread.as_deref().ok_or(Untold::NotReady);
        let send = match told {
            Told::Prompt { text } => {
                let send = write::prompt(number, thread?, text);
                self.is_open = true;
                send
            }
            Told::Permission { prompt, allowed } => {
                self.prompts.answer(prompt, number, |asked| asked.permission(*allowed))?
            }
            Told::Answer { prompt, answer } => {
                self.prompts.answer(prompt, number, |asked| asked.answer(answer))?
            }
            Told::Interrupt => {
                let turn = self.turn_id.as_deref().ok_or(Untold::NotReady)?;
                write::interrupt(number, thread?, turn)
            }
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
        if std::mem::take(&mut self.is_open) {
            self.prompts.clear();
            self.items.clear();
            self.turn_id = None;
            reaction.happened.extend(self.turn.break_off());
        }
        reaction
    }

    fn read_from(&self) -> u64 {
        self.turn.read_from()
    }
}
