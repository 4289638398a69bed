//! Translates the lines that Claude Code prints to events.

use serde::de::DeserializeOwned;

use crate::{
    driver::{DriverEvent, Reaction, ToolCall, ToolStatus},
    json,
    turn::{MessageLine, unknown_output_warning},
};

use super::{
    ClaudeDriver, TOOLS_MAX, input_lines, output_lines,
    prompts::{self, PendingPrompt},
};

impl ClaudeDriver {
    pub(super) fn handle_line(&mut self, message: &MessageLine) -> Reaction {
        let bytes = &message.bytes;
        let Some(head) = json::parse_line::<output_lines::LineHead>(bytes) else {
            return Reaction::from_events(unknown_output_warning(bytes).map(DriverEvent::Warning));
        };
        // Lines of a subagent belong to the tool that started it; only its prompts concern us.
        if head.parent_tool_use_id.is_some() {
            return match &*head.r#type {
                "user" => parse_and_handle(bytes, |results: output_lines::UserLine| {
                    self.withdraw_tool_prompts(&results)
                }),
                _ => Reaction::default(),
            };
        }
        match (&*head.r#type, head.subtype.text()) {
            ("system", Some("init")) => parse_and_handle(bytes, |init| self.on_init(init)),
            ("system", Some("api_retry")) => parse_and_handle(bytes, |retry: output_lines::RetryLine| {
                Reaction::from_events([retry.to_warning_event()])
            }),
            ("assistant", _) => parse_and_handle(bytes, |said| self.on_assistant_line(said, message)),
            ("stream_event", _) => parse_and_handle(bytes, |event| self.on_stream_event(event)),
            ("user", _) => parse_and_handle(bytes, |results| self.on_tool_results(&results)),
            ("result", _) => {
                let result =
                    json::parse_line(bytes).unwrap_or_else(output_lines::ResultLine::unreadable_placeholder);
                self.on_result(&result, message.line.end)
            }
            ("rate_limit_event", _) => parse_and_handle(bytes, |event: output_lines::RateLimitEvent| {
                Reaction::from_events(
                    self.meter.note_rate_limit(&event.rate_limit_info).map(DriverEvent::Warning),
                )
            }),
            ("control_request", _) => parse_and_handle(bytes, |request| self.on_control_request(request)),
            ("control_cancel_request", _) => {
                parse_and_handle(bytes, |cancelled: output_lines::ControlCancelLine| {
                    self.withdraw_prompts(|prompt, _| prompt == cancelled.request_id)
                })
            }
            _ => Reaction::default(),
        }
    }

    fn on_init(&mut self, init: output_lines::InitLine) -> Reaction {
        self.n_open = self.n_open.max(1);
        let mut out = Vec::new();
        if let Some(session) = init.session_id.filter(|session| *session != self.session) {
            self.session.clone_from(&session);
            out.push(DriverEvent::Ready { agent_session: Some(session) });
        }
        if let Some(name) = init.model.filter(|model| self.meter.set_model(model)) {
            out.push(DriverEvent::Model { name });
        }
        Reaction::from_events(out)
    }

    fn on_assistant_line(&mut self, said: output_lines::AssistantLine, message: &MessageLine) -> Reaction {
        self.n_open = self.n_open.max(1);
        if said.is_synthetic() {
            self.meter.note_error(said.error.text());
            return Reaction::default();
        }
        if let Some(usage) = said.message.usage {
            self.meter.note_context_size(usage);
        }
        let mut out = Vec::new();
        for block in output_lines::parse_blocks(&said.message.content) {
            match block {
                output_lines::ContentBlock::Text { text } => {
                    if !std::mem::take(&mut self.is_streamed) {
                        out.push(DriverEvent::Text { text: text.clone() });
                    }
                    out.extend(self.turn.push_text(&text, &message.line));
                }
                output_lines::ContentBlock::ToolUse { id, name, input } => {
                    let title = prompts::tool_title(&self.directory, &name, &input);
                    if self.tools.len() == TOOLS_MAX {
                        self.tools.pop_front();
                    }
                    self.tools.push_back((id.clone(), title.clone()));
                    let plan = self.plan.apply_tool_use(&id, &name, &input);
                    let call = ToolCall { id, title, status: ToolStatus::Running, output: None };
                    out.push(self.turn.push_tool_call(call));
                    out.extend(plan);
                }
                output_lines::ContentBlock::ToolResult { .. } | output_lines::ContentBlock::Other => {}
            }
        }
        Reaction::from_events(out)
    }

    fn on_stream_event(&mut self, event: output_lines::StreamEvent) -> Reaction {
        let text = event.event.delta.and_then(|delta| delta.text.0).filter(|text| !text.is_empty());
        self.is_streamed |= text.is_some();
        Reaction::from_events(text.map(|text| DriverEvent::Text { text }))
    }

    fn on_tool_results(&mut self, results: &output_lines::UserLine) -> Reaction {
        let mut reaction = self.withdraw_tool_prompts(results);
        for block in output_lines::parse_blocks(&results.message.content) {
            let output_lines::ContentBlock::ToolResult { tool_use_id, is_error, content } = block else {
                continue;
            };
            let status = if is_error.unwrap_or(false) { ToolStatus::Failed } else { ToolStatus::Done };
            let known = self.tools.iter().find(|(id, _)| *id == tool_use_id);
            let title = known.map(|(_, title)| title.clone()).unwrap_or_default();
            let output = content.as_deref().and_then(output_lines::tool_output_text);
            self.plan.read_step_id(&tool_use_id, output.as_deref().unwrap_or_default());
            let call = ToolCall { id: tool_use_id, title, status, output };
            reaction.events.push(self.turn.push_tool_call(call));
        }
        reaction
    }

    /// Removes the prompts of tools that have finished or were refused.
    fn withdraw_tool_prompts(&mut self, results: &output_lines::UserLine) -> Reaction {
        let tools =
            output_lines::parse_blocks(&results.message.content).into_iter().filter_map(
                |block| match block {
                    output_lines::ContentBlock::ToolResult { tool_use_id, .. } => Some(tool_use_id),
                    output_lines::ContentBlock::Text { .. }
                    | output_lines::ContentBlock::ToolUse { .. }
                    | output_lines::ContentBlock::Other => None,
                },
            );
        let tools: Vec<_> = tools.collect();
        self.withdraw_prompts(|_, asked| asked.tool_use_id().is_some_and(|tool| tools.contains(tool)))
    }

    fn on_result(&mut self, result: &output_lines::ResultLine, end: u64) -> Reaction {
        self.n_open = self.n_open.saturating_sub(1);
        self.is_streamed = false;
        // Prompts stay: a subagent in the background may still wait.
        self.tools.clear();
        let outcome = self.meter.turn_outcome(result);
        let usage = self.meter.take_usage(result);
        Reaction::from_events(self.turn.end_turn(end, usage, outcome))
    }

    fn on_control_request(&mut self, request: output_lines::ControlRequest) -> Reaction {
        let output_lines::ControlRequest { request_id, request } = request;
        match prompts::parse_prompt(&self.directory, &request_id, &request) {
            Some((asked, event)) => {
                self.prompts.add(request_id, asked);
                Reaction::from_events([event])
            }
            // An agent without an answer would wait forever.
            None => Reaction { events: Vec::new(), outgoing: input_lines::encode_refusal(&request_id) },
        }
    }

    fn withdraw_prompts(&mut self, is_settled: impl Fn(&str, &PendingPrompt) -> bool) -> Reaction {
        let withdrawn = self.prompts.withdraw(is_settled);
        Reaction::from_events(withdrawn.into_iter().map(|prompt| DriverEvent::PromptWithdrawn { prompt }))
    }
}

/// Parses a line as the type in its head.
fn parse_and_handle<T: DeserializeOwned>(bytes: &[u8], take: impl FnOnce(T) -> Reaction) -> Reaction {
    match json::parse_line(bytes) {
        Some(read) => take(read),
        None => Reaction::from_events(unknown_output_warning(bytes).map(DriverEvent::Warning)),
    }
}
