//! Translates the messages of Codex to events.

use domain::Usage;
use serde_json::value::RawValue;

use crate::{
    driver::{AgentWarning, DriverEvent, Reaction, TurnOutcome},
    json,
    turn::{MessageLine, unknown_output_warning},
};

use super::{CodexDriver, ITEMS_MAX, messages, prompts, requests};

impl CodexDriver {
    pub(super) fn handle_line(&mut self, message: &MessageLine) -> Reaction {
        let Some(read) = json::parse_line::<messages::Envelope>(&message.bytes) else {
            return Reaction::from_events(unknown_output_warning(&message.bytes).map(DriverEvent::Warning));
        };
        match (read.method.as_deref(), &read.id) {
            (Some(method), Some(id)) => self.on_request(method, id, read.params_json()),
            (Some(method), None) => {
                Reaction::from_events(self.on_notification(method, read.params_json(), message))
            }
            (None, Some(id)) => Reaction::from_events(self.on_response(id, &read, message.line.end)),
            (None, None) => {
                Reaction::from_events(unknown_output_warning(&message.bytes).map(DriverEvent::Warning))
            }
        }
    }

    /// Handles a notification.
    fn on_notification(&mut self, method: &str, params: &str, message: &MessageLine) -> Vec<DriverEvent> {
        let Some(place) = messages::parse_raw::<messages::EventScope>(params) else { return Vec::new() };
        let threads = self.thread.as_ref().zip(place.thread_id.as_ref());
        let is_of_subagent = threads.is_some_and(|(ours, theirs)| ours != theirs);
        match method {
            "serverRequest/resolved" => {
                let resolved = messages::parse_raw::<messages::RequestResolved>(params);
                let id = resolved.map(|resolved| resolved.request_id.get().to_owned());
                let withdrawn = self.prompts.withdraw(|_, asked| id.as_deref() == Some(asked.request_id()));
                withdrawn.into_iter().map(|prompt| DriverEvent::PromptWithdrawn { prompt }).collect()
            }
            // Another thread belongs to a subagent; only its prompts concern us.
            "item/started" if is_of_subagent => {
                self.remember_item(messages::parse_raw(params));
                Vec::new()
            }
            _ if is_of_subagent => Vec::new(),
            "turn/started" => self.on_turn_started(params, place),
            "item/started" => self.on_item(params, false, message),
            "item/completed" => self.on_item(params, true, message),
            "item/agentMessage/delta" => self.on_text_delta(params),
            "thread/tokenUsage/updated" if place.turn_id == self.turn_id => {
                if let Some(usage) = messages::parse_raw(params) {
                    self.meter.note_usage(&usage);
                }
                Vec::new()
            }
            "account/rateLimits/updated" => {
                let near = messages::parse_raw(params).and_then(|limits| self.meter.note_limits(&limits));
                near.into_iter().map(DriverEvent::Warning).collect()
            }
            "model/rerouted" => {
                let name =
                    messages::parse_raw::<messages::ModelRerouted>(params).map(|rerouted| rerouted.to_model);
                name.and_then(|name| self.meter.set_model(name)).into_iter().collect()
            }
            "turn/plan/updated" => {
                let plan = messages::parse_raw::<messages::PlanUpdated>(params)
                    .map(messages::PlanUpdated::into_event);
                plan.into_iter().collect()
            }
            "error" => {
                let retry = messages::parse_raw(params)
                    .and_then(|error: messages::ErrorNotification| error.retry_warning());
                retry.into_iter().map(DriverEvent::Warning).collect()
            }
            "turn/completed" => {
                let completed = messages::parse_raw(params)
                    .unwrap_or_else(messages::TurnCompleted::unreadable_placeholder);
                self.end_turn(message.line.end, completed.into_ending())
            }
            _ => Vec::new(),
        }
    }

    fn on_turn_started(&mut self, params: &str, place: messages::EventScope) -> Vec<DriverEvent> {
        self.is_open = true;
        self.thread = self.thread.take().or(place.thread_id);
        self.turn_id = messages::parse_raw::<messages::TurnStarted>(params).map(|started| started.turn.id);
        Vec::new()
    }

