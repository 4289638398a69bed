//! A session: an agent process, or a level of the session tree that Jangdan plays itself.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use domain::{
    AgentName, CheckpointId, DirectMessageId, InputNumber, MessageOffset, ParkMode, PhaseNumber, QuestionId,
    Role, SessionId, SessionInput,
};

use super::{ConversationTail, MessageRate, TaskIndex, WorkItem};

/// Invalid messages in a row after which a session is no longer corrected.
pub(crate) const INVALID_MESSAGES_MAX: u32 = 3;
/// Invalid messages of one kind after which it is not corrected either, whatever valid ones of other kinds are among them.
pub(crate) const INVALID_OF_A_KIND_MAX: u32 = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionState {
    /// It can receive inputs.
    Open(ProcessState),
    /// Its end was requested; its process may still run.
    Ending(ProcessState),
    Ended,
}

/// What the process of a session does. A session that Jangdan plays itself is always active.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProcessState {
    Starting,
    Active,
    Parked(ParkMode),
    /// Suspended; the process is ended when the checkpoint exists.
    Parking {
        checkpoint: CheckpointId,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Session {
    pub(crate) parent: Option<SessionId>,
    pub(crate) depth: u32,
    pub(crate) role: Role,
    /// `None` if Jangdan plays the session itself.
    pub(crate) agent: Option<AgentName>,
    pub(crate) task: Option<TaskIndex>,
    pub(crate) phase: Option<PhaseNumber>,
    pub(crate) state: SessionState,
    /// The agent's own session id, used to resume it.
    pub(crate) agent_session: Option<String>,
    /// Whether it received an input and has not ended its turn.
    pub(crate) in_turn: bool,
    /// Number of inputs queued so far.
    pub(crate) inputs: InputNumber,
    /// Queued inputs that are not reported as sent.
    pub(crate) unsent_inputs: VecDeque<(InputNumber, SessionInput)>,
    /// Processed messages at or after `read_from`.
    pub(crate) received_offsets: BTreeSet<MessageOffset>,
    pub(crate) read_from: u64,
    /// Prompts of the current turn; after a restart they are read again and ignored.
    pub(crate) prompts: VecDeque<String>,
    /// Value of `read_from` at the end of the last turn.
    pub(crate) turn_from: u64,
    /// Rejected messages since the last valid one. Reports of progress do not count as valid.
    pub(crate) invalid_in_a_row: u32,
    /// Rejected messages of each kind since the last valid one of that kind.
    pub(crate) invalid_by_kind: BTreeMap<String, u32>,
    /// Near misses since the last valid message.
    pub(crate) near_misses: u32,
    pub(crate) message_rate: MessageRate,
    /// Feedback about invalid messages, sent when the turn ends.
    pub(crate) corrections: Vec<SessionInput>,
    pub(crate) near_miss_reported: bool,
    /// Whether it received a `Reminder`.
    pub(crate) reminded: bool,
    /// Its unanswered questions; it waits for the first.
    pub(crate) questions: VecDeque<QuestionId>,
    pub(crate) current_item: Option<WorkItem>,
    pub(crate) work_queue: VecDeque<WorkItem>,
    /// Direct messages that are not delivered yet.
    pub(crate) direct_messages: VecDeque<DirectMessageId>,
    /// Whether it did not reply to the chat in time.
    pub(crate) is_chat_overdue: bool,
    /// Whether it waits for a rate limit of its agent to reset.
    pub(crate) rate_limited: bool,
    pub(crate) rate_limit_waits: u32,
    /// Cost reported so far, in millionths.
    pub(crate) cost_micros: u64,
    pub(crate) conversation: ConversationTail,
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
            agent_session: None,
            in_turn: false,
            inputs: 0,
            unsent_inputs: VecDeque::new(),
            received_offsets: BTreeSet::new(),
            read_from: 0,
            prompts: VecDeque::new(),
            turn_from: 0,
            invalid_in_a_row: 0,
            invalid_by_kind: BTreeMap::new(),
            near_misses: 0,
            message_rate: MessageRate::default(),
            corrections: Vec::new(),
            near_miss_reported: false,
            reminded: false,
            questions: VecDeque::new(),
            current_item: None,
            work_queue: VecDeque::new(),
            direct_messages: VecDeque::new(),
            is_chat_overdue: false,
            rate_limited: false,
            rate_limit_waits: 0,
            cost_micros: 0,
            conversation: ConversationTail::default(),
        }
    }
}

