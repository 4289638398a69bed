//! The world: it does by itself what a scenario does not care about, and leaves the rest to the scenario.

use std::collections::BTreeSet;

use domain::{CheckpointOutcome, Command, EffectId, GateReport, MergeOutcome, Receipt, Timestamp};
use engine::Effect;

/// What is done by hand, by the names of the effects.
pub struct Hands {
    by_hand: BTreeSet<&'static str>,
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

impl Default for Hands {
    /// A check has two outcomes, and a scenario says which.
    fn default() -> Self {
        Self { by_hand: BTreeSet::from(["RunCheck"]) }
    }
}

impl Hands {
    /// Takes a line that says who does what, or tells that it does not.
    pub fn take(&mut self, line: &str) -> bool {
        match line {
            "the world is slow" => self.by_hand.extend(ALL),
            "the world is quick again" => *self = Self::default(),
            "checks pass by themselves" => {
                self.by_hand.remove("RunCheck");
            }
            "sessions start by hand" => self.by_hand.extend(["SpawnAgent"]),
            "sessions end by hand" => self.by_hand.extend(["EndSession"]),
            "inputs are typed by hand" => self.by_hand.extend(["SendInput"]),
            "merges are done by hand" => self.by_hand.extend(["Merge"]),
            "gates are checked by hand" => self.by_hand.extend(["CheckGate"]),
            "checkpoints are made by hand" => self.by_hand.extend(["MakeCheckpoint"]),
            "sessions are parked by hand" => self.by_hand.extend(["ParkSession", "WakeSession"]),
            _ => return false,
        }
        true
    }

    /// Tells whether the world does this by itself.
    pub fn does(&self, effect: &Effect) -> bool {
        !self.by_hand.contains(name(effect))
    }

    /// Returns what the world reports when all went well.
    #[expect(clippy::unused_self, reason = "the world reports, whoever does it")]
    pub fn report(&self, id: EffectId, effect: &Effect, now: Timestamp) -> Command {
        match effect {
            Effect::SpawnAgent { session } => {
                Command::ReportStarted { session: *session, agent_session: Some(format!("own-{session}")) }
            }
            Effect::SendInput { session, input, .. } => {
                Command::ReportInputSent { session: *session, input: *input }
            }
            Effect::EndSession { session } => Command::ReportEnded { session: *session, exit_status: None },
            Effect::RunCheck { task, attempt, command } => Command::ReportCheck {
                task: task.clone(),
                attempt: *attempt,
                receipt: receipt(command, 0, "all is well", now),
            },
            Effect::Merge { task, attempt } => Command::ReportMerge {
                task: task.clone(),
                attempt: *attempt,
                outcome: MergeOutcome::Merged {
                    commit: format!("merge-of-{task}"),
                    receipt: None,
                    tree: None,
                },
            },
            Effect::CheckGate { phase, round } => Command::ReportGate {
                phase: *phase,
                round: *round,
                report: GateReport {
                    passed: true,
                    summary: "all is well".to_owned(),
                    ..GateReport::default()
                },
            },
            Effect::MakeCheckpoint { checkpoint, .. } => Command::ReportCheckpoint {
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
            | Effect::SavePermissionRule { .. } => Command::ReportEffect { effect: id, error: None },
        }
    }
}

/// Returns the name of an effect.
pub fn name(effect: &Effect) -> &'static str {
    match effect {
        Effect::SpawnAgent { .. } => "SpawnAgent",
        Effect::SendInput { .. } => "SendInput",
        Effect::ParkSession { .. } => "ParkSession",
        Effect::WakeSession { .. } => "WakeSession",
        Effect::EndSession { .. } => "EndSession",
        Effect::RunCheck { .. } => "RunCheck",
        Effect::Merge { .. } => "Merge",
        Effect::CheckGate { .. } => "CheckGate",
        Effect::LandPhase { .. } => "LandPhase",
        Effect::MakeCheckpoint { .. } => "MakeCheckpoint",
        Effect::RestoreCheckpoint { .. } => "RestoreCheckpoint",
        Effect::SavePermissionRule { .. } => "SavePermissionRule",
    }
}

/// Makes the proof that a command ran.
pub fn receipt(command: &str, exit_status: i32, output: &str, now: Timestamp) -> Receipt {
    Receipt {
        command: command.to_owned(),
        exit_status: Some(exit_status),
        output_hash: format!("hash-of-{output}"),
        output_tail: output.to_owned(),
        tree: "tree".to_owned(),
        started_at: now,
        finished_at: now,
    }
}
