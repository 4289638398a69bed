//! What follows from each line that Codex prints.

use domain::Usage;
use serde_json::value::RawValue;

use crate::{
    driver::{Happening, Reaction, Trouble, TurnOutcome},
    json,
    turn::{Message, garbage},
};

use super::{Codex, ITEMS_MAX, ask, read, write};

impl Codex {
    pub(super) fn take(&mut self, message: &Message) -> Reaction {
        let Some(read) = json::read::<read::Envelope>(&message.bytes) else {
            return Reaction::of(garbage(&message.bytes).map(Happening::Trouble));
        };
        match (read.method.as_deref(), &read.id) {
            (Some(method), Some(id)) => self.ask(method, id, read.params()),
            (Some(method), None) => Reaction::of(self.note(method, read.params(), message)),
            (None, Some(id)) => Reaction::of(self.answered(id, &read, message.line.end)),
            (None, None) => Reaction::of(garbage(&message.bytes).map(Happening::Trouble)),
        }
    }

    /// Takes what the agent tells without waiting for an answer.
    fn note(&mut self, method: &str, params: &str, message: &Message) -> Vec<Happening> {
        let Some(place) = read::part::<read::Place>(params) else { return Vec::new() };
        let threads = self.thread.as_ref().zip(place.thread_id.as_ref());
        let is_helpers = threads.is_some_and(|(ours, theirs)| ours != theirs);
        match method {
            "serverRequest/resolved" => {
                let resolved = read::part::<read::Resolved>(params);
                let id = resolved.map(|resolved| resolved.request_id.get().to_owned());
                let withdrawn = self.prompts.settle(|_, asked| id.as_deref() == Some(asked.id()));
                withdrawn.into_iter().map(|prompt| Happening::Withdrawn { prompt }).collect()
            }
            // What another thread says is what a helper of the agent's says to it; only what it asks is asked of us.
            "item/started" if is_helpers => {
                self.remember(read::part(params));
                Vec::new()
            }
            _ if is_helpers => Vec::new(),
            "turn/started" => self.begin(params, place),
            "item/started" => self.item(params, false, message),
            "item/completed" => self.item(params, true, message),
            "item/agentMessage/delta" => self.stream(params),
            "thread/tokenUsage/updated" if place.turn_id == self.turn_id => {
                if let Some(usage) = read::part(params) {
                    self.meter.note_usage(&usage);
                }
                Vec::new()
            }
            "account/rateLimits/updated" => {
                let near = read::part(params).and_then(|limits| self.meter.note_limits(&limits));
                near.into_iter().map(Happening::Trouble).collect()
            }
            "model/rerouted" => {
                let name = read::part::<read::Rerouted>(params).map(|rerouted| rerouted.to_model);
                name.and_then(|name| self.meter.set_model(name)).into_iter().collect()
            }
            "turn/plan/updated" => {
                let plan = read::part::<read::PlanUpdated>(params).map(read::PlanUpdated::happening);
                plan.into_iter().collect()
            }
            "error" => {
                let retry = read::part(params).and_then(|error: read::Error| error.retry());
                retry.into_iter().map(Happening::Trouble).collect()
            }
            "turn/completed" => {
                let completed = read::part(params).unwrap_or_else(read::Completed::unreadable);
                self.finish(message.line.end, completed.outcome())
            }
            _ => Vec::new(),
        }
    }

    fn begin(&mut self, params: &str, place: read::Place) -> Vec<Happening> {
        self.is_open = true;
        self.thread = self.thread.take().or(place.thread_id);
        self.turn_id = read::part::<read::Started>(params).map(|started| started.turn.id);
        Vec::new()
    }

    fn stream(&mut self, params: &str) -> Vec<Happening> {
        let Some(read::Delta { item_id, delta }) = read::part(params) else { return Vec::new() };
        self.streamed = Some(item_id);
        vec![Happening::Words { text: delta }]
    }

    fn item(&mut self, params: &str, is_complete: bool, message: &Message) -> Vec<Happening> {
        let Some(read::ItemParams { item }) = read::part(params) else { return Vec::new() };
        if item.r#type != "agentMessage" {
            let call = item.tool_call(&self.options.directory, is_complete);
            self.remember(Some(read::ItemParams { item }));
            return call.map(|call| self.turn.call(call)).into_iter().collect();
        }
        let Some(text) = item.text.0.filter(|_| is_complete) else { return Vec::new() };
        let mut out = Vec::new();
        if self.streamed.take_if(|streamed| *streamed == item.id).is_none() {
            out.push(Happening::Words { text: text.clone() });
        }
        out.extend(self.turn.say(&text, &message.line));
        out
    }

    fn remember(&mut self, params: Option<read::ItemParams>) {
        let Some(read::ItemParams { item }) = params else { return };
        self.items.retain(|known| known.id != item.id);
        if self.items.len() == ITEMS_MAX {
            self.items.pop_front();
        }
        self.items.push_back(item);
    }

    fn finish(&mut self, end: u64, outcome: read::Ending) -> Vec<Happening> {
        self.is_open = false;
        self.turn_id = None;
        self.streamed = None;
        let outcome = self.meter.outcome(outcome);
        let usage = self.meter.usage();
        self.turn.finish(end, usage, outcome)
    }

    fn ask(&mut self, method: &str, id: &RawValue, params: &str) -> Reaction {
        match ask::read(&self.options.directory, &self.items, method, id.get(), params) {
            Some((asked, happening)) => {
                self.prompts.ask(asked.prompt().to_owned(), asked);
                Reaction::of([happening])
            }
            // An agent that gets no answer waits for ever.
            None => Reaction { happened: Vec::new(), send: write::refuse(id) },
        }
    }

    /// Takes the answer to what we asked.
    fn answered(&mut self, id: &RawValue, read: &read::Envelope, end: u64) -> Vec<Happening> {
        let Some(asked) = write::Id::read(id) else { return Vec::new() };
        match (asked, &read.error) {
            (write::Id::Thread, None) => {
                let Some(opened) = read::part::<read::Opened>(read.result()) else { return Vec::new() };
                self.thread = Some(opened.thread.id.clone());
                let mut out = vec![Happening::Ready { agent_session: Some(opened.thread.id) }];
                out.extend(opened.model.and_then(|name| self.meter.set_model(name)));
                out
            }
            (write::Id::Thread, Some(error)) if error.message.contains("no rollout found") => {
                let message = error.message.clone();
                self.turn.finish(end, Usage::default(), TurnOutcome::NotResumable { message })
            }
            (write::Id::Prompt, None) => {
                let started = read::part::<read::Started>(read.result());
                self.turn_id = self.turn_id.take().or(started.map(|started| started.turn.id));
                Vec::new()
            }
            // Where a turn runs, only what was to join it is refused.
            (write::Id::Prompt, Some(error)) if self.turn_id.is_some() => {
                vec![Happening::Trouble(Trouble::Garbage { text: error.message.clone() })]
            }
            (write::Id::Initialize | write::Id::Thread | write::Id::Prompt, Some(error)) => {
                self.finish(end, read::Ending::failed(error.message.clone()))
            }
            (write::Id::Initialize, None) | (write::Id::Interrupt, _) => Vec::new(),
        }
    }
}
