//! Applies events about sessions, their inputs, messages and turns.

use domain::{
    AgentMessage, AskUser, InputNumber, MessageOffset, NeedHuman, ParkMode, Role, SessionId, SessionInput,
    StepComplete, Timestamp, UserQuestion, events, without_key_marks,
};

use super::start::add_ms;
use crate::{
    effect::Effect,
    effect_sink::EffectSink,
    result_content::for_each_result,
    run::Run,
    schedule::HoldReason,
    state::{
        ConversationTail, Deadline, EffectKey, ProcessState, ResultState, Session, SessionState, TaskIndex,
        WorkItem,
    },
};

/// Limits the corrections of one turn, so that a confused agent is not flooded.
const CORRECTIONS_MAX: usize = 8;
/// Turns in a row in which a session is told that its output nearly was a message.
const NEAR_MISSES_MAX: u32 = 3;
/// Number of prompts remembered per turn.
const PROMPTS_MAX: usize = 256;

impl Run {
    pub(super) fn apply_session_opened(
        &mut self,
        at: Timestamp,
        opened: &events::SessionOpened,
        sink: &mut EffectSink,
    ) {
        let id = opened.session;
        let is_agent = opened.agent.is_some();
        let agent_session = opened.resumes.and_then(|resumed| self.session(resumed).agent_session.clone());
        self.sessions.push(Session {
            parent: opened.parent,
            depth: opened.depth,
            role: opened.role,
            agent: opened.agent.clone(),
            task: opened.task.as_ref().and_then(|task| self.find_task(task)),
            phase: opened.phase,
            state: SessionState::Open(if is_agent { ProcessState::Starting } else { ProcessState::Active }),
            agent_session,
            ..Session::default()
        });
        self.alive.insert(id);
        self.affected_sessions.insert(id);
        if opened.depth == 0 {
            self.root_session = Some(id);
            // Messages that the previous orchestrator did not handle are still to be handled.
            for _ in 0..self.unread_chats.len() {
                self.queue_work_item(self.root_session, WorkItem::Chat);
                self.expect_chat_reply(at, Some(id));
            }
        }
        if is_agent {
            self.add_spawn_effect(id, sink);
        }
    }

    fn add_spawn_effect(&mut self, id: SessionId, sink: &mut EffectSink) {
        if let Some(assignment) = self.session_assignment(id) {
            let effect = Effect::SpawnAgent(Box::new(assignment));
            sink.add(&mut self.pending_effects, EffectKey::Spawn(id), effect);
        }
    }

    pub(super) fn apply_session_activated(&mut self, id: SessionId, agent_session: Option<&String>) {
        self.pending_effects.remove(&EffectKey::Spawn(id));
        let Some(session) = self.session_mut(id) else { return };
        if session.process() == Some(ProcessState::Starting) {
            session.set_process(ProcessState::Active);
        }
        if let Some(id) = agent_session {
            session.agent_session = Some(id.clone());
        }
    }

    pub(super) fn apply_session_parked(
        &mut self,
        at: Timestamp,
        id: SessionId,
        mode: ParkMode,
        sink: &mut EffectSink,
    ) {
        if let Some(session) = self.session_mut_unmarked(id) {
            session.set_process(ProcessState::Parked(mode));
        }
        self.pending_effects.remove(&EffectKey::Wake(id));
        if mode != ParkMode::Hot {
            let effect = Effect::ParkSession { session: id, mode };
            sink.add(&mut self.pending_effects, EffectKey::Park(id), effect);
        }
        self.timers.clear(Deadline::Park(id));
        let settings = &self.settings;
        match mode {
            ParkMode::Hot => {
                self.timers.set(add_ms(at, settings.park_frozen_after_ms), Deadline::Park(id));
            }
            ParkMode::Frozen => {
                let delay = settings.park_cold_after_ms.saturating_sub(settings.park_frozen_after_ms);
                self.timers.set(add_ms(at, delay), Deadline::Park(id));
            }
            ParkMode::Cold => {
                if let Some(session) = self.session_mut_unmarked(id) {
                    // The process has ended, and its turn with it.
                    session.in_turn = false;
                    // The next process numbers its prompts from the start.
                    session.prompts.clear();
                }
                self.end_turn_wait(id);
            }
        }
    }

