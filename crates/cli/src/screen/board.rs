//! The rows of one run, as far as a screen shows them, kept by the changes that come.

use std::collections::BTreeMap;

use domain::{EscalationId, OfferId, PhaseNumber, QuestionId, RequestId, SessionId, TaskId};
use serde::de::DeserializeOwned;
use serde_json::Value;
use views::{
    EscalationRow, GateRow, GateState, InboxItem, InboxRow, Kind, OverlapRow, Party, PhaseRow, PlanOfferRow,
    QuestionRow, Record, RequestRow, RunRow, RunState, TaskDetailRow, TaskRow, TaskState, TimelineRow,
    WaitsFor,
};

use super::line::flat;

/// How much of an agent's words is kept; a line shows less.
const WORDS_SIGNS_MAX: usize = 400;

/// The kinds of rows that a board asks for.
pub const KINDS: &[Kind] = &[
    Kind::Run,
    Kind::Phase,
    Kind::Task,
    Kind::TaskDetail,
    Kind::Question,
    Kind::Request,
    Kind::Escalation,
    Kind::Gate,
    Kind::PlanOffer,
    Kind::Overlap,
    Kind::Inbox,
];

/// All rows of a run that a screen may need.
#[derive(Debug, Clone, Default)]
pub struct Board {
    /// The run.
    pub run: Option<RunRow>,
    /// Its phases.
    pub phases: BTreeMap<PhaseNumber, PhaseRow>,
    /// Its tasks.
    pub tasks: BTreeMap<TaskId, TaskRow>,
    /// What the plan says about them.
    pub details: BTreeMap<TaskId, TaskDetailRow>,
    /// What is asked.
    pub questions: BTreeMap<QuestionId, QuestionRow>,
    /// What is wanted.
    pub requests: BTreeMap<RequestId, RequestRow>,
    /// What was handed upward.
    pub escalations: BTreeMap<EscalationId, EscalationRow>,
    /// The gates.
    pub gates: BTreeMap<PhaseNumber, GateRow>,
    /// Changes of the plan file.
    pub plan_offers: BTreeMap<OfferId, PlanOfferRow>,
    /// What two unfinished tasks both changed.
    pub overlaps: BTreeMap<[TaskId; 2], OverlapRow>,
    inbox: BTreeMap<InboxItem, InboxRow>,
    seen: BTreeMap<SessionId, Seen>,
}

/// What a session was last seen to say or do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// It said this.
    Words(String),
    /// It uses this tool.
    Tool(String),
    /// It has this trouble.
    Trouble(String),
}

impl Board {
    /// Takes all rows of some kinds, as `GET /api/runs/RUN/rows` gives them.
    pub fn fill(&mut self, rows: &BTreeMap<String, Vec<Value>>) {
        for (kind, rows) in rows {
            for row in rows {
                self.put(kind, row);
            }
        }
    }

    /// Takes a row that changed, or that is gone. Returns the line that tells of an event, where it is one.
    pub fn take(&mut self, kind: &str, key: &str, row: Option<&Value>) -> Option<TimelineRow> {
        match row {
            Some(row) if kind == Kind::Timeline.name() => return read(row),
            Some(row) => self.put(kind, row),
            None => self.remove(kind, key),
        }
        None
    }

    /// Takes what a session was seen to say or do this moment.
    pub fn see(&mut self, session: SessionId, seen: Seen) {
        // Words come in pieces; a tool ends them.
        let joined = match (self.seen.remove(&session), seen) {
            (Some(Seen::Words(before)), Seen::Words(more)) => Seen::Words(last_signs(&(before + &more))),
            (_, Seen::Words(words)) => Seen::Words(last_signs(&words)),
            (_, seen @ (Seen::Tool(_) | Seen::Trouble(_))) => seen,
        };
        self.seen.insert(session, joined);
    }

    /// Returns what waits for the person, the most urgent first.
    pub fn inbox(&self) -> Vec<&InboxRow> {
        let mut inbox: Vec<_> = self.inbox.values().collect();
        inbox.sort_by(|left, right| left.cmp_urgency(right));
        inbox
    }

