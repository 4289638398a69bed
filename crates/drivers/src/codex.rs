//! The driver for Codex without its terminal interface: `codex app-server`, which uses JSON-RPC lines.
//!
//! Only complete messages of the model are decoded. The model repeats or drops a message that a lost connection or a new
//! prompt interrupted; streamed pieces are only shown to people.

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

/// The number of tool calls that are kept: permission prompts refer to calls by id.
const ITEMS_MAX: usize = 256;

/// The options of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodexOptions {
    /// The working directory; everything below is the worktree.
    pub directory: PathBuf,
    /// The thread, which is Codex's word for a session.
    pub thread: ThreadStart,
    pub approval: ApprovalPolicy,
    pub sandbox: CodexSandboxMode,
    /// `None` for the default of the agent.
    pub model: Option<String>,
    pub decoding: protocol::DecoderOptions,
}

/// The way in which the thread starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ThreadStart {
    /// A new thread.
    Fresh,
    /// The thread with this id, in a new process.
    Resume(String),
    /// The thread with this id, in a running process.
    Attached(String),
}

/// When the agent asks for permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalPolicy {
    /// Before everything except known harmless commands.
    Untrusted,
    /// Before actions that its sandbox denies.
    OnRequest,
    /// Never: actions that the sandbox denies fail.
    Never,
}

/// What commands of the agent may do without permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodexSandboxMode {
    /// Reading: the agent asks for every edit.
    ReadOnly,
    /// Writing below the working directory.
    WorkspaceWrite,
    /// Everything; for an agent in a sandbox of Jangdan, in which its own cannot be set up.
    None,
}

/// The driver of one Codex process.
#[derive(Debug)]
pub struct CodexDriver {
    options: CodexOptions,
    turn: TurnReader,
    prompts: PendingPrompts<PendingPrompt>,
    meter: UsageMeter,
    thread: Option<String>,
    /// The id of the running turn.
    turn_id: Option<String>,
    /// Whether a prompt was sent whose turn has not ended.
    is_open: bool,
    /// The last tool calls, including those of subagents.
    items: VecDeque<messages::ThreadItem>,
    /// The message whose text was reported as it was streamed.
    streamed: Option<String>,
}

impl CodexDriver {
    /// Returns the driver for a process that was started with these options.
    pub fn new(options: CodexOptions) -> Self {
        Self {
            turn: TurnReader::new(options.decoding.clone()),
            prompts: PendingPrompts::new(),
            meter: UsageMeter::new(options.model.clone()),
            thread: match &options.thread {
                ThreadStart::Fresh => None,
                ThreadStart::Resume(thread) | ThreadStart::Attached(thread) => Some(thread.clone()),
            },
            turn_id: None,
            is_open: false,
            items: VecDeque::new(),
            streamed: None,
            options,
        }
    }
}

impl Driver for CodexDriver {
    fn on_start(&mut self) -> Reaction {
        match &self.options.thread {
            ThreadStart::Attached(thread) => {
                Reaction::from_events([DriverEvent::Ready { agent_session: Some(thread.clone()) }])
            }
            ThreadStart::Fresh | ThreadStart::Resume(_) => {
                Reaction { events: Vec::new(), outgoing: requests::encode_open_thread(&self.options) }
            }
        }
    }

    fn on_output(&mut self, chunk: SpoolChunk<'_>) -> Reaction {
        let mut reaction = Reaction::default();
        for line in self.turn.split_lines(chunk) {
            reaction.append(match self.turn.classify_line(line) {
                Ok(message) => self.handle_line(&message),
                Err(events) => Reaction::from_events(events),
            });
        }
        reaction
    }

    fn encode_input(&mut self, input: &AgentInput, number: u32) -> Result<Reaction, SendError> {
        let thread = self.thread.as_deref().ok_or(SendError::NotReady);
        let outgoing = match input {
            AgentInput::Prompt { text } => {
                let outgoing = requests::encode_prompt(&self.options, number, thread?, text);
                self.is_open = true;
                outgoing
            }
            AgentInput::Permission { prompt, allowed, reason } => {
                let answer =
                    self.prompts.record_answer(prompt, number, |asked| asked.permission_answer(*allowed))?;
                // A decision has no field for a reason, so the reason is added to the turn, which continues.
                let reason = reason.as_ref().zip(self.turn_id.as_ref()).zip(thread.ok());
                let reason = reason
                    .map(|((reason, turn), thread)| requests::encode_steer(number, thread, turn, reason));
                answer.into_iter().chain(reason.unwrap_or_default()).collect()
            }
            AgentInput::Answer { prompt, answer } => {
                self.prompts.record_answer(prompt, number, |asked| asked.text_answer(answer))?
            }
            AgentInput::Interrupt => {
                let turn = self.turn_id.as_deref().ok_or(SendError::NotReady)?;
                requests::encode_interrupt(number, thread?, turn)
            }
        };
        Ok(Reaction { events: Vec::new(), outgoing })
    }

    fn on_exit(&mut self) -> Reaction {
        let mut reaction = Reaction::default();
        for line in self.turn.take_rest() {
            reaction.append(match self.turn.classify_line(line) {
                Ok(message) => self.handle_line(&message),
                Err(events) => Reaction::from_events(events),
            });
        }
        if std::mem::take(&mut self.is_open) {
            self.prompts.clear();
            self.items.clear();
            self.turn_id = None;
            reaction.events.extend(self.turn.abort_turn());
        }
        reaction
    }

    fn resume_offset(&self) -> u64 {
        self.turn.resume_offset()
    }
}
