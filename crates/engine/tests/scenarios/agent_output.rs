//! The output of agents, decoded by the decoder of `protocol`.

use std::collections::BTreeMap;

use domain::{AgentMessage, Command, MessageOffset, Role, SessionId};
use protocol::{DecodedItem, Decoder, DecoderOptions, KeyRequirement};

/// The outputs of all sessions.
#[derive(Default)]
pub struct AgentOutputs(BTreeMap<SessionId, AgentOutput>);

struct AgentOutput {
    decoder: Decoder,
    /// Text of the current turn.
    text: String,
    last_command: Option<Command>,
}

impl AgentOutputs {
    /// Prints a text, and returns the commands decoded from it.
    pub fn print(&mut self, session: SessionId, role: Role, text: &str) -> Vec<Command> {
        let output = self.output_of_session(session, role);
        let text = format!("{text}\n");
        output.text.push_str(&text);
        let items = output.decoder.push(text.as_bytes());
        output.decode(items)
    }

    /// Ends a session's turn, and returns the resulting commands.
    pub fn end_turn(&mut self, session: SessionId, role: Role) -> Vec<Command> {
        let output = self.output_of_session(session, role);
        let items = output.decoder.end_turn();
        let mut commands = output.decode(items);
        let text = std::mem::take(&mut output.text);
        commands.push(Command::EndTurn {
            read_from: output.decoder.safe_offset(),
            text,
            tools: domain::TurnTools::default(),
        });
        commands
    }

    /// Returns the last command of a session again.
    pub fn last_command(&self, session: SessionId) -> Result<Command, String> {
        let last = self.0.get(&session).and_then(|output| output.last_command.clone());
        last.ok_or_else(|| "has printed no message yet".to_owned())
    }

    fn output_of_session(&mut self, session: SessionId, role: Role) -> &mut AgentOutput {
        let options =
            DecoderOptions { role, key: None, key_requirement: KeyRequirement::Optional, numeric_ids: false };
        self.0.entry(session).or_insert_with(|| AgentOutput {
            decoder: Decoder::new(options),
            text: String::new(),
            last_command: None,
        })
    }
}

impl AgentOutput {
    fn decode(&mut self, items: Vec<DecodedItem>) -> Vec<Command> {
        // Reading resumes at the next message, so that a restart between two messages loses none.
        let starts = items.iter().skip(1).map(|item| item.span().start);
        let read_from: Vec<u64> = starts.chain([self.decoder.safe_offset()]).collect();
        let commands: Vec<Command> =
            items.into_iter().zip(read_from).map(|(item, at)| command_from_item(item, at)).collect();
        self.last_command = commands.last().cloned().or(self.last_command.take());
        commands
    }
}

/// Sorts decoded messages by urgency. Reading resumes at the first that is not decided yet.
pub fn sort_by_urgency(mut commands: Vec<Command>) -> Vec<Command> {
    let last =
        commands.iter().filter_map(|command| message_position(command).map(|(_, read_from)| read_from)).max();
    commands.sort_by_key(urgency_rank);
    let starts: Vec<Option<u64>> =
        commands.iter().map(|command| message_position(command).map(|(start, _)| start)).collect();
    for (index, command) in commands.iter_mut().enumerate() {
        let open = starts.get(index + 1..).unwrap_or_default().iter().flatten().min().copied();
        if let Command::ReceiveMessage { read_from, .. } = command {
            *read_from = open.or(last).unwrap_or(*read_from);
        }
    }
    commands
}

fn message_position(command: &Command) -> Option<(u64, u64)> {
    match command {
        Command::ReceiveMessage { offset, read_from, .. } => Some((offset.start, *read_from)),
        _ => None,
    }
}

fn urgency_rank(command: &Command) -> u32 {
    let Command::ReceiveMessage { message, .. } = command else { return 5 };
    match message.as_ref() {
        AgentMessage::Error(_) => 0,
        AgentMessage::PhaseComplete(_) => 1,
        AgentMessage::DependencyRequest(_) => 2,
        AgentMessage::AskUser(_) | AgentMessage::UserQuestion(_) | AgentMessage::NeedHuman(_) => 3,
        _ => 4,
    }
}

fn command_from_item(item: DecodedItem, read_from: u64) -> Command {
    let offset = MessageOffset { start: item.span().start, ordinal: item.span().ordinal };
    match item {
        DecodedItem::Message(message) => {
            Command::ReceiveMessage { offset, read_from, message: Box::new(message.message) }
        }
        DecodedItem::Invalid(invalid) => Command::ReceiveInvalid {
            offset,
            read_from,
            protocol: invalid.message_name.to_owned(),
            error: invalid.error,
            raw: invalid.span.raw,
        },
        DecodedItem::NearMiss(near) => Command::ReceiveNearMiss {
            offset,
            read_from,
            near: near.message_name.to_owned(),
            raw: near.span.raw,
        },
    }
}
