//! One session: a living agent process, or a level of the tree that Jangdan plays itself.

use std::collections::{BTreeSet, VecDeque};

use domain::{
    AgentName, CheckpointId, DirectMessageId, InputNumber, MessageOffset, ParkMode, PhaseNumber, QuestionId,
    Role, SessionId, SessionInput,
};

use super::{TaskRef, WorkItem};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionState {
    Starting,
    Active,
    Parked(ParkMode),
    Ended,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Session {
    pub(crate) parent: Option<SessionId>,
    pub(crate) depth: u32,
    pub(crate) role: Role,
    /// Nothing where Jangdan plays it.
    pub(crate) agent: Option<AgentName>,
    pub(crate) task: Option<TaskRef>,
    pub(crate) phase: Option<PhaseNumber>,
    pub(crate) state: SessionState,
    /// Whether its end was ordered.
    pub(crate) dismissed: bool,
    /// The agent's own session id, by which it can be resumed.
    pub(crate) agent_session: Option<String>,
    /// Whether it was told something and has not ended its turn.
    pub(crate) in_turn: bool,
    /// Whether it said something in this turn that decides how its task goes on.
    pub(crate) turn_concluded: bool,
    /// How many inputs it has got.
    pub(crate) inputs: InputNumber,
    /// Those that are not typed yet.
    pub(crate) unsent_inputs: VecDeque<(InputNumber, SessionInput)>,
    /// Messages that were taken, behind `read_from`.
    pub(crate) received_offsets: BTreeSet<MessageOffset>,
    pub(crate) read_from: u64,
    /// The prompts of its present turn that were taken: after a restart they are read again.
    pub(crate) prompts: VecDeque<String>,
    /// Where reading went on when its last turn ended.
    pub(crate) turn_from: u64,
    pub(crate) invalid_in_a_row: u32,
    /// What it is to be told about what it said, when its turn is over.
    pub(crate) corrections: Vec<SessionInput>,
    pub(crate) near_miss_reported: bool,
    /// Whether it was asked to say a word.
    pub(crate) reminded: bool,
    /// What it asked and has no answer for, the one it waits for first.
    pub(crate) questions: VecDeque<QuestionId>,
    pub(crate) current_item: Option<WorkItem>,
    pub(crate) work_queue: VecDeque<WorkItem>,
    /// Direct messages that it has not been told.
    pub(crate) direct_messages: VecDeque<DirectMessageId>,
    /// The checkpoint that must be made before its process is ended.
    pub(crate) parking_checkpoint: Option<CheckpointId>,
    /// Whether it waits for a limit of its agent's, and how often it did.
    pub(crate) rate_limited: bool,
    pub(crate) rate_limit_waits: u32,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            parent: None,
            depth: 0,
            role: Role::Worker,
            agent: None,
            task: None,
            phase: None,
            state: SessionState::Ended,
            dismissed: true,
            agent_session: None,
            in_turn: false,
            turn_concluded: false,
            inputs: 0,
            unsent_inputs: VecDeque::new(),
            received_offsets: BTreeSet::new(),
            read_from: 0,
            prompts: VecDeque::new(),
            turn_from: 0,
            invalid_in_a_row: 0,
            corrections: Vec::new(),
            near_miss_reported: false,
            reminded: false,
            questions: VecDeque::new(),
            current_item: None,
            work_queue: VecDeque::new(),
            direct_messages: VecDeque::new(),
            parking_checkpoint: None,
            rate_limited: false,
            rate_limit_waits: 0,
        }
    }
}

impl Session {
    /// Tells whether something can be said to it.
    pub(crate) fn is_alive(&self) -> bool {
        self.state != SessionState::Ended && !self.dismissed
    }

    /// Tells whether a process may still be there.
    pub(crate) fn has_process(&self) -> bool {
        self.state != SessionState::Ended && self.agent.is_some()
    }

    /// Notes that nothing before a place is needed any more.
    pub(crate) fn advance_read_position(&mut self, read_from: u64) {
        self.read_from = self.read_from.max(read_from);
        let first_kept = MessageOffset { start: self.read_from, ordinal: 0 };
        self.received_offsets = self.received_offsets.split_off(&first_kept);
    }

    /// Tells whether it waits for nothing but the next thing to do.
    pub(crate) fn is_idle(&self) -> bool {
        self.is_alive()
            && !self.in_turn
            && self.current_item.is_none()
            && self.questions.is_empty()
            && !self.rate_limited
    }
}
