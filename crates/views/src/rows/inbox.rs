//! The inbox: items that wait for the user, the most urgent first.

use std::cmp::Ordering;

use domain::{BlockedWork, InboxAction, InboxItem, PhaseNumber, QuestionId, Severity, TaskId, Timestamp};
use serde::{Deserialize, Serialize};

use super::{EscalationRow, GateRound, QuestionRow, RequestRow};
use crate::{RowKind, TableRow};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct InboxRow {
    pub item: InboxItem,
    pub task: Option<TaskId>,
    pub phase: Option<PhaseNumber>,
    pub text: String,
    /// Korean text, if Jangdan wrote it.
    #[serde(default)]
    pub korean: Option<String>,
    /// Set for problems.
    pub severity: Option<Severity>,
    /// Work that waits for it.
    pub blocks: BlockedWork,
    pub since_at: Timestamp,
    /// Equal permission requests of other sessions, which the same answer decides.
    #[serde(default)]
    pub equal: Vec<QuestionId>,
    /// Other tasks with an equal request.
    #[serde(default)]
    pub equal_tasks: Vec<TaskId>,
    /// What the user may do with it.
    #[serde(default)]
    pub actions: Vec<InboxAction>,
}

impl InboxRow {
    /// Compares by the blocked work: time on the critical path, then tasks, then age. The more urgent is less.
    pub fn cmp_urgency(&self, other: &Self) -> Ordering {
        let by_time = other.blocks.time_ms.cmp(&self.blocks.time_ms);
        let by_tasks = other.blocks.tasks.cmp(&self.blocks.tasks);
        let by_age = self.since_at.cmp(&other.since_at);
        by_time.then(by_tasks).then(by_age).then_with(|| self.item.cmp(&other.item))
    }

    pub(super) fn of_question(row: &QuestionRow, since_at: Timestamp) -> Self {
        Self {
            item: InboxItem::Question(row.id),
            task: row.task.clone(),
            phase: None,
            text: row.text.clone(),
            korean: row.korean.clone(),
            severity: None,
            blocks: row.blocks,
            since_at,
            equal: Vec::new(),
            equal_tasks: Vec::new(),
            actions: Vec::new(),
        }
    }

    pub(super) fn of_request(row: &RequestRow) -> Self {
        Self {
            item: InboxItem::Request(row.id),
            task: row.task.clone(),
            phase: None,
            text: format!("{}: {}", row.name, row.description),
            korean: None,
            severity: None,
            blocks: row.blocks,
            since_at: row.asked_at,
            equal: Vec::new(),
            equal_tasks: Vec::new(),
            actions: Vec::new(),
        }
    }

    pub(super) fn of_gate(
        phase: PhaseNumber,
        name: &str,
        round: Option<&GateRound>,
        blocks: BlockedWork,
        since_at: Timestamp,
    ) -> Self {
        let colon = if name.is_empty() { "" } else { ": " };
        let (english, korean) = round.map(describe_gate_round).unwrap_or_default();
        Self {
            item: InboxItem::Gate(phase),
            task: None,
            phase: Some(phase),
            text: format!("Phase {phase}{colon}{name}{english}"),
            korean: Some(format!("{phase}단계{colon}{name}{korean}")),
            severity: None,
            blocks,
            since_at,
            equal: Vec::new(),
            equal_tasks: Vec::new(),
            actions: Vec::new(),
        }
    }

    pub(super) fn of_escalation(row: &EscalationRow, since_at: Timestamp) -> Self {
        Self {
            item: InboxItem::Escalation(row.id),
            task: row.task.clone(),
            phase: row.phase,
            text: row.title.clone(),
            korean: row.korean.clone(),
            severity: Some(row.severity),
            blocks: row.blocks,
            since_at,
            equal: Vec::new(),
            equal_tasks: Vec::new(),
            actions: Vec::new(),
        }
    }
}

impl TableRow for InboxRow {
    type Key = InboxItem;
    const KIND: RowKind = RowKind::Inbox;

    fn key(&self) -> InboxItem {
        self.item
    }

    fn key_to_text(key: &InboxItem) -> String {
        key.to_string()
    }
}

/// Describes a round after the first in English and Korean, to follow the name of the phase.
fn describe_gate_round(round: &GateRound) -> (String, String) {
    match (round.round, round.is_unchanged) {
        (0 | 1, _) => (String::new(), String::new()),
        (number, false) => (format!(" (round {number})"), format!(" ({number}회차)")),
        (number, true) => (
            format!(" (round {number}, no changes since the last round)"),
            format!(" ({number}회차, 지난 회차 이후 변경 없음)"),
        ),
    }
}