    pub(super) fn apply_session_woken(&mut self, id: SessionId, sink: &mut EffectSink) {
        self.timers.clear(Deadline::Park(id));
        self.pending_effects.remove(&EffectKey::Park(id));
        let Some(session) = self.session_mut(id) else { return };
        let Some(from) = session.park_mode() else { return };
        session.set_process(ProcessState::Active);
        if from == ParkMode::Hot {
            return;
        }
        let session = self.session(id);
        let replay = session
            .task
            .filter(|_| from == ParkMode::Cold)
            .map(|task| Box::new(self.task_brief(task, session.conversation.text())));
        let effect = Effect::WakeSession { session: id, from, replay };
        sink.add(&mut self.pending_effects, EffectKey::Wake(id), effect);
    }

    pub(super) fn apply_session_dismissed(&mut self, id: SessionId, sink: &mut EffectSink) {
        self.pending_effects.remove_session(id);
        self.clear_session_timers(id);
        let Some(session) = self.session_mut(id) else { return };
        if let Some(process) = session.process().filter(|_| session.may_have_process()) {
            session.state = SessionState::Ending(process);
            sink.add(&mut self.pending_effects, EffectKey::End(id), Effect::EndSession { session: id });
        } else {
            session.state = SessionState::Ended;
        }
        self.alive.remove(&id);
        self.requeue_unsent_inputs(id);
    }

    pub(super) fn apply_session_ended(&mut self, id: SessionId, sink: &mut EffectSink) {
        self.pending_effects.remove_session(id);
        self.clear_session_timers(id);
        let Some(session) = self.session_mut(id) else { return };
        let was_alive = session.is_alive();
        session.state = SessionState::Ended;
        session.in_turn = false;
        session.conversation = ConversationTail::default();
        let task = session.task;
        if task.is_none() && session.agent.is_some() {
            let effect = Effect::RemoveWorktree { session: id };
            sink.add(&mut self.pending_effects, EffectKey::RemoveWorktree(id), effect);
        }
        self.alive.remove(&id);
        self.end_turn_wait(id);
        if self.root_session == Some(id) && was_alive {
            self.orchestrator_losses += 1;
        }
        self.requeue_unsent_inputs(id);
        self.restart_provisions(id, sink);
        if let Some(task) = task
            && self.task(task).session() == Some(id)
        {
            self.schedule.release(self.task(task).node, HoldReason::AttemptEnding);
        }
    }

    pub(super) fn count_loss(&mut self, id: SessionId) {
        let session = self.session(id);
        let (task, phase) = (session.task, session.phase);
        if !session.is_alive() {
            return;
        }
        if let Some(task) = task.and_then(|task| self.task_mut(task)) {
            task.losses += 1;
        } else if let Some(phase) = phase.and_then(|phase| self.phases.get_mut(&phase)) {
            phase.losses += 1;
        }
    }

    fn clear_session_timers(&mut self, id: SessionId) {
        self.timers.clear(Deadline::Park(id));
        self.timers.clear(Deadline::SessionRateLimit(id));
        self.timers.clear(Deadline::ResolveAnswer(id));
        self.timers.clear(Deadline::ChatReply(id));
        self.resolve_requests.remove(&id);
    }

    /// Returns the unsent inputs of an ended session to its task, for the next session.
    fn requeue_unsent_inputs(&mut self, id: SessionId) {
        let Some(session) = self.session_mut(id) else { return };
        let unsent_inputs = std::mem::take(&mut session.unsent_inputs);
        let task = session.task.filter(|_| session.role == Role::Worker);
        for (_, input) in unsent_inputs {
            for part in unpack_carried_inputs(&input) {
                if let SessionInput::Result { result, .. } = part
                    && let Some(submitted) = self.results.get_mut(result.0)
                {
                    submitted.state = ResultState::Pending;
                    self.pending_results.insert(*result);
                    continue;
                }
                if survives_session(part)
                    && let Some(task) = task
                    && let Some(task) = self.task_mut(task)
                    && !task.stage.is_final()
                {
                    task.pending_inputs.push(part.clone());
                }
            }
        }
    }

