//! The output of a process in its spool: it survives every crash, and is read again after one.

use domain::{
    AgentMessage, AgentOutput, AskUser, MessageOffset, PermissionRequest, Report, RunInput, SessionId,
    TestFeedback, Usage,
};

use super::{Environment, ScheduledEvent};
use crate::{model::Model, random::Random};

/// One item of an agent's output.
#[derive(Debug, Clone)]
pub(crate) enum OutputItem {
    /// A message of the protocol.
    Message(AgentMessage),
    /// A message with an error.
    Invalid,
    /// Text that resembles a message.
    NearMiss,
    /// A question during a turn, with the id of its prompt.
    Prompt(String, AskUser),
    /// A request for a permission.
    Permission(PermissionRequest),
    /// The outcome of a test.
    Feedback(TestFeedback),
    /// Tokens and cost.
    Usage(Usage),
    /// The end of a turn, with its text.
    TurnEnd(String),
    /// The process ended with this status.
    Exited(Option<i32>),
    /// The process was lost.
    Lost,
}

/// An item with its offsets.
#[derive(Debug, Clone)]
struct SpoolEntry {
    start: u64,
    read_from: u64,
    item: OutputItem,
    /// Whether its command is in the log, or was refused.
    is_processed: bool,
}

/// The output of a process, and the position of its reader.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spool {
    entries: Vec<SpoolEntry>,
    cursor: usize,
    end: u64,
    is_reading: bool,
    /// Offset at which the current reader started.
    read_from: u64,
}

impl Spool {
    /// Tells whether all items are read.
    pub(crate) fn is_fully_read(&self) -> bool {
        self.cursor >= self.entries.len()
    }

    pub(super) fn push(&mut self, item: OutputItem, random: &mut Random) {
        let start = self.end + u64::from(random.between(0, 40));
        self.end = start + u64::from(random.between(1, 200));
        // An incomplete message keeps the offset at which reading restarts.
        let read_from = if random.once_in(4) { start } else { self.end };
        self.entries.push(SpoolEntry { start, read_from, item, is_processed: false });
    }

    /// Starts reading if there are items and no reader; returns whether it did.
    pub(super) fn begin_read(&mut self) -> bool {
        let starts = !self.is_reading && !self.is_fully_read();
        self.is_reading |= starts;
        starts
    }
}

impl Environment {
    /// Returns the input of the engine for the next item in a session's output.
    pub(crate) fn read_next_input(&mut self, id: SessionId) -> Option<RunInput> {
        let process = self.processes.get_mut(&id)?;
        let spool = &mut process.spool;
        let read_from = spool.read_from;
        let is_skipped = |entry: &SpoolEntry| entry.is_processed && !is_reported_again(entry, read_from);
        while spool.entries.get(spool.cursor).is_some_and(is_skipped) {
            spool.cursor += 1;
        }
        let entry = spool.entries.get(spool.cursor)?;
        Some(input_of_entry(id, entry))
    }

    /// Marks the current item as processed, and continues with the next.
    pub(crate) fn mark_processed(&mut self, id: SessionId) {
        if let Some(process) = self.processes.get_mut(&id) {
            let spool = &mut process.spool;
            if let Some(entry) = spool.entries.get_mut(spool.cursor) {
                entry.is_processed = true;
                spool.cursor += 1;
            }
        }
        self.end_read(id);
    }

    /// Ends the current read; starts another if there are items.
    pub(crate) fn end_read(&mut self, id: SessionId) {
        if let Some(process) = self.processes.get_mut(&id) {
            process.spool.is_reading = false;
        }
        self.schedule_spool_read(id);
    }

    /// Removes all scheduled reports and reads, and resets the readers, as a crash of the server does.
    pub(crate) fn crash_server(&mut self, model: &Model) {
        self.queue.retain(|_, event| !matches!(event, ScheduledEvent::Report(_) | ScheduledEvent::Read(_)));
        let sessions: Vec<SessionId> = self.processes.keys().copied().collect();
        for id in sessions {
            let read_from = model.sessions.get(&id).map_or(0, |session| session.read_from);
            let n_again = if self.random.once_in(6) { self.random.below(4) } else { 0 };
            if let Some(process) = self.processes.get_mut(&id) {
                let spool = &mut process.spool;
                let after = spool.entries.partition_point(|entry| entry.start < read_from);
                let unprocessed = spool.entries.iter().position(|entry| !entry.is_processed);
                let cursor = unprocessed.map_or(after, |unprocessed| unprocessed.min(after));
                spool.cursor = cursor.min(spool.cursor).saturating_sub(n_again);
                spool.is_reading = false;
                spool.read_from = read_from;
            }
            self.schedule_spool_read(id);
        }
    }
}

/// Tells whether an item is reported again after a crash: all messages, and the prompts of the current turn.
fn is_reported_again(entry: &SpoolEntry, read_from: u64) -> bool {
    match entry.item {
        OutputItem::Message(_) | OutputItem::Invalid | OutputItem::NearMiss => true,
        OutputItem::Prompt(..) | OutputItem::Permission(_) => entry.start >= read_from,
        OutputItem::Feedback(_)
        | OutputItem::Usage(_)
        | OutputItem::TurnEnd(_)
        | OutputItem::Exited(_)
        | OutputItem::Lost => false,
    }
}

fn input_of_entry(session: SessionId, entry: &SpoolEntry) -> RunInput {
    let offset = MessageOffset { start: entry.start, ordinal: 0 };
    let read_from = entry.read_from;
    let output = match entry.item.clone() {
        OutputItem::Message(message) => {
            AgentOutput::Message { offset, read_from, message: Box::new(message) }
        }
        OutputItem::Invalid => AgentOutput::InvalidMessage {
            offset,
            read_from,
            protocol: "ASK_USER".to_owned(),
            error: "the question is missing".to_owned(),
            raw: "[ASK_USER]".to_owned(),
        },
        OutputItem::NearMiss => {
            AgentOutput::NearMiss { offset, read_from, near: "DONE".to_owned(), raw: "done: T1".to_owned() }
        }
        OutputItem::Prompt(prompt, question) => {
            AgentOutput::QuestionAsked { prompt, question: Box::new(question) }
        }
        OutputItem::Permission(request) => AgentOutput::PermissionRequested(request),
        OutputItem::Feedback(feedback) => AgentOutput::TestFeedback(feedback),
        OutputItem::Usage(usage) => AgentOutput::Usage(usage),
        OutputItem::TurnEnd(words) => {
            let read_from = entry.read_from.max(entry.start + 1);
            AgentOutput::TurnEnded {
                read_from,
                text: words,
                tools: domain::TurnTools::default(),
                failure: None,
            }
        }
        OutputItem::Exited(exit_status) => return Report::SessionEnded { session, exit_status }.into(),
        OutputItem::Lost => {
            return Report::SessionLost { session, reason: "its holder has ended".to_owned() }.into();
        }
    };
    RunInput::Agent { session, output }
}
