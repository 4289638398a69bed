//! Receipts: what ran, on which tree, with which outcome.

use domain::{AttemptNumber, GateReport, MergeOutcome, PhaseNumber, Receipt, Sequence, TaskId};
use serde::{Deserialize, Serialize};

use crate::{Kind, Record, Views, views::Moment};

/// The proof that a command ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReceiptRow {
    /// The event that brought it.
    pub sequence: Sequence,
    /// Which of that event's receipts it is, from 0.
    pub index: u32,
    /// What it ran for.
    pub purpose: Purpose,
    /// The task.
    pub task: Option<TaskId>,
    /// Which try.
    pub attempt: Option<AttemptNumber>,
    /// The phase, where it ran for a gate.
    pub phase: Option<PhaseNumber>,
    /// Which time it was at its gate.
    pub round: Option<u32>,
    /// Whether the command succeeded.
    pub passed: bool,
    /// The proof.
    pub receipt: Receipt,
}

/// What a command ran for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Purpose {
    /// To prove a task.
    Check,
    /// To prove a task on the merged tree.
    Merge,
    /// To let a phase pass.
    Gate,
}

impl Record for ReceiptRow {
    type Key = (Sequence, u32);
    const KIND: Kind = Kind::Receipt;

    fn key(&self) -> Self::Key {
        (self.sequence, self.index)
    }

    fn write_key((sequence, index): &Self::Key) -> String {
        format!("{:012}/{index:03}", sequence.0)
    }
}

impl Views {
    pub(crate) fn check_receipt(
        &mut self,
        moment: Moment<'_>,
        (task, attempt): (&TaskId, AttemptNumber),
        receipt: &Receipt,
    ) {
        self.task_receipt(moment, (task, attempt), Purpose::Check, receipt);
    }

    pub(crate) fn merge_receipt(
        &mut self,
        moment: Moment<'_>,
        (task, attempt): (&TaskId, AttemptNumber),
        outcome: &MergeOutcome,
    ) {
        match outcome {
            MergeOutcome::Merged { receipt: Some(receipt), .. } | MergeOutcome::CheckFailed { receipt } => {
                self.task_receipt(moment, (task, attempt), Purpose::Merge, receipt);
            }
            MergeOutcome::Merged { receipt: None, .. }
            | MergeOutcome::Conflicted { .. }
            | MergeOutcome::Failed { .. } => {}
        }
    }

    pub(super) fn gate_receipts(
        &mut self,
        moment: Moment<'_>,
        phase: PhaseNumber,
        round: u32,
        report: &GateReport,
    ) {
        for (index, receipt) in (0..).zip(&report.receipts) {
            self.rows.receipts.put(ReceiptRow {
                sequence: moment.sequence,
                index,
                purpose: Purpose::Gate,
                task: None,
                attempt: None,
                phase: Some(phase),
                round: Some(round),
                passed: receipt.passed(),
                receipt: receipt.clone(),
            });
        }
    }

    fn task_receipt(
        &mut self,
        moment: Moment<'_>,
        (task, attempt): (&TaskId, AttemptNumber),
        purpose: Purpose,
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
            receipt: receipt.clone(),
        });
    }
}