    pub(super) fn apply_input_queued(
        &mut self,
        id: SessionId,
        number: InputNumber,
        content: &SessionInput,
        sink: &mut EffectSink,
    ) {
        let Some(session) = self.session_mut(id) else { return };
        session.inputs = number;
        session.unsent_inputs.push_back((number, content.clone()));
        session.in_turn = true;
        if let Some(position) = session.corrections.iter().position(|correction| correction == content) {
            session.corrections.remove(position);
        }
        session.rate_limited = false;
        let item = work_item_of_input(content).filter(|item| session.work_queue.contains(item));
        if let Some(item) = item {
            session.start_work_item(item);
        }
        let task = session.task;
        for part in unpack_carried_inputs(content) {
            if let SessionInput::Result { result, .. } = part {
                self.pending_results.remove(result);
                if let Some(submitted) = self.results.get_mut(result.0) {
                    submitted.state = ResultState::InTransit;
                }
            }
            if let SessionInput::Direct { message, .. } = part
                && let Some(session) = self.session_mut(id)
            {
                session.direct_messages.retain(|waiting| waiting != message);
            }
            if let Some(task) = task.and_then(|task| self.task_mut(task))
                && let Some(position) = task.pending_inputs.iter().position(|input| input == part)
            {
                task.pending_inputs.remove(position);
            }
        }
        if let SessionInput::Chat { text } = content
            && let Some(position) = self.unread_chats.iter().position(|chat| chat == text)
        {
            self.unread_chats.remove(position);
        }
        if let (SessionInput::Task { .. }, Some(task)) = (content, task.and_then(|task| self.task_mut(task)))
        {
            task.hint = None;
        }
        if let (SessionInput::Reminder, Some(session)) = (content, self.session_mut(id)) {
            session.reminded = true;
        }
        self.reset_examination(id);
        self.timers.clear(Deadline::Park(id));
        self.timers.clear(Deadline::SessionRateLimit(id));
        // The files of the last turn are saved before the next one begins.
        let is_checkpoint_pending = task.is_some_and(|task| self.task(task).turn_checkpoint.is_some());
        if !is_checkpoint_pending {
            self.add_input_effect(id, number, content, sink);
        }
    }

    fn add_input_effect(
        &mut self,
        session: SessionId,
        input: InputNumber,
        content: &SessionInput,
        sink: &mut EffectSink,
    ) {
        let brief = self.input_brief(session, content).map(Box::new);
        let reports_tree = self.reports_tree(session, content);
        // The log has large results once.
        let mut content = Box::new(content.clone());
        for_each_result(&mut content, &mut |result, content| {
            if let Some(submitted) = self.results.get_mut(result.0) {
                content.clone_from(&submitted.content);
            }
        });
        let task = self.session(session).task.filter(|_| reports_tree);
        let large_files = task.map(|task| self.task(task).large_files.committed()).unwrap_or_default();
        let effect = Effect::SendInput { session, input, content, brief, reports_tree, large_files };
        sink.add(&mut self.pending_effects, EffectKey::Input(session, input), effect);
    }

    /// Sends the inputs that waited for the checkpoint of a task's last turn.
    pub(super) fn send_withheld_inputs(&mut self, task: TaskIndex, sink: &mut EffectSink) {
        let sessions: Vec<SessionId> =
            self.alive.iter().copied().filter(|id| self.session(*id).task == Some(task)).collect();
        for id in sessions {
            let is_withheld = |(number, _): &&(InputNumber, SessionInput)| {
                !self.pending_effects.has(&EffectKey::Input(id, *number))
            };
            let withheld: Vec<_> =
                self.session(id).unsent_inputs.iter().filter(is_withheld).cloned().collect();
            for (number, content) in withheld {
                self.add_input_effect(id, number, &content, sink);
            }
        }
    }

    pub(super) fn apply_input_sent(&mut self, id: SessionId, number: InputNumber, text: Option<&String>) {
        self.pending_effects.remove(&EffectKey::Input(id, number));
        if let Some(session) = self.session_mut_unmarked(id) {
            let sent = session.unsent_inputs.iter().find(|(unsent, _)| *unsent == number);
            // The description of the task is repeated anyway.
            let is_task = sent.is_some_and(|(_, input)| matches!(input, SessionInput::Task { .. }));
            if let Some(text) = text.filter(|_| !is_task) {
                session.conversation.add_input(text);
            }
            session.unsent_inputs.retain(|(unsent, _)| *unsent != number);
        }
    }

