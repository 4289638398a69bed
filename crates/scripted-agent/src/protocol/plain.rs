//! The plain protocol: text on a terminal or a pipe.

use std::io;

use super::{AgentProtocol, AnswerStatus, ClientAnswer, ClientEvent, PermissionDecision, ToolOutcome};
use crate::{
    output,
    script::{PlanEntry, QuestionStep, ServiceFailure, StopReason, TokenUsage, ToolStep},
};

/// Stateless: messages are written as text, and every input line is a prompt.
pub(super) struct PlainProtocol;

impl AgentProtocol for PlainProtocol {
    fn has_turns(&self) -> bool {
        false
    }

    fn handle_line(&mut self, line: &str) -> io::Result<ClientEvent> {
        Ok(ClientEvent::Prompt(line.to_owned()))
    }

    fn begin_turn(&mut self, _prompt: &str) -> io::Result<()> {
        Ok(())
    }

    fn write_message(&mut self, text: &str) -> io::Result<()> {
        output::write_bytes(text.as_bytes())
    }

    fn write_thought(&mut self, text: &str) -> io::Result<()> {
        output::write_bytes(format!("\x1b[2m{text}\x1b[0m\n").as_bytes())
    }

    fn start_tool(&mut self, tool: &ToolStep) -> io::Result<()> {
        output::write_bytes(format!("$ {}\n", tool.title()).as_bytes())
    }

    fn ask_permission(&mut self, _tool: &ToolStep) -> io::Result<AnswerStatus> {
        output::write_bytes(b"Do you want to proceed? (y/n) ")?;
        Ok(AnswerStatus::Pending)
    }

    fn finish_tool(&mut self, _tool: &ToolStep, outcome: &ToolOutcome) -> io::Result<()> {
        match outcome {
            ToolOutcome::Output(text) => output::write_bytes(text.as_bytes()),
            ToolOutcome::Denied(_) => output::write_bytes(b"Not done.\n"),
        }
    }

    // Validation of scripts rules out the following steps for this protocol.
    fn ask_question(&mut self, _question: &QuestionStep) -> io::Result<AnswerStatus> {
        Ok(AnswerStatus::Answered(ClientAnswer { decision: PermissionDecision::Deny, text: String::new() }))
    }

    fn write_plan(&mut self, _entries: &[PlanEntry]) -> io::Result<()> {
        Ok(())
    }

    fn set_usage(&mut self, _usage: TokenUsage) -> io::Result<()> {
        Ok(())
    }

    fn end_turn(&mut self, _stop: StopReason) -> io::Result<()> {
        Ok(())
    }

    fn fail_turn(&mut self, _failure: &ServiceFailure) -> io::Result<()> {
        Ok(())
    }
}
