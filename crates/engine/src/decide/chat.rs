//! The chat: what the person says about a run, and what Jangdan says where no orchestrator agent can.

use domain::{EscalationLevel, Event, QuestionId};

use super::DecisionContext;
use crate::{
    rejection::Rejection,
    state::{GateState, QuestionState, TaskStage},
};

/// More than these wait for an orchestrator that does not listen.
const CHATS_MAX: usize = 64;
/// How many tasks and questions are named: more than fit a sentence help nobody.
const NAMED_MAX: usize = 8;

impl DecisionContext<'_> {
    /// Takes what the person says as an answer where exactly one question waits, else as talk.
    pub(super) fn chat(&mut self, text: String) -> Result<(), Rejection> {
        if text.trim().is_empty() {
            return Err(Rejection::EmptyAnswer);
        }
        match self.only_pending_question(|_| true) {
            Ok(question) => {
                let answer = text.trim().to_owned();
                let asked = self.run.questions.get(question.0);
                if asked.permission.is_some() && !asked.options.contains(&answer) {
                    let options = asked.options.clone();
                    return Err(Rejection::NotAnOption { question, answer, options });
                }
                self.emit(Event::ChatMessageSent { text, answers: Some(question) });
                self.accept_answer(question, answer);
                Ok(())
            }
            Err(Rejection::NoPendingQuestion) => self.talk(text),
            Err(rejection) => Err(rejection),
        }
    }

    /// Takes what the person says as talk, whatever waits. Without an orchestrator agent Jangdan is the orchestrator: it
    /// can't talk, but says so, and how the run stands.
    pub(super) fn talk(&mut self, text: String) -> Result<(), Rejection> {
        if text.trim().is_empty() {
            return Err(Rejection::EmptyAnswer);
        }
        if self.run.unread_chats.len() >= CHATS_MAX {
            return Err(Rejection::TooMany {
                what: "things said that the orchestrator has not heard",
                max: CHATS_MAX,
            });
        }
        self.emit(Event::ChatMessageSent { text, answers: None });
        if self.run.orchestrator().is_none() {
            let unheard = self.status_reply();
            self.emit_by_rule(unheard);
        }
        Ok(())
    }

    fn status_reply(&self) -> Event {
        let run = &self.run;
        let is_done = |stage: TaskStage| matches!(stage, TaskStage::Done | TaskStage::Skipped);
        let running = || run.tasks.iter().filter(|task| run.schedule.running().contains(&task.node));
        let is_pending = |id: &&QuestionId| run.questions.get(id.0).state == QuestionState::Pending;
        let pending = || run.open_questions.iter().filter(is_pending);
        let escalated = run
            .open_escalations
            .iter()
            .filter(|id| run.escalations.get(id.0).level == EscalationLevel::Person);
        let gates = run.phases.values().filter(|phase| phase.gate == GateState::Review);
        let others =
            run.open_requests.len() + escalated.count() + gates.count() + usize::from(run.offer.is_some());
        Event::ChatAnsweredWithStatus {
            n_done: number(run.tasks.iter().filter(|task| is_done(task.stage)).count()),
            n_tasks: number(run.tasks.len()),
            running: running().take(NAMED_MAX).map(|task| task.planned.id.clone()).collect(),
            n_running: number(running().count()),
            questions: pending().take(NAMED_MAX).copied().collect(),
            n_waiting: number(pending().count() + others),
        }
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
