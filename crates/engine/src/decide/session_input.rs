//! Sends inputs to sessions: between turns, except for answers that the current turn waits for.

use domain::{AgentName, ResultId, SessionId, SessionInput, events};

use super::DecisionContext;
use crate::{
    result_content::without_large_results,
    state::{TaskIndex, WorkItem},
};

/// Maximum number of unsent inputs of a session.
const UNSENT_INPUTS_MAX: usize = 64;

impl DecisionContext<'_> {
    /// Queues an input for a session, and wakes it if it is parked.
    pub(super) fn send_input(&mut self, session: SessionId, content: SessionInput) {
        let receiver = self.run.session(session);
        if !receiver.is_alive() || receiver.agent.is_none() {
            return;
        }
        if receiver.is_parked() {
            self.emit_as_system(events::SessionWoken { session });
        }
        let input = self.run.session(session).inputs.saturating_add(1);
        self.emit_as_system(events::InputQueued {
            session,
            input,
            content: Box::new(without_large_results(content)),
        });
    }

    /// Sends the feedback about invalid messages once the turn has ended; returns whether there was any.
    pub(super) fn send_corrections(&mut self, session: SessionId) -> bool {
        let receiver = self.run.session(session);
        if receiver.in_turn
            || receiver.corrections.is_empty()
            || receiver.unsent_inputs.len() >= UNSENT_INPUTS_MAX
        {
            return false;
        }
        for correction in receiver.corrections.clone() {
            self.send_input(session, correction);
        }
        true
    }

    /// Sends the pending inputs of a task to its session once its turn has ended.
    pub(super) fn send_pending_inputs(&mut self, task: TaskIndex) {
        let state = self.run.task(task);
        let Some(session) = state.session() else { return };
        if !state.stage.is_running() || state.is_blocked() || !self.run.session(session).is_alive() {
            return;
        }
        let receiver = self.run.session(session);
        let in_turn = receiver.in_turn;
        if receiver.is_parked_in_turn() {
            self.emit_as_system(events::SessionWoken { session });
        }
        // A turn that waits for a prompt's answer ends only after the answer.
        let is_prompted = |input: &SessionInput| {
            matches!(input, SessionInput::Permission { .. } | SessionInput::Answer { prompt: Some(_), .. })
        };
        let can_send = |input: &SessionInput| !in_turn || is_prompted(input);
        let inputs: Vec<SessionInput> =
            self.run.task(task).pending_inputs.iter().filter(|input| can_send(input)).cloned().collect();
        for input in inputs {
            self.send_input(session, input);
        }
    }

    /// Delivers direct messages and results; returns whether there were any.
    pub(super) fn deliver_messages(&mut self, session: SessionId) -> bool {
        let receiver = self.run.session(session);
        if receiver.in_turn || !receiver.is_alive() || !receiver.questions.is_empty() {
            return false;
        }
        let messages: Vec<_> = receiver.direct_messages.iter().copied().collect();
        let results = receiver.agent.clone().map(|agent| self.results_for(&agent)).unwrap_or_default();
        let has_any = !messages.is_empty() || !results.is_empty();
        for message in messages {
            let sent = self.run.messages.get(message.0).clone();
            let Some(from) = sent.from else { continue };
            self.emit_as_system(events::DirectMessageReceived { message });
            let (direct_type, content) = (sent.direct_type, sent.content);
            self.send_input(session, SessionInput::Direct { message, from, direct_type, content });
        }
        for input in results {
            self.send_input(session, input);
        }
        has_any
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

    /// Sends an idle session its next work item.
    pub(super) fn start_next_work_item(&mut self, session: SessionId) {
        let Some(item) = self.run.session(session).work_queue.front().copied() else { return };
        let input = match item {
            WorkItem::Question(id) => {
                let question = self.run.questions.get(id.0);
                question.agent.clone().map(|from| SessionInput::Question {
                    question: id,
                    task: question.task.map(|task| self.task_id(task)),
                    from,
                    text: question.text.clone(),
                    options: question.options.clone(),
                    default: question.default.clone(),
                    context: question.context.clone(),
                })
            }
            WorkItem::Escalation(id) => {
                let escalation = self.run.escalations.get(id.0);
                let subject = self.run.subject_task(&escalation.subject);
                let task = subject.map(|task| self.task_id(task));
                let agent =
                    subject.and_then(|task| self.run.team.agent_name(self.run.task(task).agent)).cloned();
                let (title, description) = (escalation.title.clone(), escalation.description.clone());
                Some(SessionInput::Escalation { escalation: id, task, agent, title, description })
            }
            WorkItem::Chat => {
                self.run.unread_chats.front().map(|text| SessionInput::Chat { text: text.clone() })
            }
            // These are the current item of a session from its start.
            WorkItem::Call(_) | WorkItem::Test(_) | WorkItem::Verify(_) => None,
        };
        if let Some(input) = input {
            self.send_input(session, input);
        }
    }
}
