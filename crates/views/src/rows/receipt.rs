//! Receipts: proof which command ran on which tree, with which result.
//!
//! A receipt of another tree than the task's current work proves nothing about it; it is marked stale.

use domain::{AttemptNumber, GateReport, MergeOutcome, PhaseNumber, Receipt, RewindTarget, Sequence, TaskId};
use serde::{Deserialize, Serialize};

use crate::{RowKind, TableRow, Views, views::EventMoment};

/// Proof that a check ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReceiptRow {
    /// Event with the receipt.
    pub sequence: Sequence,
    /// Index among the receipts of the event.
    pub index: u32,
    pub purpose: ReceiptPurpose,
    pub task: Option<TaskId>,
    pub attempt: Option<AttemptNumber>,
    /// Set if it ran for a gate.
    pub phase: Option<PhaseNumber>,
    /// Round of the gate.
    pub round: Option<u32>,
    pub passed: bool,
    /// Whether the work has changed since. After the merge, the merged tree counts.
    #[serde(default)]
    pub is_stale: bool,
    pub receipt: Receipt,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ReceiptPurpose {
    /// Check of a task in its worktree.
    Check,
    /// Check of a task on the merged tree.
    Merge,
    /// Check of a phase at its gate.
    Gate,
}

/// The last receipt of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TaskReceipt {
    /// Event with the receipt; part of its key.
    pub sequence: Sequence,
    pub purpose: ReceiptPurpose,
    pub passed: bool,
    /// Whether the command could run.
    #[serde(default = "always")]
    pub could_run: bool,
    /// Whether the work has changed since.
    pub is_stale: bool,
}

fn always() -> bool {
    true
}

impl TaskReceipt {
    fn of(row: &ReceiptRow) -> Self {
        Self {
            sequence: row.sequence,
            purpose: row.purpose,
            passed: row.passed,
            could_run: row.receipt.obstacle.is_none(),
            is_stale: row.is_stale,
        }
    }
}

impl TableRow for ReceiptRow {
    type Key = (Sequence, u32);
    const KIND: RowKind = RowKind::Receipt;

    fn key(&self) -> Self::Key {
        (self.sequence, self.index)
    }

    fn key_to_text((sequence, index): &Self::Key) -> String {
        format!("{:012}/{index:03}", sequence.0)
    }
}

impl Views {
    pub(crate) fn add_check_receipt(
        &mut self,
        moment: EventMoment<'_>,
        (task, attempt): (&TaskId, AttemptNumber),
        receipt: &Receipt,
    ) {
        self.add_task_receipt(moment, (task, attempt), ReceiptPurpose::Check, receipt);
    }

    pub(crate) fn add_merge_receipt(
        &mut self,
        moment: EventMoment<'_>,
        (task, attempt): (&TaskId, AttemptNumber),
        outcome: &MergeOutcome,
    ) {
        match outcome {
            MergeOutcome::Merged { receipt: Some(receipt), .. } => {
                self.add_task_receipt(moment, (task, attempt), ReceiptPurpose::Merge, receipt);
            }
            MergeOutcome::CheckFailed { receipt } => {
                self.add_task_receipt(moment, (task, attempt), ReceiptPurpose::Merge, receipt);
            }
            MergeOutcome::Merged { receipt: None, .. } | MergeOutcome::Failed { .. } => {}
            // The worktree now contains conflict markers.
            MergeOutcome::Conflicted { .. } => self.update_task_receipts(task, None),
        }
        if let MergeOutcome::Merged { commit, tree, onto, .. } = outcome {
            self.mark_work_merged(task, tree.as_deref());
            self.add_phase_merge(task, onto.as_deref(), commit);
        }
    }

    /// Sets the tree of a task's work from a checkpoint.
    pub(super) fn update_receipts_at_checkpoint(&mut self, task: &TaskId, tree: &str) {
        // The worktree of a merged task no longer counts.
        if self.facts.tasks.get(task).is_some_and(|facts| !facts.is_merged) {
            self.update_task_receipts(task, Some(tree));
        }
    }

