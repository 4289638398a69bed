//! What a command may do at all, judged before the engine has seen it.

use domain::{Actor, Command, Event, RecordedEvent};

use super::{Life, Model, Stage};
use crate::rule::{Breach, Rule};

/// What was known of a command before it was decided.
#[derive(Debug, Clone, Copy)]
pub struct Expected {
    is_stale: bool,
    is_not_theirs: bool,
    /// How many questions were pending, where it is chat.
    chat: Option<usize>,
}

impl Model {
    /// Says what is known of a command before it is decided.
    pub fn expect(&self, actor: &Actor, command: &Command) -> Expected {
        Expected {
            is_stale: self.is_stale(command),
            is_not_theirs: !actor.is_person() && is_for_people(command),
            chat: matches!(command, Command::Chat { talk_only: false, .. }).then(|| self.pending().len()),
        }
    }

    /// Tells whether a command reports of something that is over.
    fn is_stale(&self, command: &Command) -> bool {
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
            Command::ReportDiskSpaceAvailable => self.no_room.is_none(),
            Command::ReportEnded { session, .. }
            | Command::ReportLost { session, .. }
            | Command::ReportDiskBudgetExceeded { session, .. } => {
                self.sessions.get(session).is_none_or(|session| session.life == Life::Over)
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

impl Expected {
    /// Says what is wrong with what came of the command.
    pub fn judge(self, command: &Command, events: &[RecordedEvent]) -> Option<Breach> {
        let first = events.first()?;
        if self.is_stale {
            let how = format!("{command:?} leads to {}", first.event.name());
            return Some(Breach::new(Rule::StaleReports, how));
        }
        if self.is_not_theirs {
            return Some(Breach::new(Rule::OwnWords, format!("no person wished {command:?}")));
        }
        let answers = events.iter().any(|recorded| matches!(recorded.event, Event::QuestionAnswered { .. }));
        match self.chat {
            Some(n_pending) if answers && n_pending != 1 => {
                let how = format!("{n_pending} questions are pending, and chat answers one");
                Some(Breach::new(Rule::ChatNeedsOne, how))
            }
            Some(_) | None => None,
        }
    }
}

fn is_for_people(command: &Command) -> bool {
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
