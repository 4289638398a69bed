//! What happens to sessions: they come, are told things, say things, wait, go.

use domain::{
    AgentMessage, AgentName, InputNumber, MessageOffset, ParkMode, PhaseNumber, Role, SessionId,
    SessionInput, TaskId, Timestamp,
};

use super::start::later;
use crate::{
    effect::Effect,
    orders::Given,
    run::Run,
    schedule::HoldReason,
    state::{Deadline, Duty, EffectKey, ResultState, Session, SessionState},
};

/// More than these corrections of one turn would only feed a quarrel.
const CORRECTIONS_MAX: usize = 8;
/// An agent that asks more than this in one turn has lost count.
const PROMPTS_MAX: usize = 256;

/// What is known of a session when it begins.
pub(super) struct Opened<'a> {
    pub(super) parent: Option<SessionId>,
    pub(super) depth: u32,
    pub(super) role: Role,
    pub(super) agent: Option<&'a AgentName>,
    pub(super) task: Option<&'a TaskId>,
    pub(super) phase: Option<PhaseNumber>,
    pub(super) resumes: Option<SessionId>,
}

impl Run {
    pub(super) fn session_opened(&mut self, id: SessionId, opened: &Opened<'_>, given: &mut Given) {
        let is_agent = opened.agent.is_some();
        let memory = opened.resumes.and_then(|resumed| self.session(resumed).agent_session.clone());
        self.sessions.push(Session {
            parent: opened.parent,
            depth: opened.depth,
            role: opened.role,
            agent: opened.agent.cloned(),
            task: opened.task.and_then(|task| self.find(task)),
            phase: opened.phase,
            state: if is_agent { SessionState::Starting } else { SessionState::Active },
            dismissed: false,
            agent_session: memory,
            ..Session::default()
        });
        self.alive.insert(id);
        if opened.depth == 0 {
            self.root = Some(id);
            // What its predecessor was told and did not do is still to be done.
            for _ in 0..self.chats.len() {
                self.give_duty(self.root, Duty::Chat);
            }
        }
        if is_agent {
            given.order(&mut self.orders, EffectKey::Spawn(id), Effect::SpawnAgent { session: id });
        }
    }

    pub(super) fn session_activated(&mut self, id: SessionId, agent_session: Option<&String>) {
        self.orders.close(&EffectKey::Spawn(id));
        let Some(session) = self.sessions.get_mut(id.0) else { return };
        if session.state == SessionState::Starting {
            session.state = SessionState::Active;
        }
        if let Some(own) = agent_session {
            session.agent_session = Some(own.clone());
        }
    }

    pub(super) fn session_parked(&mut self, at: Timestamp, id: SessionId, mode: ParkMode, given: &mut Given) {
        if let Some(session) = self.sessions.get_mut(id.0) {
            session.state = SessionState::Parked(mode);
            session.cooling = None;
        }
        self.orders.close(&EffectKey::Wake(id));
        if mode != ParkMode::Hot {
            let effect = Effect::ParkSession { session: id, mode };
            given.order(&mut self.orders, EffectKey::Park(id), effect);
        }
        self.timers.clear(Deadline::Park(id));
        let settings = &self.settings;
        match mode {
            ParkMode::Hot => {
                self.timers.set(later(at, settings.park_frozen_after_ms), Deadline::Park(id));
            }
            ParkMode::Frozen => {
                let rest = settings.park_cold_after_ms.saturating_sub(settings.park_frozen_after_ms);
                self.timers.set(later(at, rest), Deadline::Park(id));
            }
            ParkMode::Cold => {
                if let Some(session) = self.sessions.get_mut(id.0) {
                    // The process is gone, and its turn with it.
                    session.in_turn = false;
                    // The next process counts anew.
                    session.prompts.clear();
                }
            }
        }
    }

    pub(super) fn session_woken(&mut self, id: SessionId, given: &mut Given) {
        self.timers.clear(Deadline::Park(id));
        self.orders.close(&EffectKey::Park(id));
        let Some(session) = self.sessions.get_mut(id.0) else { return };
        session.cooling = None;
        if let SessionState::Parked(from) = session.state {
            session.state = SessionState::Active;
            if from != ParkMode::Hot {
                let effect = Effect::WakeSession { session: id, from };
                given.order(&mut self.orders, EffectKey::Wake(id), effect);
            }
        }
    }

    pub(super) fn session_dismissed(&mut self, id: SessionId, given: &mut Given) {
        self.orders.close_session(id);
        self.forget_timers(id);
        let Some(session) = self.sessions.get_mut(id.0) else { return };
        session.dismissed = true;
        if session.has_process() {
            given.order(&mut self.orders, EffectKey::End(id), Effect::EndSession { session: id });
        } else {
            session.state = SessionState::Over;
        }
        self.alive.remove(&id);
        self.bequeath(id);
    }

