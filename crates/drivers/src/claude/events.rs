//! Translates the lines that Claude Code prints to events.

use serde::de::DeserializeOwned;

use crate::{
    driver::{DriverEvent, Reaction, ToolCall, ToolStatus},
    json,
    turn::{MessageLine, unknown_output},
};

use super::{
    Claude, TOOLS_MAX, input_lines, output_lines,
    prompts::{self, PendingPrompt},
};

impl Claude {
    pub(super) fn take(&mut self, message: &MessageLine) -> Reaction {
        let bytes = &message.bytes;
        let Some(head) = json::read::<output_lines::LineHead>(bytes) else {
            return Reaction::from_events(unknown_output(bytes).map(DriverEvent::Warning));
        };
        // Lines of a subagent belong to the tool that started it; only its prompts concern us.
        if head.parent_tool_use_id.is_some() {
            return match &*head.r#type {
                "user" => with(bytes, |results: output_lines::UserLine| self.settle_tools(&results)),
                _ => Reaction::default(),
            };
        }
        match (&*head.r#type, head.subtype.text()) {
            ("system", Some("init")) => with(bytes, |init| self.begin(init)),
            ("system", Some("api_retry")) => {
                with(bytes, |retry: output_lines::RetryLine| Reaction::from_events([retry.trouble()]))
            }
            ("assistant", _) => with(bytes, |said| self.say(said, message)),
            ("stream_event", _) => with(bytes, |event| self.stream(event)),
            ("user", _) => with(bytes, |results| self.tool_results(&results)),
            ("result", _) => {
                let result = json::read(bytes).unwrap_or_else(output_lines::ResultLine::unreadable);
                self.finish(&result, message.line.end)
            }
            ("rate_limit_event", _) => with(bytes, |event: output_lines::RateLimitEvent| {
                Reaction::from_events(self.meter.limit(&event.rate_limit_info).map(DriverEvent::Warning))
            }),
            ("control_request", _) => with(bytes, |request| self.ask(request)),
            ("control_cancel_request", _) => with(bytes, |cancelled: output_lines::ControlCancelLine| {
                self.settle(|prompt, _| prompt == cancelled.request_id)
            }),
            _ => Reaction::default(),
        }
    }

    fn begin(&mut self, init: output_lines::InitLine) -> Reaction {
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

    fn say(&mut self, said: output_lines::AssistantLine, message: &MessageLine) -> Reaction {
        self.n_open = self.n_open.max(1);
        if said.is_synthetic() {
            self.meter.note_error(said.error.text());
            return Reaction::default();
        }
        if let Some(usage) = said.message.usage {
            self.meter.note_request(usage);
        }
        let mut out = Vec::new();
        for block in output_lines::blocks(&said.message.content) {
            match block {
                output_lines::Block::Text { text } => {
                    if !std::mem::take(&mut self.is_streamed) {
                        out.push(DriverEvent::Text { text: text.clone() });
                    }
                    out.extend(self.turn.push_text(&text, &message.line));
                }
                output_lines::Block::ToolUse { id, name, input } => {
                    let title = prompts::title(&self.directory, &name, &input);
                    if self.tools.len() == TOOLS_MAX {
                        self.tools.pop_front();
                    }
                    self.tools.push_back((id.clone(), title.clone()));
                    let plan = self.plan.take(&id, &name, &input);
                    let call = ToolCall { id, title, status: ToolStatus::Running, output: None };
                    out.push(self.turn.push_call(call));
                    out.extend(plan);
                }
                output_lines::Block::ToolResult { .. } | output_lines::Block::Other => {}
            }
        }
        Reaction::from_events(out)
    }

    fn stream(&mut self, event: output_lines::StreamEvent) -> Reaction {
        let text = event.event.delta.and_then(|delta| delta.text.0).filter(|text| !text.is_empty());
        self.is_streamed |= text.is_some();
        Reaction::from_events(text.map(|text| DriverEvent::Text { text }))
    }

    fn tool_results(&mut self, results: &output_lines::UserLine) -> Reaction {
        let mut reaction = self.settle_tools(results);
        for block in output_lines::blocks(&results.message.content) {
            let output_lines::Block::ToolResult { tool_use_id, is_error, content } = block else { continue };
            let status = if is_error.unwrap_or(false) { ToolStatus::Failed } else { ToolStatus::Done };
            let known = self.tools.iter().find(|(id, _)| *id == tool_use_id);
            let title = known.map(|(_, title)| title.clone()).unwrap_or_default();
            let output = content.as_deref().and_then(output_lines::output_text);
            self.plan.read_step_id(&tool_use_id, output.as_deref().unwrap_or_default());
            let call = ToolCall { id: tool_use_id, title, status, output };
            reaction.events.push(self.turn.push_call(call));
        }
        reaction
    }

    /// Removes the prompts of tools that have finished or were refused.
    fn settle_tools(&mut self, results: &output_lines::UserLine) -> Reaction {
        let tools =
            output_lines::blocks(&results.message.content).into_iter().filter_map(|block| match block {
                output_lines::Block::ToolResult { tool_use_id, .. } => Some(tool_use_id),
                output_lines::Block::Text { .. }
                | output_lines::Block::ToolUse { .. }
                | output_lines::Block::Other => None,
            });
        let tools: Vec<_> = tools.collect();
        self.settle(|_, asked| asked.tool().is_some_and(|tool| tools.contains(tool)))
    }

    fn finish(&mut self, result: &output_lines::ResultLine, end: u64) -> Reaction {
        self.n_open = self.n_open.saturating_sub(1);
        self.is_streamed = false;
        // Prompts stay: a subagent in the background may still wait.
        self.tools.clear();
        let outcome = self.meter.outcome(result);
        let usage = self.meter.usage(result);
        Reaction::from_events(self.turn.finish(end, usage, outcome))
    }

    fn ask(&mut self, request: output_lines::ControlRequest) -> Reaction {
        let output_lines::ControlRequest { request_id, request } = request;
        match prompts::read(&self.directory, &request_id, &request) {
            Some((asked, event)) => {
                self.prompts.ask(request_id, asked);
                Reaction::from_events([event])
            }
            // An agent without an answer would wait forever.
            None => Reaction { events: Vec::new(), outgoing: input_lines::refuse(&request_id) },
        }
    }

    fn settle(&mut self, is_settled: impl Fn(&str, &PendingPrompt) -> bool) -> Reaction {
        let withdrawn = self.prompts.settle(is_settled);
        Reaction::from_events(withdrawn.into_iter().map(|prompt| DriverEvent::PromptWithdrawn { prompt }))
    }
}

/// Parses a line as the type in its head.
fn with<T: DeserializeOwned>(bytes: &[u8], take: impl FnOnce(T) -> Reaction) -> Reaction {
    match json::read(bytes) {
        Some(read) => take(read),
        None => Reaction::from_events(unknown_output(bytes).map(DriverEvent::Warning)),
    }
}
