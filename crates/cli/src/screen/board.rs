//! The rows of a run that a screen shows, updated by changes from the server.

use std::collections::BTreeMap;

use domain::{EscalationId, OfferId, PhaseNumber, QuestionId, RequestId, SessionId, TaskId};
use serde::de::DeserializeOwned;
use serde_json::Value;
use views::{
    EscalationRow, GateRow, InboxItem, InboxRow, OverlapRow, PhaseRow, PlanOfferRow, QuestionRow, RequestRow,
    RowKind, RunRow, TableRow, TaskDetailRow, TaskRow, TaskState, TimelineRow, UnmetDependency,
};

use super::line::collapse_whitespace;

/// Length limit of a kept agent message; a line shows less.
const MESSAGE_CHARS_MAX: usize = 400;

/// The kinds of rows of a board.
pub(crate) const KINDS: &[RowKind] = &[
    RowKind::Run,
    RowKind::Phase,
    RowKind::Task,
    RowKind::TaskDetail,
    RowKind::Question,
    RowKind::Request,
    RowKind::Escalation,
    RowKind::Gate,
    RowKind::PlanOffer,
    RowKind::Overlap,
    RowKind::Inbox,
];

/// The rows of a run that a screen shows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Board {
    pub run: Option<RunRow>,
    pub phases: BTreeMap<PhaseNumber, PhaseRow>,
    pub tasks: BTreeMap<TaskId, TaskRow>,
    pub details: BTreeMap<TaskId, TaskDetailRow>,
    pub questions: BTreeMap<QuestionId, QuestionRow>,
    pub requests: BTreeMap<RequestId, RequestRow>,
    pub escalations: BTreeMap<EscalationId, EscalationRow>,
    pub gates: BTreeMap<PhaseNumber, GateRow>,
    pub plan_offers: BTreeMap<OfferId, PlanOfferRow>,
    /// Files that two unfinished tasks both changed.
    pub overlaps: BTreeMap<[TaskId; 2], OverlapRow>,
    inbox: BTreeMap<InboxItem, InboxRow>,
    activity: BTreeMap<SessionId, SessionActivity>,
}

/// The last activity of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SessionActivity {
    Message(String),
    /// Title of the tool that it uses.
    Tool(String),
    Error(String),
}

impl Board {
    /// Sets rows by kind, as returned by `GET /api/runs/RUN/rows`.
    pub(crate) fn put_rows(&mut self, rows: &BTreeMap<String, Vec<Value>>) {
        for (kind, rows) in rows {
            for row in rows {
                self.put_row(kind, row);
            }
        }
    }

    /// Applies a changed or removed row. Returns the row of the timeline, if it is one.
    pub(crate) fn apply_change(&mut self, kind: &str, key: &str, row: Option<&Value>) -> Option<TimelineRow> {
        match row {
            Some(row) if kind == RowKind::Timeline.name() => return parse_row(row),
            Some(row) => self.put_row(kind, row),
            None => self.remove_row(kind, key),
        }
        None
    }

    /// Records the activity of a session. Parts of a message are joined until another activity.
    pub(crate) fn record_activity(&mut self, session: SessionId, activity: SessionActivity) {
        let joined = match (self.activity.remove(&session), activity) {
            (Some(SessionActivity::Message(before)), SessionActivity::Message(more)) => {
                SessionActivity::Message(last_chars(&(before + &more)))
            }
            (_, SessionActivity::Message(text)) => SessionActivity::Message(last_chars(&text)),
            (_, other @ (SessionActivity::Tool(_) | SessionActivity::Error(_))) => other,
        };
        self.activity.insert(session, joined);
    }

    /// Returns what waits for the user, the most urgent first.
    pub(crate) fn inbox(&self) -> Vec<&InboxRow> {
        let mut inbox: Vec<_> = self.inbox.values().collect();
        inbox.sort_by(|left, right| left.cmp_urgency(right));
        inbox
    }

    /// Returns the last activity of a task's agent, with only the last line of a message.
    pub(crate) fn last_activity(&self, task: &TaskRow) -> Option<SessionActivity> {
        let activity = task.session.and_then(|session| self.activity.get(&session));
        let activity = activity.map(|activity| match activity {
            SessionActivity::Message(text) => SessionActivity::Message(last_line(text)),
            SessionActivity::Tool(_) | SessionActivity::Error(_) => activity.clone(),
        });
        activity.or_else(|| task.step.clone().map(SessionActivity::Message))
    }

    /// Tells whether the run continues only after an action of the user.
    pub(crate) fn run_needs_user(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.needs_user)
    }

    /// Returns the external dependencies that tasks wait for.
    pub(crate) fn unmet_externals(&self) -> Vec<&str> {
        let open = self.tasks.values().filter(|task| task.state == TaskState::Waiting);
        let names = open.flat_map(|task| &task.waits_for).filter_map(|dependency| match dependency {
            UnmetDependency::External { name } => Some(name.as_str()),
            UnmetDependency::Task { .. } | UnmetDependency::Phase { .. } => None,
        });
        let mut names: Vec<_> = names.collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn put_row(&mut self, kind: &str, row: &Value) {
        // Rows of a newer server that cannot be read are skipped.
        match kind {
            _ if kind == RowKind::Run.name() => self.run = parse_row(row).or(self.run.take()),
            _ if kind == RowKind::Phase.name() => insert_row(&mut self.phases, row),
            _ if kind == RowKind::Task.name() => insert_row(&mut self.tasks, row),
            _ if kind == RowKind::TaskDetail.name() => insert_row(&mut self.details, row),
            _ if kind == RowKind::Question.name() => insert_row(&mut self.questions, row),
            _ if kind == RowKind::Request.name() => insert_row(&mut self.requests, row),
            _ if kind == RowKind::Escalation.name() => insert_row(&mut self.escalations, row),
            _ if kind == RowKind::Gate.name() => insert_row(&mut self.gates, row),
            _ if kind == RowKind::PlanOffer.name() => insert_row(&mut self.plan_offers, row),
            _ if kind == RowKind::Overlap.name() => insert_row(&mut self.overlaps, row),
            _ if kind == RowKind::Inbox.name() => insert_row(&mut self.inbox, row),
            _ => {}
        }
    }

    fn remove_row(&mut self, kind: &str, key: &str) {
        // Other rows are never removed.
        match kind {
            _ if kind == RowKind::Inbox.name() => {
                self.inbox.retain(|item, _| InboxRow::key_to_text(item) != key);
            }
            _ if kind == RowKind::Overlap.name() => {
                self.overlaps.retain(|tasks, _| OverlapRow::key_to_text(tasks) != key);
            }
            _ => {}
        }
    }
}

fn insert_row<R: TableRow + DeserializeOwned>(rows: &mut BTreeMap<R::Key, R>, row: &Value) {
    if let Some(row) = parse_row::<R>(row) {
        rows.insert(row.key(), row);
    }
}

fn parse_row<R: DeserializeOwned>(row: &Value) -> Option<R> {
    R::deserialize(row).ok()
}

fn last_chars(text: &str) -> String {
    let n_chars = text.chars().count();
    text.chars().skip(n_chars.saturating_sub(MESSAGE_CHARS_MAX)).collect()
}

fn last_line(text: &str) -> String {
    collapse_whitespace(text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default())
}
