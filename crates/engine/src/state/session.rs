//! One session: a living agent process, or a level of the tree that Jangdan plays itself.

use std::collections::{BTreeSet, VecDeque};

use domain::{
    AgentName, CheckpointId, DirectMessageId, InputNumber, MessageOffset, ParkMode, PhaseNumber, QuestionId,
    Role, SessionId, SessionInput,
};

use super::{Duty, TaskRef};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionState {
    Starting,
    Active,
    Parked(ParkMode),
    Over,
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
    pub(crate) concluded: bool,
    /// How many inputs it has got.
    pub(crate) inputs: InputNumber,
    /// Those that are not typed yet.
    pub(crate) untyped: VecDeque<(InputNumber, SessionInput)>,
    /// Messages that were taken, behind `read_from`.
    pub(crate) heard: BTreeSet<MessageOffset>,
    pub(crate) read_from: u64,
    /// The prompts of its present turn that were taken: after a restart they are read again.
    pub(crate) prompts: VecDeque<String>,
    /// Where reading went on when its last turn ended.
    pub(crate) turn_from: u64,
    pub(crate) invalid_in_a_row: u32,
    /// What it is to be told about what it said, when its turn is over.
    pub(crate) corrections: Vec<SessionInput>,
    pub(crate) told_of_near_miss: bool,
    /// Whether it was asked to say a word.
    pub(crate) nudged: bool,
    /// What it asked and has no answer for, the one it waits for first.
    pub(crate) questions: VecDeque<QuestionId>,
    pub(crate) in_hand: Option<Duty>,
    pub(crate) duties: VecDeque<Duty>,
    /// Direct messages that it has not been told.
    pub(crate) mail: VecDeque<DirectMessageId>,
    /// The checkpoint that must be made before its process is ended.
    pub(crate) cooling: Option<CheckpointId>,
    /// Whether it waits for a limit of its agent's, and how often it did.
    pub(crate) limited: bool,
    pub(crate) waits: u32,
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
            state: SessionState::Over,
            dismissed: true,
            agent_session: None,
            in_turn: false,
            concluded: false,
            inputs: 0,
            untyped: VecDeque::new(),
            heard: BTreeSet::new(),
            read_from: 0,
            prompts: VecDeque::new(),
            turn_from: 0,
            invalid_in_a_row: 0,
            corrections: Vec::new(),
            told_of_near_miss: false,
            nudged: false,
            questions: VecDeque::new(),
            in_hand: None,
            duties: VecDeque::new(),
            mail: VecDeque::new(),
            cooling: None,
            limited: false,
            waits: 0,
        }
    }
}

impl Session {
    /// Tells whether something can be said to it.
    pub(crate) fn is_alive(&self) -> bool {
        self.state != SessionState::Over && !self.dismissed
    }

    /// Tells whether a process may still be there.
    pub(crate) fn has_process(&self) -> bool {
        self.state != SessionState::Over && self.agent.is_some()
    }

    /// Notes that nothing before a place is needed any more.
    pub(crate) fn read_on(&mut self, read_from: u64) {
        self.read_from = self.read_from.max(read_from);
        let first_kept = MessageOffset { start: self.read_from, ordinal: 0 };
        self.heard = self.heard.split_off(&first_kept);
    }

    /// Tells whether it waits for nothing but the next thing to do.
    pub(crate) fn is_idle(&self) -> bool {
        self.is_alive()
            && !self.in_turn
            && self.in_hand.is_none()
            && self.questions.is_empty()
            && !self.limited
    }
}