    pub(super) fn session_over(&mut self, id: SessionId) {
        self.orders.close_session(id);
        self.forget_timers(id);
        let Some(session) = self.sessions.get_mut(id.0) else { return };
        session.state = SessionState::Over;
        session.in_turn = false;
        let task = session.task;
        self.alive.remove(&id);
        if self.root == Some(id) && !self.session(id).dismissed {
            self.orchestrators_lost += 1;
        }
        self.bequeath(id);
        if let Some(task) = task
            && self.task(task).session == Some(id)
        {
            self.schedule.release(self.task(task).node, HoldReason::AttemptEnding);
        }
    }

    pub(super) fn count_loss(&mut self, id: SessionId) {
        let session = self.session(id);
        let (task, phase) = (session.task, session.phase);
        if session.dismissed {
            return;
        }
        if let Some(task) = task.and_then(|task| self.task_mut(task)) {
            task.losses += 1;
        } else if let Some(phase) = phase.and_then(|phase| self.phases.get_mut(&phase)) {
            phase.losses += 1;
        }
    }

    fn forget_timers(&mut self, id: SessionId) {
        self.timers.clear(Deadline::Park(id));
        self.timers.clear(Deadline::SessionLimit(id));
        self.timers.clear(Deadline::Resolve(id));
        self.resolves.remove(&id);
    }

    /// What a session was told and never got is owed to the one that takes its place.
    fn bequeath(&mut self, id: SessionId) {
        let Some(session) = self.sessions.get_mut(id.0) else { return };
        let untyped = std::mem::take(&mut session.untyped);
        let task = session.task.filter(|_| session.role == Role::Worker);
        for (_, input) in untyped {
            for part in parts(&input) {
                if let SessionInput::Result { result, .. } = part
                    && let Some(submitted) = self.results.get_mut(result.0)
                {
                    submitted.state = ResultState::Pending;
                    self.pending_results.insert(*result);
                    continue;
                }
                if is_owed(part)
                    && let Some(task) = task
                    && let Some(task) = self.task_mut(task)
                    && !task.stage.is_over()
                {
                    task.owed.push(part.clone());
                }
            }
        }
    }

    pub(super) fn input_queued(
        &mut self,
        id: SessionId,
        number: InputNumber,
        content: &SessionInput,
        given: &mut Given,
    ) {
        let Some(session) = self.sessions.get_mut(id.0) else { return };
        session.inputs = number;
        session.untyped.push_back((number, content.clone()));
        session.in_turn = true;
        session.concluded = false;
        if let Some(place) = session.corrections.iter().position(|correction| correction == content) {
            session.corrections.remove(place);
        }
        session.limited = false;
        let duty = duty_of(content).filter(|duty| session.duties.contains(duty));
        if let Some(duty) = duty {
            session.duties.retain(|waiting| *waiting != duty);
            session.in_hand = Some(duty);
        }
        let task = session.task;
        for part in parts(content) {
            match part {
                SessionInput::Result { result, .. } => {
                    self.pending_results.remove(result);
                    if let Some(submitted) = self.results.get_mut(result.0) {
                        submitted.state = ResultState::OnItsWay;
                    }
                }
                SessionInput::Direct { message, .. } => {
                    if let Some(session) = self.sessions.get_mut(id.0) {
                        session.mail.retain(|waiting| waiting != message);
                    }
                }
                _ => {}
            }
            if let Some(task) = task.and_then(|task| self.task_mut(task))
                && let Some(place) = task.owed.iter().position(|owed| owed == part)
            {
                task.owed.remove(place);
            }
        }
        if let SessionInput::Chat { text } = content
            && let Some(place) = self.chats.iter().position(|chat| chat == text)
        {
            self.chats.remove(place);
        }
        if let (SessionInput::Task { .. }, Some(task)) = (content, task.and_then(|task| self.task_mut(task)))
        {
            task.hint = None;
        }
        if let (SessionInput::Reminder, Some(session)) = (content, self.sessions.get_mut(id.0)) {
            session.nudged = true;
        }
        if let (SessionInput::Reminder, Some(task)) = (content, task.and_then(|task| self.task_mut(task))) {
            task.nudged = true;
        }
        self.timers.clear(Deadline::Park(id));
        self.timers.clear(Deadline::SessionLimit(id));
        let effect = Effect::SendInput { session: id, input: number, content: Box::new(content.clone()) };
        given.order(&mut self.orders, EffectKey::Say(id, number), effect);
    }

    pub(super) fn input_typed(&mut self, id: SessionId, number: InputNumber) {
        self.orders.close(&EffectKey::Say(id, number));
        if let Some(session) = self.sessions.get_mut(id.0) {
            session.untyped.retain(|(untyped, _)| *untyped != number);
        }
    }

    pub(super) fn heard(&mut self, id: SessionId, heard: MessageOffset, read_from: u64) {
        let Some(session) = self.sessions.get_mut(id.0) else { return };
        session.heard.insert(heard);
        session.read_on(read_from);
    }