    /// Marks the merged work of a task as not final.
    pub(crate) fn reopen_work(&mut self, task: &TaskId) {
        if let Some(facts) = self.facts.tasks.get_mut(task) {
            facts.is_merged = false;
        }
    }

    /// Restores the work of a task to a checkpoint, or to its start, whose tree is unknown.
    pub(crate) fn rewind_work(&mut self, task: &TaskId, to: RewindTarget) {
        self.reopen_work(task);
        let tree = to.and_then(|id| self.rows.checkpoints.get(&id)?.tree.clone());
        self.update_task_receipts(task, tree.as_deref());
    }

    /// Makes the merged tree the current one of the task and its phase.
    fn mark_work_merged(&mut self, task: &TaskId, tree: Option<&str>) {
        let Some(facts) = self.facts.tasks.get_mut(task) else { return };
        facts.is_merged = true;
        let Some(tree) = tree else { return };
        self.update_task_receipts(task, Some(tree));
        if let Some(phase) = self.rows.tasks.get(task).map(|row| row.phase) {
            self.update_phase_receipts(phase, tree);
        }
    }

    /// Sets the merged tree of a phase.
    fn update_phase_receipts(&mut self, phase: PhaseNumber, tree: &str) {
        let receipts = self.facts.phases.get(&phase).map(|phase| phase.receipts.clone()).unwrap_or_default();
        self.update_stale_receipts(&receipts, Some(tree));
    }

    /// Sets the tree of a task's work; `None` if it is unknown.
    fn update_task_receipts(&mut self, task: &TaskId, tree: Option<&str>) {
        let Some(facts) = self.facts.tasks.get(task) else { return };
        let receipts = facts.receipts.clone();
        self.update_stale_receipts(&receipts, tree);
        let last = receipts.last().and_then(|key| self.rows.receipts.get(key)).map(TaskReceipt::of);
        if let Some(state) = self.rows.tasks.get(task).filter(|row| row.receipt != last).map(|row| row.state)
        {
            self.rows.tasks.change(task, |row| row.receipt = last);
            self.update_marks(task, state);
        }
    }

    fn update_stale_receipts(&mut self, keys: &[(Sequence, u32)], tree: Option<&str>) {
        for key in keys {
            let Some(row) = self.rows.receipts.get(key) else { continue };
            let is_stale = tree != Some(row.receipt.tree.as_str());
            if row.is_stale != is_stale {
                self.rows.receipts.change(key, |row| row.is_stale = is_stale);
            }
        }
    }

    pub(super) fn add_gate_receipts(
        &mut self,
        moment: EventMoment<'_>,
        phase: PhaseNumber,
        round: u32,
        report: &GateReport,
    ) {
        for (index, receipt) in (0..).zip(&report.receipts) {
            self.rows.receipts.put(ReceiptRow {
                sequence: moment.sequence,
                index,
                purpose: ReceiptPurpose::Gate,
                task: None,
                attempt: None,
                phase: Some(phase),
                round: Some(round),
                passed: receipt.passed(),
                is_stale: false,
                receipt: receipt.clone(),
            });
            self.facts.phases.entry(phase).or_default().receipts.push((moment.sequence, index));
            // All checks of a round run on one tree; earlier rounds may have used another.
            self.update_phase_receipts(phase, &receipt.tree);
        }
    }

    fn add_task_receipt(
        &mut self,
        moment: EventMoment<'_>,
        (task, attempt): (&TaskId, AttemptNumber),
        purpose: ReceiptPurpose,
        receipt: &Receipt,
    ) {
        self.rows.receipts.put(ReceiptRow {
            sequence: moment.sequence,
            index: 0,
            purpose,
            task: Some(task.clone()),
            attempt: Some(attempt),
            phase: None,
            round: None,
            passed: receipt.passed(),
            is_stale: false,
            receipt: receipt.clone(),
        });
        if let Some(facts) = self.facts.tasks.get_mut(task) {
            facts.receipts.push((moment.sequence, 0));
        }
        self.update_task_receipts(task, Some(&receipt.tree));
    }
}
