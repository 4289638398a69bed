//! What a process wrote, as its holder keeps it: it outlives every crash, and is read again after one.

use domain::{
    AgentMessage, AskUser, Command, MessageOffset, PermissionRequest, SessionId, TestFeedback, Usage,
};

use super::{Happening, World};
use crate::{model::Model, random::Random};

/// One thing in an agent's output.
#[derive(Debug, Clone)]
pub enum Spoken {
    /// A message.
    Said(AgentMessage),
    /// Something that was meant to be one.
    Invalid,
    /// Something that almost is one.
    Near,
    /// A question in the middle of a turn, with the prompt's own id.
    Prompt(String, AskUser),
    /// A permission prompt.
    Permission(PermissionRequest),
    /// The outcome of a test.
    Feedback(TestFeedback),
    /// What was used.
    Used(Usage),
    /// The end of a turn, with what people read of it.
    EndOfTurn(String),
    /// The process ended.
    Ended(Option<i32>),
    /// The process is gone.
    Lost,
}

/// One thing with its place.
#[derive(Debug, Clone)]
struct Entry {
    start: u64,
    read_from: u64,
    spoken: Spoken,
    /// Whether it is in the log, or was refused.
    settled: bool,
}

/// All that a process wrote, and how far it is read.
#[derive(Debug, Clone, Default)]
pub struct Spool {
    entries: Vec<Entry>,
    cursor: usize,
    end: u64,
    reading: bool,
    /// From where the present reader began.
    read_from: u64,
}

impl Spool {
    /// Tells whether all of it is read.
    pub fn is_read(&self) -> bool {
        self.cursor >= self.entries.len()
    }

    pub(super) fn push(&mut self, spoken: Spoken, random: &mut Random) {
        let start = self.end + u64::from(random.between(0, 40));
        self.end = start + u64::from(random.between(1, 200));
        // A message that still waits for its end keeps the place at which reading starts again.
        let read_from = if random.once_in(4) { start } else { self.end };
        self.entries.push(Entry { start, read_from, spoken, settled: false });
    }

    /// Tells whether somebody has to begin to read.
    pub(super) fn begin_read(&mut self) -> bool {
        let begins = !self.reading && !self.is_read();
        self.reading |= begins;
        begins
    }
}

impl World {
    /// Returns what is read next in a session's output.
    pub fn read(&mut self, id: SessionId) -> Option<Command> {
        let process = self.processes.get_mut(&id)?;
        let spool = &mut process.spool;
        let read_from = spool.read_from;
        let is_told_once = |entry: &Entry| entry.settled && !is_told_again(entry, read_from);
        while spool.entries.get(spool.cursor).is_some_and(is_told_once) {
            spool.cursor += 1;
        }
        let entry = spool.entries.get(spool.cursor)?;
        Some(command(id, entry))
    }

    /// What was read is in the log, or was refused: the next one can be.
    pub fn settle(&mut self, id: SessionId) {
        if let Some(process) = self.processes.get_mut(&id) {
            let spool = &mut process.spool;
            if let Some(entry) = spool.entries.get_mut(spool.cursor) {
                entry.settled = true;
                spool.cursor += 1;
            }
        }
        self.end_read(id);
    }

    /// Nobody reads at the moment; somebody does again where there is something.
    pub fn end_read(&mut self, id: SessionId) {
        if let Some(process) = self.processes.get_mut(&id) {
            process.spool.reading = false;
        }
        self.read_on(id);
    }

    /// Whoever read is gone, with all reports that were on their way.
    pub fn crash(&mut self, model: &Model) {
        self.queue.retain(|_, happening| !matches!(happening, Happening::Report(_) | Happening::Read(_)));
        let sessions: Vec<SessionId> = self.processes.keys().copied().collect();
        for id in sessions {
            let read_from = model.sessions.get(&id).map_or(0, |session| session.read_from);
            let again = if self.random.once_in(6) { self.random.below(4) } else { 0 };
            if let Some(process) = self.processes.get_mut(&id) {
                let spool = &mut process.spool;
                let behind = spool.entries.partition_point(|entry| entry.start < read_from);
                let unsettled = spool.entries.iter().position(|entry| !entry.settled);
                let cursor = unsettled.map_or(behind, |unsettled| unsettled.min(behind));
                spool.cursor = cursor.min(spool.cursor).saturating_sub(again);
                spool.reading = false;
                spool.read_from = read_from;
            }
            self.read_on(id);
        }
    }
}

/// Tells whether one who reads again tells it again: all messages, and what the agent asks in its present turn.
fn is_told_again(entry: &Entry, read_from: u64) -> bool {
    match entry.spoken {
        Spoken::Said(_) | Spoken::Invalid | Spoken::Near => true,
        Spoken::Prompt(..) | Spoken::Permission(_) => entry.start >= read_from,
        Spoken::Feedback(_) | Spoken::Used(_) | Spoken::EndOfTurn(_) | Spoken::Ended(_) | Spoken::Lost => {
            false
        }
    }
}

fn command(session: SessionId, entry: &Entry) -> Command {
    let heard = MessageOffset { start: entry.start, ordinal: 0 };
    let read_from = entry.read_from;
    match entry.spoken.clone() {
        Spoken::Said(said) => Command::ReceiveMessage { offset: heard, read_from, message: Box::new(said) },
        Spoken::Invalid => Command::ReceiveInvalid {
            offset: heard,
            read_from,
            protocol: "ASK_USER".to_owned(),
            error: "it has no question".to_owned(),
            raw: "[ASK_USER]".to_owned(),
        },
        Spoken::Near => Command::ReceiveNearMiss {
            offset: heard,
            read_from,
            near: "DONE".to_owned(),
            raw: "done: T1".to_owned(),
        },
        Spoken::Prompt(prompt, asked) => Command::RequestAnswer { prompt, question: Box::new(asked) },
        Spoken::Permission(wish) => Command::RequestPermission(wish),
        Spoken::Feedback(feedback) => Command::ReportTestFeedback(feedback),
        Spoken::Used(usage) => Command::ReportUsage(usage),
        Spoken::EndOfTurn(words) => {
            let read_from = entry.read_from.max(entry.start + 1);
            Command::EndTurn { read_from, text: words, tools: domain::TurnTools::default() }
        }
        Spoken::Ended(exit_status) => Command::ReportEnded { session, exit_status },
        Spoken::Lost => Command::ReportLost { session, reason: "its holder is gone".to_owned() },
    }
}