    /// Returns the last words of a task's agent, or what it does.
    pub fn last_of(&self, task: &TaskRow) -> Option<Seen> {
        let seen = task.session.and_then(|session| self.seen.get(&session));
        let seen = seen.map(|seen| match seen {
            Seen::Words(words) => Seen::Words(last_line(words)),
            Seen::Tool(_) | Seen::Trouble(_) => seen.clone(),
        });
        seen.or_else(|| task.step.clone().map(Seen::Words))
    }

    /// Tells whether nothing goes on until a person does something.
    pub fn waits_only_for_person(&self) -> bool {
        let Some(run) = &self.run else { return false };
        let is_paused = match run.status {
            RunState::Running => false,
            RunState::Paused => true,
            RunState::Done | RunState::Failed | RunState::Cancelled => return false,
        };
        let others = run.waits_for.orchestrator + run.waits_for.operators + run.waits_for.agents;
        let is_checked = |gate: &GateRow| matches!(gate.state, GateState::Checking | GateState::Judging);
        let moves = |task: &TaskRow| match task.state {
            TaskState::Running | TaskState::Checking | TaskState::Merging => true,
            TaskState::Ready => !is_paused,
            TaskState::Blocked => task.blocked.iter().all(|blocked| blocked.on != Party::Person),
            TaskState::Waiting => false,
            TaskState::Done | TaskState::Failed | TaskState::Skipped | TaskState::Cancelled => false,
        };
        // All is done and nothing is asked: what is merged is landed, and the run ends by itself.
        let is_ending =
            !is_paused && self.inbox.is_empty() && self.tasks.values().all(|task| task.state.is_over());
        others == 0 && !is_ending && !self.gates.values().any(is_checked) && !self.tasks.values().any(moves)
    }

    /// Returns what tasks wait for outside of the plan, until a person says that it is there.
    pub fn externals(&self) -> Vec<&str> {
        let open = self.tasks.values().filter(|task| task.state == TaskState::Waiting);
        let waits = open.flat_map(|task| &task.waits_for).filter_map(|waits| match waits {
            WaitsFor::External { name } => Some(name.as_str()),
            WaitsFor::Task { .. } | WaitsFor::Phase { .. } => None,
        });
        let mut names: Vec<_> = waits.collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn put(&mut self, kind: &str, row: &Value) {
        // What can't be read is of a newer server; the rest of the screen is still true.
        match kind {
            _ if kind == Kind::Run.name() => self.run = read(row).or(self.run.take()),
            _ if kind == Kind::Phase.name() => put(&mut self.phases, row),
            _ if kind == Kind::Task.name() => put(&mut self.tasks, row),
            _ if kind == Kind::TaskDetail.name() => put(&mut self.details, row),
            _ if kind == Kind::Question.name() => put(&mut self.questions, row),
            _ if kind == Kind::Request.name() => put(&mut self.requests, row),
            _ if kind == Kind::Escalation.name() => put(&mut self.escalations, row),
            _ if kind == Kind::Gate.name() => put(&mut self.gates, row),
            _ if kind == Kind::PlanOffer.name() => put(&mut self.plan_offers, row),
            _ if kind == Kind::Overlap.name() => put(&mut self.overlaps, row),
            _ if kind == Kind::Inbox.name() => put(&mut self.inbox, row),
            _ => {}
        }
    }

    fn remove(&mut self, kind: &str, key: &str) {
        // Nothing else is ever gone.
        match kind {
            _ if kind == Kind::Inbox.name() => {
                self.inbox.retain(|item, _| InboxRow::write_key(item) != key);
            }
            _ if kind == Kind::Overlap.name() => {
                self.overlaps.retain(|tasks, _| OverlapRow::write_key(tasks) != key);
            }
            _ => {}
        }
    }
}

fn put<R: Record + DeserializeOwned>(rows: &mut BTreeMap<R::Key, R>, row: &Value) {
    if let Some(row) = read::<R>(row) {
        rows.insert(row.key(), row);
    }
}

fn read<R: DeserializeOwned>(row: &Value) -> Option<R> {
    R::deserialize(row).ok()
}

fn last_signs(text: &str) -> String {
    let n_signs = text.chars().count();
    text.chars().skip(n_signs.saturating_sub(WORDS_SIGNS_MAX)).collect()
}

fn last_line(text: &str) -> String {
    flat(text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default())
}
