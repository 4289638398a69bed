//! Chat messages of the user, and the automatic status reply if there is no orchestrator agent.

use domain::{EscalationLevel, Event, QuestionId, events};

use super::{DecisionContext, permission::PermissionChoice};
use crate::{
    rejection::Rejection,
    state::{GateState, QuestionState, TaskStage},
};

/// Maximum number of messages that wait for the orchestrator.
const CHATS_MAX: usize = 64;
/// Maximum number of tasks and questions listed in a status reply.
const NAMED_MAX: usize = 8;

impl DecisionContext<'_> {
    /// Treats a message as an answer if exactly one question is pending, else as talk.
    pub(super) fn answer_question_or_chat(&mut self, text: String) -> Result<(), Rejection> {
        if text.trim().is_empty() {
            return Err(Rejection::EmptyAnswer);
        }
        match self.only_pending_question(|_| true) {
            Ok(question) => {
                let answer = text.trim().to_owned();
                let record = self.run.questions.get(question.0);
                if record.permission.is_some() && !record.options.contains(&answer) {
                    let options = record.options.clone();
                    return Err(Rejection::NotAnOption { question, answer, options });
                }
                self.emit(events::ChatMessageSent { text, answers: Some(question) });
                self.settle_question(question, &answer, &PermissionChoice::default());
                Ok(())
            }
            Err(Rejection::NoPendingQuestion) => self.send_chat_message(text),
            Err(rejection) => Err(rejection),
        }
    }

    /// Treats a message as talk, even if questions are pending. Without an orchestrator agent, Jangdan replies with
    /// the status of the run.
    pub(super) fn send_chat_message(&mut self, text: String) -> Result<(), Rejection> {
        if text.trim().is_empty() {
            return Err(Rejection::EmptyAnswer);
        }
        if self.run.unread_chats.len() >= CHATS_MAX {
            return Err(Rejection::TooMany {
                object: "unread messages for the orchestrator",
                max: CHATS_MAX,
                hint: "wait until the orchestrator has read some of them",
            });
        }
        self.emit(events::ChatMessageSent { text, answers: None });
        if self.run.orchestrator().is_none() {
            let reply = self.status_reply();
            self.emit_as_system(reply);
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
        Event::ChatAnsweredWithStatus(events::ChatAnsweredWithStatus {
            n_done: saturating_u32(run.tasks.iter().filter(|task| is_done(task.stage)).count()),
            n_tasks: saturating_u32(run.tasks.len()),
            running: running().take(NAMED_MAX).map(|task| task.planned.id.clone()).collect(),
            n_running: saturating_u32(running().count()),
            questions: pending().take(NAMED_MAX).copied().collect(),
            n_waiting: saturating_u32(pending().count() + others),
        })
    }
}

fn saturating_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
