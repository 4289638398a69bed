//! The driver for agents that speak the Agent Client Protocol: JSON-RPC lines over standard input and output.
//!
//! Only the agent's own text is decoded for messages, never the output of its tools. A turn ends with the response to
//! its prompt, so reading again from the start of a turn gives the same events.

mod agent_text;
mod elicitation;
mod failure;
mod permission;
mod request_params;
mod rpc;
mod schema;
mod session;
mod stderr;
mod tools;
mod usage;

use std::{collections::BTreeMap, path::PathBuf};

use serde_json::value::RawValue;

pub use request_params::{EnvironmentVariable, McpServer};

use crate::{
    driver::{
        AgentInput, Driver, DriverEvent, OutgoingBytes, OutputStream, PromptOption, Reaction, SendError,
        SpoolChunk, TurnOutcome,
    },
    lines::LineSplitter,
};
use agent_text::{AgentTextReader, TurnEnding};
use elicitation::{ElicitationForm, ElicitationReply};
use request_params::{Cancel, PermissionReply, Prompt};
use rpc::RequestKind;
use stderr::StderrReader;
use tools::ToolCalls;
use usage::UsageMeter;

const PROTOCOL_VERSION: u16 = 1;
/// A replay is written without pauses; this much silence ends it.
const REPLAY_SILENCE_MS: u64 = 1000;
/// More open prompts than this are refused.
const OPEN_PROMPTS_MAX: usize = 64;

/// The options of an ACP session.
#[derive(Debug, Clone)]
pub struct AcpOptions {
    /// The absolute path of the folder in which the agent works.
    pub cwd: PathBuf,
    pub start: AcpStart,
    pub decoding: protocol::DecoderOptions,
    /// Programs that serve tools to it.
    pub mcp_servers: Vec<McpServer>,
}

/// The way in which a session starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AcpStart {
    /// A new session.
    Fresh,
    /// An earlier session, in a new process.
    Resume {
        /// The agent's own id of the session.
        agent_session: String,
    },
    /// A session in a running process.
    Attached {
        /// The agent's own id of the session.
        agent_session: String,
        /// The output offset at which reading starts.
        read_from: u64,
        /// The costs that this process has reported so far, in millionths of a US dollar: agents report sums.
        cost_micros: u64,
    },
}

/// The driver of one ACP agent process.
#[derive(Debug)]
pub struct AcpDriver {
    options: AcpOptions,
    stage: SessionStage,
    lines: LineSplitter,
    stderr: StderrReader,
    agent_text: AgentTextReader,
    tools: ToolCalls,
    meter: UsageMeter,
    /// Requests of the agent without an answer, by their ids.
    open: BTreeMap<String, PendingRequest>,
    /// The offset of the turn's first byte.
    turn: u64,
    /// The offset after the last line.
    read_to: u64,
    /// Whether a turn is open.
    is_busy: bool,
    /// What the agent must be told about denied permissions, with the input that denied each. A reply has no field
    /// for it, so it precedes the next prompt.
    denials: Vec<(u32, String)>,
    /// The number of the last prompt that was sent.
    last_prompt: u32,
}

/// The progress of opening the session.
#[derive(Debug)]
enum SessionStage {
    /// The response to `initialize` is pending.
    Opening,
    /// The response to the request for a session is pending.
    Joining,
    /// The session is loaded and its history may still be replayed: Gemini starts the replay after the response.
    Replaying {
        agent_session: String,
    },
    Ready {
        agent_session: String,
    },
    Failed,
}

/// A request of the agent that has no answer yet.
#[derive(Debug)]
struct PendingRequest {
    id: Box<RawValue>,
    what: PendingRequestKind,
}

#[derive(Debug)]
enum PendingRequestKind {
    Permission(Vec<PromptOption>),
    Elicitation(ElicitationForm),
}

impl AcpDriver {
    /// Returns the driver for one process.
    pub fn new(options: AcpOptions) -> Self {
        let (stage, turn, cost_micros) = match &options.start {
            AcpStart::Fresh | AcpStart::Resume { .. } => (SessionStage::Opening, 0, 0),
            AcpStart::Attached { agent_session, read_from, cost_micros } => {
                (SessionStage::Ready { agent_session: agent_session.clone() }, *read_from, *cost_micros)
            }
        };
        Self {
            agent_text: AgentTextReader::new(options.decoding.clone()),
            meter: UsageMeter::new(cost_micros),
            options,
            stage,
            lines: LineSplitter::default(),
            stderr: StderrReader::default(),
            tools: ToolCalls::default(),
            open: BTreeMap::new(),
            turn,
            read_to: turn,
            is_busy: false,
            denials: Vec::new(),
            last_prompt: 0,
        }
    }

    fn end_turn(&mut self, outcome: TurnOutcome, end: u64, reaction: &mut Reaction) {
        let ending = match outcome {
            TurnOutcome::Finished => TurnEnding::Complete,
            TurnOutcome::Cancelled
            | TurnOutcome::Limited { .. }
            | TurnOutcome::Unauthorized { .. }
            | TurnOutcome::NotResumable { .. }
            | TurnOutcome::Failed { .. } => TurnEnding::Stopped,
        };
        let (messages, text, tools) = self.agent_text.end_turn(self.turn, ending);
        reaction.events.extend(messages);
        reaction.events.extend(self.meter.take_usage(!tools.is_empty()).map(DriverEvent::Usage));
        self.tools.clear();
        self.stderr.clear();
        self.open.clear();
        self.turn = end;
        self.is_busy = false;
        self.denials.retain(|(denied_by, _)| *denied_by > self.last_prompt);
        reaction.events.push(DriverEvent::TurnEnded { read_from: end, text, tools, outcome });
    }

