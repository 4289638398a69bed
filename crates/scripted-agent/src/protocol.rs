//! The protocols that a scripted agent can speak: one trait, one module per protocol.
//!
//! A protocol knows nothing about the script; it translates input into the few events that a script reacts to.

mod acp;
mod claude;
mod codex;
mod json_rpc;
mod plain;
mod screen;

pub(crate) use acp::ImitatedAgent;

use std::{
    io, process,
    time::{SystemTime, UNIX_EPOCH},
};

use crate::{
    script::{
        PlanEntry, ProtocolName, QuestionStep, RateLimit, RequestRefusal, ScreenStyle, ServiceFailure,
        StopReason, TokenUsage, ToolStep,
    },
    session_store::SessionStore,
};

/// What a line of input means for the script.
#[derive(Debug, PartialEq)]
pub(crate) enum ClientEvent {
    /// Nothing; the protocol has handled it.
    Ignored,
    /// The session cannot be opened; the agent exits.
    Rejected,
    /// A session is open; the steps can start.
    SessionOpened { resumed: bool },
    /// A line, or a prompt that starts a turn.
    Prompt(String),
    /// The answer to a pending request.
    Answer(ClientAnswer),
    /// The client cancels the turn.
    Cancel,
}

/// An answer to a question or a permission request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClientAnswer {
    pub decision: PermissionDecision,
    /// Text of the answer, or the id of the chosen option.
    pub text: String,
}

/// Decision about a permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PermissionDecision {
    /// Use the tool.
    Allow,
    /// Continue without the tool.
    Deny,
    EndTurn,
}

/// State of a question or permission request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AnswerStatus {
    /// The answer arrives later.
    Pending,
    /// The client cannot be asked; this answer is used instead.
    Answered(ClientAnswer),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ToolOutcome {
    Output(String),
    /// Permission was denied; the text is the reason.
    Denied(String),
}

/// The agent's side of a protocol.
pub(crate) trait AgentProtocol {
    /// Tells whether the protocol has turns; otherwise it only has lines.
    fn has_turns(&self) -> bool {
        true
    }
    /// Tells whether single keys are read instead of lines.
    fn reads_keys(&self) -> bool {
        false
    }
    /// Handles keys, and returns their events.
    fn handle_keys(&mut self, _keys: &[u8]) -> io::Result<Vec<ClientEvent>> {
        Ok(Vec::new())
    }
    /// Handles a line: answers what the protocol requires, and returns the event.
    fn handle_line(&mut self, line: &str) -> io::Result<ClientEvent>;
    fn begin_turn(&mut self, prompt: &str) -> io::Result<()>;
    fn write_message(&mut self, text: &str) -> io::Result<()>;
    fn write_thought(&mut self, text: &str) -> io::Result<()>;
    /// Reports that a tool is about to be used.
    fn start_tool(&mut self, tool: &ToolStep) -> io::Result<()>;
    /// Asks the client for permission to use the tool.
    fn ask_permission(&mut self, tool: &ToolStep) -> io::Result<AnswerStatus>;
    /// Reports the outcome of the tool.
    fn finish_tool(&mut self, tool: &ToolStep, outcome: &ToolOutcome) -> io::Result<()>;
    /// Asks with the question tool of the protocol.
    fn ask_question(&mut self, question: &QuestionStep) -> io::Result<AnswerStatus>;
    fn write_plan(&mut self, entries: &[PlanEntry]) -> io::Result<()>;
    /// Sets the token usage that the turn reports.
    fn set_usage(&mut self, usage: TokenUsage) -> io::Result<()>;
    /// Reports the used share of the rate limit, if the protocol can.
    fn write_rate_limit(&mut self, _limits: RateLimit) -> io::Result<()> {
        Ok(())
    }
    fn end_turn(&mut self, stop: StopReason) -> io::Result<()>;
    /// Ends the turn with an error of the model service.
    fn fail_turn(&mut self, failure: &ServiceFailure) -> io::Result<()>;
    /// Returns the exit status for a closed input.
    fn input_end_status(&self) -> u8 {
        0
    }
}

/// Settings that all protocols receive.
pub(crate) struct ProtocolOptions {
    /// Model name that is reported.
    pub model: String,
    pub sessions: SessionStore,
    /// Requests that are answered with an error.
    pub refusals: Vec<RequestRefusal>,
    /// Command-line arguments of the agent.
    pub arguments: Vec<String>,
    pub imitates: ImitatedAgent,
    pub screen: ScreenStyle,
}

/// Creates a protocol, and returns its first event.
pub(crate) fn create_protocol(
    name: ProtocolName,
    options: ProtocolOptions,
) -> io::Result<(Box<dyn AgentProtocol>, ClientEvent)> {
    Ok(match name {
        ProtocolName::Plain => {
            (Box::new(plain::PlainProtocol), ClientEvent::SessionOpened { resumed: false })
        }
        ProtocolName::Screen => (
            Box::new(screen::ScreenProtocol::new(options.screen)?),
            ClientEvent::SessionOpened { resumed: false },
        ),
        ProtocolName::Acp => (Box::new(acp::AcpProtocol::new(options)), ClientEvent::Ignored),
        ProtocolName::Codex => (Box::new(codex::CodexProtocol::new(options)), ClientEvent::Ignored),
        ProtocolName::Claude => {
            let (protocol, event) = claude::ClaudeProtocol::new(options)?;
            (Box::new(protocol), event)
        }
    })
}

/// Returns a unique id in the form of a UUID.
pub(crate) fn random_id() -> String {
    let nanoseconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    let bits =
        nanoseconds.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) ^ u128::from(process::id()) << 64;
    let digits = format!("{bits:032x}");
    let part = |from, to| digits.get(from..to).unwrap_or_default();
    format!("{}-{}-4{}-8{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
}
