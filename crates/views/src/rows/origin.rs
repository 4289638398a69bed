//! Where the decisions of users came from: approvals, answers, provided resources.

use domain::{CommandOrigin, InboxItem};

use crate::{Views, views::EventMoment};

impl Views {
    /// Remembers what a user decided, until the end of the command.
    pub(super) fn note_decision(&mut self, moment: EventMoment<'_>, item: InboxItem) {
        self.facts.decided.retain(|(at, _)| *at == moment.at);
        if moment.actor.is_person() {
            self.facts.decided.push((moment.at, item));
        }
    }

    /// Adds the origin of a command to the rows of what it decided. All events of a command have the same time.
    pub(crate) fn record_origin(&mut self, moment: EventMoment<'_>, origin: &CommandOrigin) {
        for (at, item) in std::mem::take(&mut self.facts.decided) {
            if at != moment.at {
                continue;
            }
            let origin = Some(origin.clone());
            match item {
                InboxItem::Question(id) => self.rows.questions.change(&id, |row| row.origin = origin),
                InboxItem::Request(id) => self.rows.requests.change(&id, |row| row.origin = origin),
                InboxItem::Gate(phase) => self.rows.gates.change(&phase, |row| {
                    if let Some(approval) = &mut row.approval {
                        approval.origin = origin;
                    }
                }),
                InboxItem::Escalation(_) | InboxItem::Plan(_) | InboxItem::Invocation(_) => {}
            }
        }
    }
}