    pub(super) fn record_message_offset(&mut self, id: SessionId, offset: MessageOffset, read_from: u64) {
        let Some(session) = self.session_mut(id) else { return };
        session.received_offsets.insert(offset);
        session.advance_read_position(read_from);
    }

    pub(super) fn count_message(&mut self, at: Timestamp, id: SessionId, message: &AgentMessage) {
        if let Some(session) = self.session_mut(id) {
            session.message_rate.count(at, message);
        }
    }

    pub(super) fn count_message_bytes(&mut self, at: Timestamp, id: SessionId, n_bytes: usize) {
        if let Some(session) = self.session_mut(id) {
            session.message_rate.count_bytes(at, n_bytes);
        }
    }

    /// Records a prompt as processed; only the last ones are remembered.
    pub(super) fn record_handled_prompt(&mut self, id: SessionId, prompt: &str) {
        let Some(session) = self.session_mut(id) else { return };
        if session.prompts.len() == PROMPTS_MAX {
            session.prompts.pop_front();
        }
        session.prompts.push_back(prompt.to_owned());
    }

    pub(super) fn apply_message_received(&mut self, id: SessionId, message: &AgentMessage) {
        self.update_claim(id, message);
        let Some(session) = self.session_mut(id) else { return };
        let is_progress = matches!(message, AgentMessage::Progress(_));
        session.count_valid_message(message.name(), is_progress);
        session.in_turn = true;
        // The text of a turn does not contain its messages.
        if let AgentMessage::AskUser(AskUser { question: text, .. })
        | AgentMessage::UserQuestion(UserQuestion { question: text, .. })
        | AgentMessage::NeedHuman(NeedHuman { question: text })
        | AgentMessage::StepComplete(StepComplete { summary: Some(text) }) = message
        {
            session.conversation.add_turn(text);
        }
        let task = session.task.filter(|_| session.role == Role::Worker && session.current_item.is_none());
        if let (Some(task), AgentMessage::StepComplete(StepComplete { summary: Some(text) })) =
            (task, message)
            && let Some(task) = self.task_mut(task)
        {
            task.set_summary(text);
        }
        self.apply_verifier_message(id, message);
    }

    pub(super) fn apply_message_rejected(&mut self, id: SessionId, protocol: &str, error: &str) {
        let Some(session) = self.session_mut(id) else { return };
        session.count_invalid_message(protocol);
        if session.is_beyond_correction() {
            session.corrections.clear();
        } else if session.corrections.len() < CORRECTIONS_MAX {
            let (protocol, error) = (protocol.to_owned(), error.to_owned());
            session.corrections.push(SessionInput::InvalidMessage { protocol, error });
        }
    }

    pub(super) fn apply_near_miss_received(&mut self, id: SessionId, near: &str, raw: &str) {
        let Some(session) = self.session_mut(id) else { return };
        let is_reported = std::mem::replace(&mut session.near_miss_reported, true);
        if !is_reported && session.near_misses < NEAR_MISSES_MAX && !session.is_beyond_correction() {
            session.near_misses += 1;
            session.corrections.push(SessionInput::NearMiss { near: near.to_owned(), raw: raw.to_owned() });
        }
    }

    pub(super) fn apply_turn_ended(&mut self, at: Timestamp, id: SessionId, read_from: u64, text: &str) {
        let text = &without_key_marks(text);
        self.record_last_words(id, text);
        let replies_to_chat = self.replies_to_chat(id, text);
        let Some(session) = self.session_mut(id) else { return };
        session.conversation.add_turn(text);
        session.in_turn = false;
        let awaits_more = session.work_queue.contains(&WorkItem::Chat);
        if replies_to_chat {
            session.current_item = None;
            session.is_chat_overdue = false;
        }
        session.near_miss_reported = false;
        session.prompts.clear();
        session.advance_read_position(read_from);
        session.turn_from = session.read_from;
        match (replies_to_chat, awaits_more) {
            (true, true) => self.expect_chat_reply(at, Some(id)),
            (true, false) => self.timers.clear(Deadline::ChatReply(id)),
            (false, _) => {}
        }
        self.end_turn_wait(id);
        self.schedule_parking(at, id);
    }

