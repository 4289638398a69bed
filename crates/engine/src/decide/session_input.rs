//! What is said to sessions, and when: nothing into a turn that goes on, but for what the turn itself waits for.

use domain::{AgentName, Event, ResultId, SessionId, SessionInput};

use super::DecisionContext;
use crate::state::{SessionState, TaskRef, TaskStage, WorkItem};

/// A session that reads nothing is not told more than this.
const UNSENT_INPUTS_MAX: usize = 64;

impl DecisionContext<'_> {
    /// Says something to a session, and wakes it where it waits.
    pub(super) fn send_input(&mut self, session: SessionId, content: SessionInput) {
        let told = self.run.session(session);
        if !told.is_alive() || told.agent.is_none() {
            return;
        }
        if matches!(told.state, SessionState::Parked(_)) {
            self.emit_by_rule(Event::SessionWoken { session });
        }
        let input = self.run.session(session).inputs.saturating_add(1);
        self.emit_by_rule(Event::InputQueued { session, input, content: Box::new(content) });
    }

    /// Tells a session what could not be taken of what it said, once its turn is over; tells whether there was some.
    pub(super) fn send_corrections(&mut self, session: SessionId) -> bool {
        let told = self.run.session(session);
        if told.in_turn || told.corrections.is_empty() || told.unsent_inputs.len() >= UNSENT_INPUTS_MAX {
            return false;
        }
        for correction in told.corrections.clone() {
            self.send_input(session, correction);
        }
        true
    }

    /// Tells a task's session what it waited for, as soon as its turn is over.
    pub(super) fn send_pending_inputs(&mut self, task: TaskRef) {
        let state = self.run.task(task);
        let Some(session) = state.session else { return };
        if state.stage != TaskStage::Running || state.is_blocked() || !self.run.session(session).is_alive() {
            return;
        }
        let told = self.run.session(session);
        let in_turn = told.in_turn;
        if in_turn && matches!(told.state, SessionState::Parked(_)) {
            // It was stopped in the middle of its turn, and can't end it before it goes on.
            self.emit_by_rule(Event::SessionWoken { session });
        }
        // A turn that waits for an answer ends only when it has it.
        let is_prompted = |input: &SessionInput| {
            matches!(input, SessionInput::Permission { .. } | SessionInput::Answer { prompt: Some(_), .. })
        };
        let is_now = |input: &SessionInput| !in_turn || is_prompted(input);
        let pending_inputs: Vec<SessionInput> =
            self.run.task(task).pending_inputs.iter().filter(|input| is_now(input)).cloned().collect();
        for input in pending_inputs {
            self.send_input(session, input);
        }
    }

    /// Delivers direct messages and results; tells whether there were some.
    pub(super) fn deliver_messages(&mut self, session: SessionId) -> bool {
        let told = self.run.session(session);
        if told.in_turn || !told.is_alive() || !told.questions.is_empty() {
            return false;
        }
        let mail: Vec<_> = told.direct_messages.iter().copied().collect();
        let results = told.agent.clone().map(|agent| self.results_for(&agent)).unwrap_or_default();
        let has_some = !mail.is_empty() || !results.is_empty();
        for message in mail {
            let sent = self.run.messages.get(message.0).clone();
            let Some(from) = sent.from else { continue };
            self.emit_by_rule(Event::DirectMessageReceived { message });
            let (direct_type, content) = (sent.direct_type, sent.content);
            self.send_input(session, SessionInput::Direct { message, from, direct_type, content });
        }
        for input in results {
            self.send_input(session, input);
        }
        has_some
    }

    /// Returns the results that wait for an agent.
    pub(super) fn results_for(&self, agent: &AgentName) -> Vec<SessionInput> {
        let waiting = self.run.pending_results.iter().map(|id| (*id, self.run.results.get(id.0)));
        let for_agent = waiting.filter(|(_, submitted)| submitted.to.as_ref() == Some(agent));
        let input = |(result, submitted): (ResultId, &crate::state::SubmittedResult)| {
            let from = submitted.from.clone()?;
            let (result_type, content) = (submitted.result_type, submitted.content.clone());
            Some(SessionInput::Result { result, from, result_type, content })
        };
        for_agent.filter_map(input).collect()
    }

    /// Gives an idle session the next thing to do.
    pub(super) fn start_next_work_item(&mut self, session: SessionId) {
        let Some(duty) = self.run.session(session).work_queue.front().copied() else { return };
        let input = match duty {
            WorkItem::Question(id) => {
                let question = self.run.questions.get(id.0);
                question.agent.clone().map(|from| SessionInput::Question {
                    question: id,
                    task: question.task.map(|task| self.id(task)),
                    from,
                    text: question.text.clone(),
                    options: question.options.clone(),
                    default: question.default.clone(),
                    context: question.context.clone(),
                })
            }
            WorkItem::Escalation(id) => {
                let escalation = self.run.escalations.get(id.0);
                let task = self.run.subject_task(&escalation.subject).map(|task| self.id(task));
                let (title, description) = (escalation.title.clone(), escalation.description.clone());
                Some(SessionInput::Escalation { escalation: id, task, title, description })
            }
            WorkItem::Chat => {
                self.run.unread_chats.front().map(|text| SessionInput::Chat { text: text.clone() })
            }
            // These are in a session's hand from the start.
            WorkItem::Call(_) | WorkItem::Test(_) | WorkItem::Verify(_) => None,
        };
        if let Some(input) = input {
            self.send_input(session, input);
        }
    }
}
