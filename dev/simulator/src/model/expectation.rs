//! Expectations about a command before the engine decides on it.

use domain::{Actor, Command, Event, RecordedEvent};

use super::{Model, SessionState, Stage};
use crate::rule::{Rule, RuleViolation};

/// What is known about a command before the decision.
#[derive(Debug, Clone, Copy)]
pub struct CommandExpectation {
    is_stale: bool,
    is_not_permitted: bool,
    /// Number of open questions, if it is a chat message.
    n_open_at_chat: Option<usize>,
}

impl Model {
    /// Returns what is known about a command before the decision.
    pub fn command_expectation(&self, actor: &Actor, command: &Command) -> CommandExpectation {
        CommandExpectation {
            is_stale: self.is_stale_report(command),
            is_not_permitted: !actor.is_person() && is_user_command(command),
            n_open_at_chat: matches!(command, Command::Chat { talk_only: false, .. })
                .then(|| self.pending_questions().len()),
        }
    }

    /// Tells whether a command reports about something that has ended.
    fn is_stale_report(&self, command: &Command) -> bool {
        match command {
            Command::ReportCheck { task, attempt, .. } => self
                .tasks
                .get(task)
                .is_none_or(|task| task.attempt != *attempt || task.stage != Stage::Checking),
            Command::ReportMerge { task, attempt, .. } => {
                self.merging.as_ref() != Some(task)
                    || self.tasks.get(task).is_none_or(|task| task.attempt != *attempt)
            }
            Command::ReportGate { phase, round, .. } => {
                self.phases.get(phase).is_none_or(|phase| phase.gate.round != *round || !phase.gate.checking)
            }
            Command::ReportCheckpoint { checkpoint, .. } => {
                self.checkpoints.get(checkpoint).is_none_or(|(_, finished)| *finished)
            }
            Command::ReportEffect { effect, .. } => self.finished.contains(effect),
            Command::ReportDiskSpaceAvailable => self.no_disk.is_none(),
            Command::ReportEnded { session, .. }
            | Command::ReportLost { session, .. }
            | Command::ReportDiskBudgetExceeded { session, .. } => {
                self.sessions.get(session).is_none_or(|session| session.state == SessionState::Ended)
            }
            Command::ReportInputSent { session, input } => self
                .sessions
                .get(session)
                .and_then(|session| session.inputs.get(input))
                .is_none_or(|(_, typed)| *typed),
            _ => false,
        }
    }
}

impl CommandExpectation {
    /// Returns the violation of a decision with these events.
    pub fn check(self, command: &Command, events: &[RecordedEvent]) -> Option<RuleViolation> {
        let first = events.first()?;
        if self.is_stale {
            let how = format!("{command:?} leads to {}", first.event.name());
            return Some(RuleViolation::new(Rule::StaleReports, how));
        }
        if self.is_not_permitted {
            return Some(RuleViolation::new(
                Rule::PermittedMessages,
                format!("{command:?} is not from a person"),
            ));
        }
        let answers = events.iter().any(|recorded| matches!(recorded.event, Event::QuestionAnswered { .. }));
        match self.n_open_at_chat {
            Some(n_open) if answers && n_open != 1 => {
                let how = format!("{n_open} questions are open, and chat answers one");
                Some(RuleViolation::new(Rule::ChatNeedsOne, how))
            }
            Some(_) | None => None,
        }
    }
}

fn is_user_command(command: &Command) -> bool {
    matches!(
        command,
        Command::PauseRun
            | Command::CancelRun
            | Command::CancelTask(_)
            | Command::SkipTask(_)
            | Command::Answer { .. }
            | Command::Provide { .. }
            | Command::SkipRequest(_)
            | Command::ApproveGate { .. }
            | Command::Resolve { .. }
            | Command::ApplyPlanChange { .. }
            | Command::IgnorePlanChange { .. }
    )
}
