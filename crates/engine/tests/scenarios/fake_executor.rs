//! An executor that reports success for every effect, except those that the scenario handles itself.

use std::collections::BTreeSet;

use domain::{CheckpointOutcome, EffectId, GateReport, MergeOutcome, Receipt, Report, Timestamp};
use engine::Effect;

pub(crate) struct FakeExecutor {
    /// Names of the effects that the scenario reports itself.
    manual: BTreeSet<&'static str>,
}

const ALL: [&str; 12] = [
    "SpawnAgent",
    "SendInput",
    "ParkSession",
    "WakeSession",
    "EndSession",
    "RunCheck",
    "Merge",
    "CheckGate",
    "LandPhase",
    "MakeCheckpoint",
    "RestoreCheckpoint",
    "SavePermissionRule",
];

impl Default for FakeExecutor {
    /// The scenario decides the outcome of checks.
    fn default() -> Self {
        Self { manual: BTreeSet::from(["RunCheck"]) }
    }
}

impl FakeExecutor {
    /// Reads a line about the executor, and returns whether it is one.
    pub(crate) fn read_line(&mut self, line: &str) -> bool {
        match line {
            "the executor is slow" => self.manual.extend(ALL),
            "the executor is fast again" => *self = Self::default(),
            "checks pass automatically" => {
                self.manual.remove("RunCheck");
            }
            "sessions start by hand" => self.manual.extend(["SpawnAgent"]),
            "sessions end by hand" => self.manual.extend(["EndSession"]),
            "inputs are sent by hand" => self.manual.extend(["SendInput"]),
            "merges are done by hand" => self.manual.extend(["Merge"]),
            "gates are checked by hand" => self.manual.extend(["CheckGate"]),
            "checkpoints are made by hand" => self.manual.extend(["MakeCheckpoint"]),
            "sessions are parked by hand" => self.manual.extend(["ParkSession", "WakeSession"]),
            _ => return false,
        }
        true
    }

    /// Returns whether the executor reports this effect itself.
    pub(crate) fn executes(&self, effect: &Effect) -> bool {
        !self.manual.contains(effect_name(effect))
    }

    /// Returns the report of a successful effect.
    #[expect(clippy::unused_self, reason = "the report does not depend on the settings")]
    pub(crate) fn success_report(&self, id: EffectId, effect: &Effect, now: Timestamp) -> Report {
        match effect {
            Effect::SpawnAgent(assignment) => {
                let session = &assignment.session;
                Report::SessionStarted { session: *session, agent_session: Some(format!("own-{session}")) }
            }
            Effect::SendInput { session, input, .. } => {
                Report::InputSent { session: *session, input: *input, text: None }
            }
            Effect::EndSession { session } => Report::SessionEnded { session: *session, exit_status: None },
            Effect::RunCheck(order) => Report::CheckFinished {
                task: order.task.clone(),
                attempt: order.attempt,
                receipt: check_receipt(&order.command, 0, "all passed", now),
            },
            Effect::Merge(order) => Report::MergeFinished {
                task: order.task.clone(),
                attempt: order.attempt,
                outcome: MergeOutcome::Merged {
                    commit: format!("merge-of-{}", order.task),
                    receipt: None,
                    tree: None,
                    onto: Some(format!("before-{}", order.task)),
                },
            },
            Effect::CheckGate(gate) => Report::GateChecked {
                phase: gate.phase,
                round: gate.round,
                report: GateReport {
                    passed: true,
                    summary: "all passed".to_owned(),
                    ..GateReport::default()
                },
            },
            Effect::MakeCheckpoint { checkpoint, .. } => Report::CheckpointFinished {
                checkpoint: *checkpoint,
                outcome: CheckpointOutcome::Made {
                    commit: format!("commit-of-{checkpoint}"),
                    agent_session: None,
                    tree: None,
                },
            },
            Effect::ParkSession { .. }
            | Effect::WakeSession { .. }
            | Effect::LandPhase { .. }
            | Effect::RestoreCheckpoint { .. }
            | Effect::SavePermissionRule { .. }
            | Effect::TickPlan { .. }
            | Effect::RecordDuration(_)
            | Effect::ReleaseWorktree { .. }
            | Effect::RemoveWorktree { .. } => Report::EffectFinished { effect: id, error: None },
        }
    }
}

pub(crate) fn effect_name(effect: &Effect) -> &'static str {
    match effect {
        Effect::SpawnAgent(_) => "SpawnAgent",
        Effect::SendInput { .. } => "SendInput",
        Effect::ParkSession { .. } => "ParkSession",
        Effect::WakeSession { .. } => "WakeSession",
        Effect::EndSession { .. } => "EndSession",
        Effect::RunCheck(_) => "RunCheck",
        Effect::Merge(_) => "Merge",
        Effect::CheckGate(_) => "CheckGate",
        Effect::LandPhase { .. } => "LandPhase",
        Effect::MakeCheckpoint { .. } => "MakeCheckpoint",
        Effect::RestoreCheckpoint { .. } => "RestoreCheckpoint",
        Effect::SavePermissionRule { .. } => "SavePermissionRule",
        Effect::TickPlan { .. } => "TickPlan",
        Effect::RecordDuration(_) => "RecordDuration",
        Effect::ReleaseWorktree { .. } => "ReleaseWorktree",
        Effect::RemoveWorktree { .. } => "RemoveWorktree",
    }
}

pub(crate) fn check_receipt(command: &str, exit_status: i32, output: &str, now: Timestamp) -> Receipt {
    Receipt {
        command: command.to_owned(),
        exit_status: Some(exit_status),
        obstacle: None,
        attempts: 1,
        output_hash: format!("hash-of-{output}"),
        output_tail: output.to_owned(),
        tree: "tree".to_owned(),
        commit: None,
        started_at: now,
        finished_at: now,
    }
}