impl Session {
    /// Returns whether it can receive inputs.
    pub(crate) fn is_alive(&self) -> bool {
        matches!(self.state, SessionState::Open(_))
    }

    /// Returns what its process does, `None` once the session has ended.
    pub(crate) fn process(&self) -> Option<ProcessState> {
        match self.state {
            SessionState::Open(process) | SessionState::Ending(process) => Some(process),
            SessionState::Ended => None,
        }
    }

    /// Records what its process does. An ended session has no process.
    pub(crate) fn set_process(&mut self, new: ProcessState) {
        match &mut self.state {
            SessionState::Open(process) | SessionState::Ending(process) => *process = new,
            SessionState::Ended => {}
        }
    }

    pub(crate) fn is_parked(&self) -> bool {
        self.park_mode().is_some()
    }

    /// Returns whether it was parked within its turn, and cannot end the turn before it is woken.
    pub(crate) fn is_parked_in_turn(&self) -> bool {
        self.in_turn && self.is_parked()
    }

    /// Returns the parking mode of a parked session.
    pub(crate) fn park_mode(&self) -> Option<ParkMode> {
        match self.process()? {
            ProcessState::Parked(mode) => Some(mode),
            ProcessState::Parking { .. } => Some(ParkMode::Frozen),
            ProcessState::Starting | ProcessState::Active => None,
        }
    }

    /// Returns whether a process may still exist.
    pub(crate) fn may_have_process(&self) -> bool {
        self.state != SessionState::Ended && self.agent.is_some()
    }

    /// Advances the read position and forgets the messages before it.
    pub(crate) fn advance_read_position(&mut self, read_from: u64) {
        self.read_from = self.read_from.max(read_from);
        let first_kept = MessageOffset { start: self.read_from, ordinal: 0 };
        self.received_offsets = self.received_offsets.split_off(&first_kept);
    }

    /// Makes a queued work item the current one. Chat messages are queued once each.
    pub(crate) fn start_work_item(&mut self, item: WorkItem) {
        if let Some(position) = self.work_queue.iter().position(|waiting| *waiting == item) {
            self.work_queue.remove(position);
        }
        self.current_item = Some(item);
    }

    /// Removes a work item that was withdrawn or completed.
    pub(crate) fn remove_work_item(&mut self, item: WorkItem) {
        self.work_queue.retain(|waiting| *waiting != item);
        if self.current_item == Some(item) {
            self.current_item = None;
        }
    }

    /// Returns whether it sent so many invalid messages that it is no longer corrected.
    pub(crate) fn is_beyond_correction(&self) -> bool {
        self.invalid_in_a_row >= INVALID_MESSAGES_MAX
            || self.invalid_by_kind.values().any(|count| *count >= INVALID_OF_A_KIND_MAX)
    }

    /// Counts a rejected message.
    pub(crate) fn count_invalid_message(&mut self, kind: &str) {
        self.invalid_in_a_row = self.invalid_in_a_row.saturating_add(1);
        let count = self.invalid_by_kind.entry(kind.to_owned()).or_default();
        *count = count.saturating_add(1);
    }

    /// Counts a valid message. Progress does not show that the agent understands why another message was rejected.
    pub(crate) fn count_valid_message(&mut self, kind: &str, is_progress: bool) {
        self.invalid_by_kind.remove(kind);
        if !is_progress {
            self.invalid_in_a_row = 0;
            self.near_misses = 0;
        }
    }

    /// Forgets the rejected messages: a decision was made about them.
    pub(crate) fn forget_invalid_messages(&mut self) {
        self.invalid_in_a_row = 0;
        self.invalid_by_kind.clear();
        self.near_misses = 0;
    }

    /// Returns whether it only waits for its next work item.
    pub(crate) fn is_idle(&self) -> bool {
        self.is_alive()
            && !self.in_turn
            && self.current_item.is_none()
            && self.questions.is_empty()
            && !self.rate_limited
    }
}
