//! What agents say: text as they print it, read by the decoder that reads real ones.

use std::collections::BTreeMap;

use domain::{AgentMessage, Command, MessageOffset, Role, SessionId};
use protocol::{DecodedItem, Decoder, DecoderOptions, KeyRequirement};

/// The mouths of all sessions.
#[derive(Default)]
pub struct Mouths(BTreeMap<SessionId, Mouth>);

/// What one session has said so far.
struct Mouth {
    decoder: Decoder,
    /// What it has said in this turn.
    words: String,
    last_heard: Option<Command>,
}

impl Mouths {
    /// Lets a session print a text, and returns what is heard in it.
    pub fn say(&mut self, session: SessionId, role: Role, text: &str) -> Vec<Command> {
        let mouth = self.mouth(session, role);
        let text = format!("{text}\n");
        mouth.words.push_str(&text);
        let items = mouth.decoder.push(text.as_bytes());
        mouth.hear(items)
    }

    /// Ends a session's turn, and returns what is heard with it.
    pub fn end_turn(&mut self, session: SessionId, role: Role) -> Vec<Command> {
        let mouth = self.mouth(session, role);
        let items = mouth.decoder.end_turn();
        let mut commands = mouth.hear(items);
        let words = std::mem::take(&mut mouth.words);
        commands.push(Command::EndTurn {
            read_from: mouth.decoder.safe_offset(),
            text: words,
            tools: domain::TurnTools::default(),
        });
        commands
    }

    /// Returns what a session said last, once more.
    pub fn last_heard(&self, session: SessionId) -> Result<Command, String> {
        let last = self.0.get(&session).and_then(|mouth| mouth.last_heard.clone());
        last.ok_or_else(|| "has said nothing yet".to_owned())
    }

    fn mouth(&mut self, session: SessionId, role: Role) -> &mut Mouth {
        let options =
            DecoderOptions { role, key: None, key_requirement: KeyRequirement::Optional, numeric_ids: false };
        self.0.entry(session).or_insert_with(|| Mouth {
            decoder: Decoder::new(options),
            words: String::new(),
            last_heard: None,
        })
    }
}

impl Mouth {
    fn hear(&mut self, items: Vec<DecodedItem>) -> Vec<Command> {
        // Reading starts again at the next message, so that a restart between two of them loses none.
        let starts = items.iter().skip(1).map(|item| item.span().start);
        let read_from: Vec<u64> = starts.chain([self.decoder.safe_offset()]).collect();
        let commands: Vec<Command> =
            items.into_iter().zip(read_from).map(|(item, at)| command(item, at)).collect();
        self.last_heard = commands.last().cloned().or(self.last_heard.take());
        commands
    }
}

/// Puts messages that were decoded and not yet decided into the order in which they are taken.
///
/// Reading starts again at the first that is still to be decided.
pub fn by_urgency(mut commands: Vec<Command>) -> Vec<Command> {
    let last = commands.iter().filter_map(|command| place(command).map(|(_, read_from)| read_from)).max();
    commands.sort_by_key(rank);
    let starts: Vec<Option<u64>> =
        commands.iter().map(|command| place(command).map(|(start, _)| start)).collect();
    for (index, command) in commands.iter_mut().enumerate() {
        let open = starts.get(index + 1..).unwrap_or_default().iter().flatten().min().copied();
        if let Command::ReceiveMessage { read_from, .. } = command {
            *read_from = open.or(last).unwrap_or(*read_from);
        }
    }
    commands
}

fn place(command: &Command) -> Option<(u64, u64)> {
    match command {
        Command::ReceiveMessage { offset: heard, read_from, .. } => Some((heard.start, *read_from)),
        _ => None,
    }
}

fn rank(command: &Command) -> u32 {
    let Command::ReceiveMessage { message: said, .. } = command else { return 5 };
    match said.as_ref() {
        AgentMessage::Error(_) => 0,
        AgentMessage::PhaseComplete(_) => 1,
        AgentMessage::DependencyRequest(_) => 2,
        AgentMessage::AskUser(_) | AgentMessage::UserQuestion(_) | AgentMessage::NeedHuman(_) => 3,
        _ => 4,
    }
}

fn command(item: DecodedItem, read_from: u64) -> Command {
    let heard = MessageOffset { start: item.span().start, ordinal: item.span().ordinal };
    match item {
        DecodedItem::Message(message) => {
            Command::ReceiveMessage { offset: heard, read_from, message: Box::new(message.message) }
        }
        DecodedItem::Invalid(invalid) => Command::ReceiveInvalid {
            offset: heard,
            read_from,
            protocol: invalid.message_name.to_owned(),
            error: invalid.error,
            raw: invalid.span.raw,
        },
        DecodedItem::NearMiss(near) => Command::ReceiveNearMiss {
            offset: heard,
            read_from,
            near: near.message_name.to_owned(),
            raw: near.span.raw,
        },
    }
}
