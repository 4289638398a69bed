//! Expectations about an input before the engine decides on it.

use domain::{
    EscalationCause, EscalationType, Event, RecordedEvent, Report, RunInput, Severity, UserCommand, events,
};

use super::{Escalation, Model, SessionState, Stage};
use crate::rule::{Rule, RuleViolation};

/// What is known about an input before the decision.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InputExpectation {
    is_stale: bool,
    /// Number of open questions, if it is a chat message. Equal permission requests count as one.
    n_open_at_chat: Option<usize>,
    must_escalate_moved_ref: bool,
}

impl Model {
    /// Returns what is known about an input before the decision.
    pub(crate) fn input_expectation(&self, input: &RunInput) -> InputExpectation {
        let is_chat =
            matches!(input, RunInput::User { command: UserCommand::Chat { talk_only: false, .. }, .. });
        InputExpectation {
            is_stale: matches!(input, RunInput::Report(report) if self.is_stale_report(report)),
            n_open_at_chat: is_chat.then(|| self.n_cards()),
            must_escalate_moved_ref: matches!(input, RunInput::Report(Report::RefMoved { .. }))
                && !(self.ended || self.cancelled || self.escalations.values().any(is_moved_ref)),
        }
    }

    /// Tells whether a report is about something that has ended.
    fn is_stale_report(&self, report: &Report) -> bool {
        match report {
            Report::CheckFinished { task, attempt, .. } => self
                .tasks
                .get(task)
                .is_none_or(|task| task.attempt != *attempt || task.stage != Stage::Checking),
            Report::MergeFinished { task, attempt, .. } => {
                self.merging.as_ref() != Some(task)
                    || self.tasks.get(task).is_none_or(|task| task.attempt != *attempt)
            }
            Report::GateChecked { phase, round, .. } => {
                self.phases.get(phase).is_none_or(|phase| phase.gate.round != *round || !phase.gate.checking)
            }
            Report::CheckpointFinished { checkpoint, .. } => {
                self.checkpoints.get(checkpoint).is_none_or(|(_, finished)| *finished)
            }
            Report::LandingFinished { landing, .. } => self.landing != Some(*landing),
            Report::CleanupFinished { cleanup, .. } => self.cleanup != Some(*cleanup),
            Report::ProvisionFinished { request, .. } => {
                self.requests.get(request).is_none_or(|request| !request.open || !request.is_delivering)
            }
            Report::EffectFinished { effect, .. } => self.finished.contains(effect),
            Report::DiskFull { effect, .. } | Report::ExecutionFailed { effect, .. } => {
                self.postponed.contains(effect)
            }
            Report::RefMoved { effect, .. } => effect.is_some_and(|effect| self.postponed.contains(&effect)),
            Report::DiskSpaceAvailable => self.disk_shortage.is_none(),
            Report::SessionEnded { session, .. }
            | Report::SessionLost { session, .. }
            | Report::DiskBudgetExceeded { session, .. } => {
                self.sessions.get(session).is_none_or(|session| session.state == SessionState::Ended)
            }
            Report::InputSent { session, input, .. } => self
                .sessions
                .get(session)
                .and_then(|session| session.inputs.get(input))
                .is_none_or(|(_, typed)| *typed),
            Report::SessionStarted { .. }
            | Report::SessionStopped { .. }
            | Report::PhaseNotLanded { .. }
            | Report::PlanChanged { .. }
            | Report::PlanUnreadable { .. }
            | Report::UserActRefused { .. }
            | Report::KeysTyped { .. }
            | Report::OverlapsFound { .. }
            | Report::ClockJumped { .. }
            | Report::TimerFired => false,
        }
    }
}

impl InputExpectation {
    /// Returns the violation of a decision with these events.
    pub(crate) fn check(self, input: &RunInput, events: &[RecordedEvent]) -> Option<RuleViolation> {
        let first = events.first()?;
        if self.is_stale {
            let how = format!("{input:?} leads to {}", first.event.name());
            return Some(RuleViolation::new(Rule::StaleReports, how));
        }
        if self.must_escalate_moved_ref && !events.iter().any(|recorded| is_moved_ref_raised(&recorded.event))
        {
            return Some(RuleViolation::new(Rule::MovedRef, format!("{input:?} is not escalated")));
        }
        let answers = events.iter().any(|recorded| matches!(recorded.event, Event::QuestionAnswered(_)));
        match self.n_open_at_chat {
            Some(n_open) if answers && n_open != 1 => {
                let how = format!("{n_open} questions are open, and chat answers one");
                Some(RuleViolation::new(Rule::ChatNeedsOne, how))
            }
            Some(_) | None => None,
        }
    }
}

fn is_moved_ref(escalation: &Escalation) -> bool {
    escalation.open && escalation.withholds_starts
}

fn is_moved_ref_raised(event: &Event) -> bool {
    matches!(
        event,
        Event::EscalationRaised(events::EscalationRaised {
            kind: EscalationType::Protocol,
            severity: Severity::Critical,
            cause: Some(EscalationCause::RefMoved(_)),
            ..
        })
    )
}
