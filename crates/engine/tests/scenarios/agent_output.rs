//! The output of agents, decoded by the decoder of `protocol`.

use std::collections::BTreeMap;

use domain::{AgentOutput, MessageOffset, PlanTaskIds, Role, SessionId};
use protocol::{AcceptedTaskIds, DecodedItem, Decoder, DecoderOptions, KeyRequirement};

/// The outputs of all sessions.
#[derive(Default)]
pub(crate) struct AgentOutputs {
    sessions: BTreeMap<SessionId, SessionOutput>,
    task_ids: BTreeMap<SessionId, PlanTaskIds>,
}

struct SessionOutput {
    decoder: Decoder,
    /// Text of the current turn.
    text: String,
    last_output: Option<AgentOutput>,
}

impl AgentOutputs {
    /// Sets the ids that messages of a session may name.
    pub(crate) fn set_task_ids(&mut self, session: SessionId, task_ids: PlanTaskIds) {
        self.task_ids.insert(session, task_ids);
    }

    /// Prints a text, and returns the outputs decoded from it.
    pub(crate) fn print(&mut self, session: SessionId, role: Role, text: &str) -> Vec<AgentOutput> {
        let output = self.output_of_session(session, role);
        let text = format!("{text}\n");
        output.text.push_str(&text);
        let items = output.decoder.push(text.as_bytes());
        output.commands_from_items(items)
    }

    /// Ends a session's turn, and returns the resulting outputs.
    pub(crate) fn end_turn(&mut self, session: SessionId, role: Role) -> Vec<AgentOutput> {
        let output = self.output_of_session(session, role);
        let items = output.decoder.end_turn();
        let mut outputs = output.commands_from_items(items);
        let text = std::mem::take(&mut output.text);
        outputs.push(AgentOutput::TurnEnded {
            read_from: output.decoder.safe_offset(),
            text,
            tools: domain::TurnTools::default(),
            failure: None,
        });
        outputs
    }

    /// Returns the last output of a session again.
    pub(crate) fn last_output(&self, session: SessionId) -> Result<AgentOutput, String> {
        let last = self.sessions.get(&session).and_then(|output| output.last_output.clone());
        last.ok_or_else(|| "has printed no message yet".to_owned())
    }

    fn output_of_session(&mut self, session: SessionId, role: Role) -> &mut SessionOutput {
        let options = DecoderOptions {
            role,
            key: None,
            key_requirement: KeyRequirement::Optional,
            task_ids: AcceptedTaskIds::OfPlan(self.task_ids.get(&session).cloned().unwrap_or_default()),
        };
        self.sessions.entry(session).or_insert_with(|| SessionOutput {
            decoder: Decoder::new(options),
            text: String::new(),
            last_output: None,
        })
    }
}

impl SessionOutput {
    fn commands_from_items(&mut self, items: Vec<DecodedItem>) -> Vec<AgentOutput> {
        // Reading resumes at the next message, so that a restart between two messages loses none.
        let starts = items.iter().skip(1).map(|item| item.span().start);
        let read_from: Vec<u64> = starts.chain([self.decoder.safe_offset()]).collect();
        let outputs: Vec<AgentOutput> =
            items.into_iter().zip(read_from).map(|(item, at)| output_from_item(item, at)).collect();
        self.last_output = outputs.last().cloned().or(self.last_output.take());
        outputs
    }
}

fn output_from_item(item: DecodedItem, read_from: u64) -> AgentOutput {
    let offset = MessageOffset { start: item.span().start, ordinal: item.span().ordinal };
    match item {
        DecodedItem::Message(message) => {
            AgentOutput::Message { offset, read_from, message: Box::new(message.message) }
        }
        DecodedItem::Invalid(invalid) => AgentOutput::InvalidMessage {
            offset,
            read_from,
            protocol: invalid.message_name.to_owned(),
            error: invalid.error,
            raw: invalid.span.raw,
        },
        DecodedItem::NearMiss(near) => AgentOutput::NearMiss {
            offset,
            read_from,
            near: near.message_name.to_owned(),
            raw: near.span.raw,
        },
    }
}
