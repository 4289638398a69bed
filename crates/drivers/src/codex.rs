//! Codex without its screen: `codex app-server`, which speaks JSON-RPC, a line each.
//!
//! Only whole messages of the model's are decoded. A message that a lost connection or a new prompt cut off is said
//! again or given up by the model; its pieces are words for people and nothing else.

mod events;
mod messages;
mod prompts;
mod requests;
mod shell_command;
mod usage;

use std::{collections::VecDeque, path::PathBuf};

use crate::{
    driver::{AgentInput, Driver, DriverEvent, Reaction, SendError, SpoolChunk},
    pending_prompts::PendingPrompts,
    turn::TurnReader,
};

use prompts::PendingPrompt;
use usage::UsageMeter;

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
    pub decoding: protocol::DecoderOptions,
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
    turn: TurnReader,
    prompts: PendingPrompts<PendingPrompt>,
    meter: UsageMeter,
    thread: Option<String>,
    /// The turn that runs.
    turn_id: Option<String>,
    /// Whether a turn was told and has not ended.
    is_open: bool,
    /// The last tool calls, also those of its helpers.
    items: VecDeque<messages::Item>,
    /// The message whose words were told as they came.
    streamed: Option<String>,
}

impl Codex {
    /// Makes a driver for a process that was started with these options.
    pub fn new(options: Options) -> Self {
        Self {
            turn: TurnReader::new(options.decoding.clone()),
            prompts: PendingPrompts::new(),
            meter: UsageMeter::new(options.model.clone()),
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
    fn on_start(&mut self) -> Reaction {
        match &self.options.thread {
            Thread::Attached(thread) => {
                Reaction::from_events([DriverEvent::Ready { agent_session: Some(thread.clone()) }])
            }
            Thread::Fresh | Thread::Resume(_) => {
                Reaction { events: Vec::new(), outgoing: requests::open(&self.options) }
            }
        }
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
        let thread = self.thread.as_deref().ok_or(SendError::NotReady);
        let outgoing = match input {
            AgentInput::Prompt { text } => {
                let outgoing = requests::prompt(number, thread?, text);
                self.is_open = true;
                outgoing
            }
            AgentInput::Permission { prompt, allowed } => {
                self.prompts.answer(prompt, number, |asked| asked.permission(*allowed))?
            }
            AgentInput::Answer { prompt, answer } => {
                self.prompts.answer(prompt, number, |asked| asked.answer(answer))?
            }
            AgentInput::Interrupt => {
                let turn = self.turn_id.as_deref().ok_or(SendError::NotReady)?;
                requests::interrupt(number, thread?, turn)
            }
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
        if std::mem::take(&mut self.is_open) {
            self.prompts.clear();
            self.items.clear();
            self.turn_id = None;
            reaction.events.extend(self.turn.break_off());
        }
        reaction
    }

    fn read_from(&self) -> u64 {
        self.turn.read_from()
    }
}
