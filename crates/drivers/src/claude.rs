//! The driver for Claude Code without its terminal interface, in its streaming JSON mode.
//!
//! Only text of the model is decoded for messages: not tool output, not text of subagents, and not the text that the
//! program writes for a failed request.

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

/// The number of tool calls whose titles are kept: results refer to calls by id.
const TOOLS_MAX: usize = 256;

/// The options of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaudeOptions {
    /// The working directory; everything below is the worktree.
    pub directory: PathBuf,
    /// The UUID of the session: a chosen one, or that of a resumed session.
    pub session: String,
    /// The usage that this process reported before the offset at which reading starts. The agent reports sums.
    pub usage_before: Usage,
    pub decoding: protocol::DecoderOptions,
}

/// The driver of one Claude Code process.
#[derive(Debug)]
pub struct ClaudeDriver {
    directory: PathBuf,
    session: String,
    turn: TurnReader,
    prompts: PendingPrompts<PendingPrompt>,
    meter: UsageMeter,
    plan: PlanTracker,
    /// The titles of this turn's tool calls, by their ids.
    tools: VecDeque<(String, String)>,
    /// The number of open turns: a prompt that is sent during a turn is queued.
    n_open: u32,
    /// The number of the last prompt that was sent.
    last_prompt: u32,
    /// Whether the next text block was already reported as it was streamed.
    is_streamed: bool,
}

impl ClaudeDriver {
    /// Returns the driver for a process that was started with these options.
    pub fn new(options: ClaudeOptions) -> Self {
        let ClaudeOptions { directory, session, usage_before, decoding } = options;
        Self {
            directory,
            session,
            turn: TurnReader::new(decoding),
            prompts: PendingPrompts::new(),
            meter: UsageMeter::new(usage_before),
            plan: PlanTracker::default(),
            tools: VecDeque::new(),
            n_open: 0,
            last_prompt: 0,
            is_streamed: false,
        }
    }
}

impl Driver for ClaudeDriver {
    fn on_start(&mut self) -> Reaction {
        // The agent writes nothing before its first input; it uses the given id.
        Reaction::from_events([DriverEvent::Ready { agent_session: Some(self.session.clone()) }])
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
        let outgoing = match input {
            AgentInput::Prompt { text } => {
                // An input that is sent again is still one turn.
                self.n_open += u32::from(number > self.last_prompt);
                self.last_prompt = self.last_prompt.max(number);
                input_lines::encode_prompt(text)
            }
            AgentInput::Permission { prompt, allowed, reason } => {
                self.prompts.record_answer(prompt, number, |asked| {
                    asked
                        .permission_answer(*allowed, reason.as_deref())
                        .map(|answer| input_lines::encode_answer(prompt, &answer))
                })?
            }
            AgentInput::Answer { prompt, answer } => self.prompts.record_answer(prompt, number, |asked| {
                asked.text_answer(answer).map(|answer| input_lines::encode_answer(prompt, &answer))
            })?,
            AgentInput::Interrupt => input_lines::encode_interrupt(number),
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
        if std::mem::take(&mut self.n_open) > 0 {
            self.prompts.clear();
            reaction.events.extend(self.turn.abort_turn());
        }
        reaction
    }

    fn resume_offset(&self) -> u64 {
        self.turn.resume_offset()
    }
}
