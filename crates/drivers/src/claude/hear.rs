//! What follows from each line that Claude Code prints.

use serde::de::DeserializeOwned;

use crate::{
    driver::{Happening, Reaction, ToolCall, ToolStatus},
    json,
    turn::{Message, garbage},
};

use super::{
    Claude, TOOLS_MAX,
    ask::{self, Asked},
    read, write,
};

impl Claude {
    pub(super) fn take(&mut self, message: &Message) -> Reaction {
        let bytes = &message.bytes;
        let Some(head) = json::read::<read::Head>(bytes) else {
            return Reaction::of(garbage(bytes).map(Happening::Trouble));
        };
        // What a helper of the agent's says or does is the output of the tool that started it; only what it asked
        // is asked of us.
        if head.parent_tool_use_id.is_some() {
            return match &*head.r#type {
                "user" => with(bytes, |results: read::ToolResults| self.settle_tools(&results)),
                _ => Reaction::default(),
            };
        }
        match (&*head.r#type, head.subtype.text()) {
            ("system", Some("init")) => with(bytes, |init| self.begin(init)),
            ("system", Some("api_retry")) => {
                with(bytes, |retry: read::Retry| Reaction::of([retry.trouble()]))
            }
            ("assistant", _) => with(bytes, |said| self.say(said, message)),
            ("stream_event", _) => with(bytes, |event| self.stream(event)),
            ("user", _) => with(bytes, |results| self.tool_results(&results)),
            ("result", _) => {
                let result = json::read(bytes).unwrap_or_else(read::Outcome::unreadable);
                self.finish(&result, message.line.end)
            }
            ("rate_limit_event", _) => with(bytes, |event: read::RateLimitEvent| {
                Reaction::of(self.meter.limit(&event.rate_limit_info).map(Happening::Trouble))
            }),
            ("control_request", _) => with(bytes, |request| self.ask(request)),
            ("control_cancel_request", _) => {
                with(bytes, |cancelled: read::Cancel| self.settle(|prompt, _| prompt == cancelled.request_id))
            }
            _ => Reaction::default(),
        }
    }

    fn begin(&mut self, init: read::Init) -> Reaction {
        self.n_open = self.n_open.max(1);
        let mut out = Vec::new();
        if let Some(session) = init.session_id.filter(|session| *session != self.session) {
            self.session.clone_from(&session);
            out.push(Happening::Ready { agent_session: Some(session) });
        }
        if let Some(name) = init.model.filter(|model| self.meter.set_model(model)) {
            out.push(Happening::Model { name });
        }
        Reaction::of(out)
    }

    fn say(&mut self, said: read::Said, message: &Message) -> Reaction {
        self.n_open = self.n_open.max(1);
        if said.is_synthetic() {
            self.meter.note_error(said.error.text());
            return Reaction::default();
        }
        if let Some(usage) = said.message.usage {
            self.meter.note_request(usage);
        }
        let mut out = Vec::new();
        for block in read::blocks(&said.message.content) {
            match block {
                read::Block::Text { text } => {
                    if !std::mem::take(&mut self.is_streamed) {
                        out.push(Happening::Words { text: text.clone() });
                    }
                    out.extend(self.turn.say(&text, &message.line));
                }
                read::Block::ToolUse { id, name, input } => {
                    let title = ask::title(&self.directory, &name, &input);
                    if self.tools.len() == TOOLS_MAX {
                        self.tools.pop_front();
                    }
                    self.tools.push_back((id.clone(), title.clone()));
                    let plan = self.plan.take(&id, &name, &input);
                    let call = ToolCall { id, title, status: ToolStatus::Running, output: None };
                    out.push(self.turn.call(call));
                    out.extend(plan);
                }
                read::Block::ToolResult { .. } | read::Block::Other => {}
            }
        }
        Reaction::of(out)
    }

    fn stream(&mut self, event: read::StreamEvent) -> Reaction {
        let text = event.event.delta.and_then(|delta| delta.text.0).filter(|text| !text.is_empty());
        self.is_streamed |= text.is_some();
        Reaction::of(text.map(|text| Happening::Words { text }))
    }

    fn tool_results(&mut self, results: &read::ToolResults) -> Reaction {
        let mut reaction = self.settle_tools(results);
        for block in read::blocks(&results.message.content) {
            let read::Block::ToolResult { tool_use_id, is_error, content } = block else { continue };
            let status = if is_error.unwrap_or(false) { ToolStatus::Failed } else { ToolStatus::Done };
            let known = self.tools.iter().find(|(id, _)| *id == tool_use_id);
            let title = known.map(|(_, title)| title.clone()).unwrap_or_default();
            let output = content.as_deref().and_then(read::shown);
            self.plan.learn(&tool_use_id, output.as_deref().unwrap_or_default());
            let call = ToolCall { id: tool_use_id, title, status, output };
            reaction.happened.push(self.turn.call(call));
        }
        reaction
    }

    /// Forgets the prompts of tools that have been used or refused.
    fn settle_tools(&mut self, results: &read::ToolResults) -> Reaction {
        let tools = read::blocks(&results.message.content).into_iter().filter_map(|block| match block {
            read::Block::ToolResult { tool_use_id, .. } => Some(tool_use_id),
            read::Block::Text { .. } | read::Block::ToolUse { .. } | read::Block::Other => None,
        });
        let tools: Vec<_> = tools.collect();
        self.settle(|_, asked| asked.tool().is_some_and(|tool| tools.contains(tool)))
    }

    fn finish(&mut self, result: &read::Outcome, end: u64) -> Reaction {
        self.n_open = self.n_open.saturating_sub(1);
        self.is_streamed = false;
        // Its prompts stay: a helper in the background may still wait.
        self.tools.clear();
        let outcome = self.meter.outcome(result);
        let usage = self.meter.usage(result);
        Reaction::of(self.turn.finish(end, usage, outcome))
    }

    fn ask(&mut self, request: read::ControlRequest) -> Reaction {
        let read::ControlRequest { request_id, request } = request;
        match ask::read(&self.directory, &request_id, &request) {
            Some((asked, happening)) => {
                self.prompts.ask(request_id, asked);
                Reaction::of([happening])
            }
            // An agent that gets no answer waits for ever.
            None => Reaction { happened: Vec::new(), send: write::refuse(&request_id) },
        }
    }

    fn settle(&mut self, is_settled: impl Fn(&str, &Asked) -> bool) -> Reaction {
        let withdrawn = self.prompts.settle(is_settled);
        Reaction::of(withdrawn.into_iter().map(|prompt| Happening::Withdrawn { prompt }))
    }
}

/// Reads a line as what its head says it is.
fn with<T: DeserializeOwned>(bytes: &[u8], take: impl FnOnce(T) -> Reaction) -> Reaction {
    match json::read(bytes) {
        Some(read) => take(read),
        None => Reaction::of(garbage(bytes).map(Happening::Trouble)),
    }
}