    /// A prompt was taken. Of a turn without an end only the last ones are known.
    pub(super) fn prompted(&mut self, id: SessionId, prompt: &str) {
        let Some(session) = self.sessions.get_mut(id.0) else { return };
        if session.prompts.len() == PROMPTS_MAX {
            session.prompts.pop_front();
        }
        session.prompts.push_back(prompt.to_owned());
    }

    pub(super) fn message_heard(&mut self, id: SessionId, said: &AgentMessage) {
        let Some(session) = self.sessions.get_mut(id.0) else { return };
        session.invalid_in_a_row = 0;
        session.in_turn = true;
        session.concluded |= concludes(said);
        if let (Some(Duty::Judge(phase)), AgentMessage::Fail(fail)) = (session.in_hand, said)
            && let Some(phase) = self.phases.get_mut(&phase)
        {
            let reason = fail.reason.clone().unwrap_or_default();
            phase.objections.push((fail.task_id.clone(), reason));
        }
    }

    pub(super) fn message_refused(&mut self, id: SessionId, protocol: &str, error: &str) {
        let Some(session) = self.sessions.get_mut(id.0) else { return };
        session.invalid_in_a_row += 1;
        if session.corrections.len() < CORRECTIONS_MAX {
            let (protocol, error) = (protocol.to_owned(), error.to_owned());
            session.corrections.push(SessionInput::InvalidMessage { protocol, error });
        }
    }

    pub(super) fn near_miss_heard(&mut self, id: SessionId, near: &str, raw: &str) {
        let Some(session) = self.sessions.get_mut(id.0) else { return };
        if !std::mem::replace(&mut session.told_of_near_miss, true) {
            session.corrections.push(SessionInput::NearMiss { near: near.to_owned(), raw: raw.to_owned() });
        }
    }

    pub(super) fn turn_ended(&mut self, at: Timestamp, id: SessionId, read_from: u64) {
        let Some(session) = self.sessions.get_mut(id.0) else { return };
        session.in_turn = false;
        if session.in_hand == Some(Duty::Chat) {
            session.in_hand = None;
        }
        session.told_of_near_miss = false;
        session.prompts.clear();
        session.read_on(read_from);
        session.turn_from = session.read_from;
        self.wait_to_park(at, id);
    }

    pub(super) fn turn_cut(&mut self, id: SessionId, read_from: u64) {
        if let Some(session) = self.sessions.get_mut(id.0) {
            session.read_on(read_from);
        }
    }

    /// Lets the clock look whether a session that waits should wait at less cost.
    pub(super) fn wait_to_park(&mut self, at: Timestamp, id: SessionId) {
        let session = self.session(id);
        let is_there = session.is_alive()
            && !matches!(session.state, SessionState::Starting | SessionState::Parked(ParkMode::Cold));
        if is_there && session.agent.is_some() && !self.timers.has(Deadline::Park(id)) {
            self.timers.set(later(at, self.settings.park_frozen_after_ms), Deadline::Park(id));
        }
    }
}

/// Returns an input and what it carries along.
pub(crate) fn parts(input: &SessionInput) -> Vec<&SessionInput> {
    match input {
        SessionInput::Task { carried, .. } => carried.iter().collect(),
        other => vec![other],
    }
}

/// Tells whether the next session of the task must hear of this.
fn is_owed(input: &SessionInput) -> bool {
    match input {
        SessionInput::Answer { .. }
        | SessionInput::Provided { .. }
        | SessionInput::Refused { .. }
        | SessionInput::InvocationEnded { .. }
        | SessionInput::Direct { .. }
        | SessionInput::Feedback { .. }
        | SessionInput::Conflict { .. }
        | SessionInput::Rework { .. }
        | SessionInput::UserMessage { .. }
        | SessionInput::TaskChanged { .. } => true,
        // The rest is about a process that is gone, or is said anew by itself.
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

/// Returns the duty that an input gives into a session's hand.
fn duty_of(input: &SessionInput) -> Option<Duty> {
    match input {
        SessionInput::Question { question, .. } => Some(Duty::Question(*question)),
        SessionInput::Escalation { escalation, .. } => Some(Duty::Escalation(*escalation)),
        SessionInput::Chat { .. } => Some(Duty::Chat),
        _ => None,
    }
}

/// Tells whether a message decides how the speaker's task goes on, so that the end of the turn need not.
fn concludes(said: &AgentMessage) -> bool {
    matches!(
        said,
        AgentMessage::AskUser(_)
            | AgentMessage::UserQuestion(_)
            | AgentMessage::NeedHuman(_)
            | AgentMessage::DependencyRequest(_)
            | AgentMessage::Invoke(_)
            | AgentMessage::Done(_)
            | AgentMessage::Fail(_)
            | AgentMessage::Error(_)
    )
}