    fn take_pending_request(
        &mut self,
        prompt: &str,
        fits: impl Fn(&PendingRequestKind) -> bool,
    ) -> Result<PendingRequest, SendError> {
        let waits = self.open.get(prompt).is_some_and(|open| fits(&open.what));
        let open = if waits { self.open.remove(prompt) } else { None };
        open.ok_or_else(|| SendError::UnknownPrompt { prompt: prompt.to_owned() })
    }

    /// Answers all pending requests with a cancellation, as the protocol requires for a cancelled turn.
    fn cancel_pending_requests(&mut self) -> Vec<OutgoingBytes> {
        let open = std::mem::take(&mut self.open).into_values();
        open.map(|PendingRequest { id, what }| match what {
            PendingRequestKind::Permission(_) => rpc::encode_response(&id, PermissionReply::new(None)),
            PendingRequestKind::Elicitation(_) => rpc::encode_response(&id, ElicitationReply::cancelled()),
        })
        .map(outgoing_without_delay)
        .collect()
    }
}

impl Driver for AcpDriver {
    fn on_start(&mut self) -> Reaction {
        match &self.options.start {
            AcpStart::Attached { agent_session, .. } => {
                Reaction::from_events([DriverEvent::Ready { agent_session: Some(agent_session.clone()) }])
            }
            AcpStart::Fresh | AcpStart::Resume { .. } => {
                let bytes = rpc::encode_request(RequestKind::Initialize, request_params::Initialize::new());
                Reaction { outgoing: vec![outgoing_without_delay(bytes)], ..Reaction::default() }
            }
        }
    }

    fn on_output(&mut self, chunk: SpoolChunk<'_>) -> Reaction {
        let mut reaction = Reaction::default();
        match chunk.stream {
            OutputStream::Output => {
                for line in self.lines.push(chunk) {
                    self.read_to = line.end;
                    self.handle_line(&line, &mut reaction);
                }
            }
            OutputStream::Stderr => self.stderr.push(chunk.bytes),
        }
        reaction
    }

    fn encode_input(&mut self, input: &AgentInput, number: u32) -> Result<Reaction, SendError> {
        let SessionStage::Ready { agent_session } = &self.stage else { return Err(SendError::NotReady) };
        let outgoing = match input {
            AgentInput::Prompt { text } => {
                self.is_busy = true;
                self.last_prompt = self.last_prompt.max(number);
                // A prompt that is sent again has the same text: later denials belong to the next one.
                let denials = self.denials.iter().filter(|(denied_by, _)| *denied_by < number);
                let denials: String = denials.map(|(_, denial)| format!("{denial}\n\n")).collect();
                let text = format!("{denials}{text}");
                let prompt = Prompt::new(agent_session, &text);
                vec![outgoing_without_delay(rpc::encode_request(RequestKind::Prompt(number), prompt))]
            }
            AgentInput::Permission { prompt, allowed, reason } => {
                let open = self
                    .take_pending_request(prompt, |what| matches!(what, PendingRequestKind::Permission(_)))?;
                let PendingRequestKind::Permission(options) = open.what else {
                    return Ok(Reaction::default());
                };
                let option = permission::choose_option(&options, *allowed);
                self.denials.extend(reason.as_ref().map(|reason| (number, reason.clone())));
                vec![outgoing_without_delay(rpc::encode_response(&open.id, PermissionReply::new(option)))]
            }
            AgentInput::Answer { prompt, answer } => {
                let open = self.take_pending_request(prompt, |what| {
                    matches!(what, PendingRequestKind::Elicitation(_))
                })?;
                let PendingRequestKind::Elicitation(form) = open.what else { return Ok(Reaction::default()) };
                vec![outgoing_without_delay(rpc::encode_response(&open.id, form.reply_for_answer(answer)))]
            }
            AgentInput::Interrupt => {
                let cancel = rpc::encode_notification("session/cancel", Cancel { session_id: agent_session });
                let mut outgoing = vec![outgoing_without_delay(cancel)];
                outgoing.extend(self.cancel_pending_requests());
                outgoing
            }
        };
        Ok(Reaction { outgoing, ..Reaction::default() })
    }

    fn on_silence(&mut self, silent_ms: u64) -> Reaction {
        let mut reaction = Reaction::default();
        if let SessionStage::Replaying { agent_session } = &self.stage
            && silent_ms >= REPLAY_SILENCE_MS
        {
            self.mark_ready(agent_session.clone(), self.read_to, &mut reaction);
        }
        reaction
    }

    fn silence_timeout_ms(&self) -> Option<u64> {
        match self.stage {
            SessionStage::Replaying { .. } => Some(REPLAY_SILENCE_MS),
            SessionStage::Opening
            | SessionStage::Joining
            | SessionStage::Ready { .. }
            | SessionStage::Failed => None,
        }
    }

    fn on_exit(&mut self) -> Reaction {
        let mut reaction = Reaction::default();
        let is_open = match self.stage {
            SessionStage::Opening | SessionStage::Joining | SessionStage::Replaying { .. } => true,
            SessionStage::Ready { .. } => self.is_busy,
            SessionStage::Failed => false,
        };
        if is_open {
            let message =
                self.stderr.last_line().unwrap_or("the agent ended in the middle of its turn").to_owned();
            // Text before this point is not read again.
            self.end_turn(TurnOutcome::Failed { message }, self.read_to, &mut reaction);
        }
        self.stage = SessionStage::Failed;
        reaction
    }

    fn resume_offset(&self) -> u64 {
        self.turn
    }
}

fn outgoing_without_delay(bytes: Vec<u8>) -> OutgoingBytes {
    OutgoingBytes { after_ms: 0, bytes }
}