    fn on_text_delta(&mut self, params: &str) -> Vec<DriverEvent> {
        let Some(messages::MessageDelta { item_id, delta }) = messages::parse_raw(params) else {
            return Vec::new();
        };
        self.streamed = Some(item_id);
        vec![DriverEvent::Text { text: delta }]
    }

    fn on_item(&mut self, params: &str, is_complete: bool, message: &MessageLine) -> Vec<DriverEvent> {
        let Some(messages::ItemParams { item }) = messages::parse_raw(params) else { return Vec::new() };
        if item.r#type != "agentMessage" {
            let call = item.tool_call(&self.options.directory, is_complete);
            self.remember_item(Some(messages::ItemParams { item }));
            return call.map(|call| self.turn.push_tool_call(call)).into_iter().collect();
        }
        let Some(text) = item.text.0.filter(|_| is_complete) else { return Vec::new() };
        let mut out = Vec::new();
        if self.streamed.take_if(|streamed| *streamed == item.id).is_none() {
            out.push(DriverEvent::Text { text: text.clone() });
        }
        out.extend(self.turn.push_text(&text, &message.line));
        out
    }

    fn remember_item(&mut self, params: Option<messages::ItemParams>) {
        let Some(messages::ItemParams { item }) = params else { return };
        self.items.retain(|known| known.id != item.id);
        if self.items.len() == ITEMS_MAX {
            self.items.pop_front();
        }
        self.items.push_back(item);
    }

    fn end_turn(&mut self, end: u64, outcome: messages::TurnEnding) -> Vec<DriverEvent> {
        self.is_open = false;
        self.turn_id = None;
        self.streamed = None;
        let outcome = self.meter.turn_outcome(outcome);
        let usage = self.meter.take_usage();
        self.turn.end_turn(end, usage, outcome)
    }

    fn on_request(&mut self, method: &str, id: &RawValue, params: &str) -> Reaction {
        match prompts::parse_prompt(&self.options.directory, &self.items, method, id.get(), params) {
            Some((asked, event)) => {
                self.prompts.add(asked.prompt_id().to_owned(), asked);
                Reaction::from_events([event])
            }
            // An agent without an answer would wait forever.
            None => Reaction { events: Vec::new(), outgoing: requests::encode_refusal(id) },
        }
    }

    /// Handles the response to a request of this driver.
    fn on_response(&mut self, id: &RawValue, read: &messages::Envelope, end: u64) -> Vec<DriverEvent> {
        let Some(asked) = requests::RequestKind::from_response_id(id) else { return Vec::new() };
        match (asked, &read.error) {
            (requests::RequestKind::Thread, None) => {
                let Some(opened) = messages::parse_raw::<messages::ThreadOpened>(read.result_json()) else {
                    return Vec::new();
                };
                self.thread = Some(opened.thread.id.clone());
                let mut out = vec![DriverEvent::Ready { agent_session: Some(opened.thread.id) }];
                out.extend(opened.model.and_then(|name| self.meter.set_model(name)));
                out
            }
            (requests::RequestKind::Thread, Some(error)) if error.message.contains("no rollout found") => {
                let message = error.message.clone();
                self.turn.end_turn(end, Usage::default(), TurnOutcome::NotResumable { message })
            }
            (requests::RequestKind::Prompt, None) => {
                let started = messages::parse_raw::<messages::TurnStarted>(read.result_json());
                self.turn_id = self.turn_id.take().or(started.map(|started| started.turn.id));
                Vec::new()
            }
            // During a turn, only the additional prompt was refused.
            (requests::RequestKind::Prompt, Some(error)) if self.turn_id.is_some() => {
                vec![DriverEvent::Warning(AgentWarning::UnknownOutput { text: error.message.clone() })]
            }
            (
                requests::RequestKind::Initialize
                | requests::RequestKind::Thread
                | requests::RequestKind::Prompt,
                Some(error),
            ) => self.end_turn(end, messages::TurnEnding::failed(error.message.clone())),
            (requests::RequestKind::Initialize, None)
            | (requests::RequestKind::Steer | requests::RequestKind::Interrupt, _) => Vec::new(),
        }
    }
}