    pub(super) fn apply_turn_interrupted(&mut self, id: SessionId, read_from: u64, text: &str) {
        let text = &without_key_marks(text);
        self.record_last_words(id, text);
        if let Some(session) = self.session_mut_unmarked(id) {
            session.conversation.add_turn(text);
            session.advance_read_position(read_from);
        }
    }

    /// Sets the deadline at which a waiting session is parked.
    pub(super) fn schedule_parking(&mut self, at: Timestamp, id: SessionId) {
        let session = self.session(id);
        let can_park = match session.state {
            SessionState::Open(ProcessState::Starting | ProcessState::Parked(ParkMode::Cold))
            | SessionState::Ending(_)
            | SessionState::Ended => false,
            SessionState::Open(
                ProcessState::Active
                | ProcessState::Parked(ParkMode::Hot | ParkMode::Frozen)
                | ProcessState::Parking { .. },
            ) => true,
        };
        if can_park && session.agent.is_some() && !self.timers.has(Deadline::Park(id)) {
            self.timers.set(add_ms(at, self.settings.park_frozen_after_ms), Deadline::Park(id));
        }
    }
}

/// Returns the inputs that a task's first prompt carries, or the input itself.
pub(crate) fn unpack_carried_inputs(input: &SessionInput) -> Vec<&SessionInput> {
    if let SessionInput::Task { carried, .. } = input { carried.iter().collect() } else { vec![input] }
}

/// Returns whether the next session of the task must receive this input.
fn survives_session(input: &SessionInput) -> bool {
    match input {
        SessionInput::Answer { .. }
        | SessionInput::Provided { .. }
        | SessionInput::Refused { .. }
        | SessionInput::InvocationEnded { .. }
        | SessionInput::Direct { .. }
        | SessionInput::Feedback { .. }
        | SessionInput::EvidenceRequest { .. }
        | SessionInput::Conflict { .. }
        | SessionInput::Rework { .. }
        | SessionInput::UserMessage { .. }
        | SessionInput::TaskChanged { .. } => true,
        // These concern the ended process, or are sent again anyway.
        SessionInput::Task { .. }
        | SessionInput::ClarificationRequest { .. }
        | SessionInput::Permission { .. }
        | SessionInput::Invocation { .. }
        | SessionInput::Result { .. }
        | SessionInput::InvalidMessage { .. }
        | SessionInput::NearMiss { .. }
        | SessionInput::Reminder
        | SessionInput::Test { .. }
        | SessionInput::Verify { .. }
        | SessionInput::Question { .. }
        | SessionInput::Escalation { .. }
        | SessionInput::ThinLine { .. }
        | SessionInput::Chat { .. }
        | SessionInput::Resume { .. } => false,
    }
}

/// Returns the work item that an input assigns to its session.
fn work_item_of_input(input: &SessionInput) -> Option<WorkItem> {
    match input {
        SessionInput::Question { question, .. } => Some(WorkItem::Question(*question)),
        SessionInput::Escalation { escalation, .. } => Some(WorkItem::Escalation(*escalation)),
        SessionInput::Chat { .. } => Some(WorkItem::Chat),
        SessionInput::Answer { .. }
        | SessionInput::Provided { .. }
        | SessionInput::Refused { .. }
        | SessionInput::InvocationEnded { .. }
        | SessionInput::Direct { .. }
        | SessionInput::Feedback { .. }
        | SessionInput::EvidenceRequest { .. }
        | SessionInput::Conflict { .. }
        | SessionInput::Rework { .. }
        | SessionInput::UserMessage { .. }
        | SessionInput::TaskChanged { .. }
        | SessionInput::Task { .. }
        | SessionInput::ClarificationRequest { .. }
        | SessionInput::Permission { .. }
        | SessionInput::Invocation { .. }
        | SessionInput::Result { .. }
        | SessionInput::InvalidMessage { .. }
        | SessionInput::NearMiss { .. }
        | SessionInput::Reminder
        | SessionInput::Test { .. }
        | SessionInput::Verify { .. }
        | SessionInput::ThinLine { .. }
        | SessionInput::Resume { .. } => None,
    }
}
