//! The effects that the engine asks the executor for.

use domain::{
    AttemptNumber, CheckpointId, InputNumber, ParkMode, PhaseNumber, SessionId, SessionInput, TaskId,
};
use serde::Serialize;

/// An effect. Its [`EffectId`](domain::EffectId) makes execution idempotent; the outcome is reported with a command.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Effect {
    /// Starts the process of a session. Reported by `ReportStarted`, `ReportEnded` or `ReportLost`.
    SpawnAgent { session: SessionId },
    /// Sends an input to a session. Reported by `ReportInputSent`.
    SendInput {
        session: SessionId,
        /// Position among the session's inputs; each is sent once, in order.
        input: InputNumber,
        content: Box<SessionInput>,
    },
    /// Parks a waiting session to save resources. Reported by `ReportEffect`.
    ParkSession { session: SessionId, mode: ParkMode },
    /// Wakes a parked session. Reported by `ReportEffect`.
    WakeSession { session: SessionId, from: ParkMode },
    /// Ends the process of a session and its child processes. Reported by `ReportEnded` or `ReportLost`.
    EndSession { session: SessionId },
    /// Runs the check of a task. Reported by `ReportCheck`.
    RunCheck { task: TaskId, attempt: AttemptNumber, command: String },
    /// Merges a task into the run's branch. Reported by `ReportMerge`.
    Merge { task: TaskId, attempt: AttemptNumber },
    /// Collects a phase's artefacts and runs its check. Reported by `ReportGate`.
    CheckGate { phase: PhaseNumber, round: u32 },
    /// Merges an approved phase into the project's branch. Reported by `ReportEffect` or `ReportNotLanded`.
    LandPhase { phase: PhaseNumber },
    /// Creates a checkpoint of a task's worktree. Reported by `ReportCheckpoint`.
    MakeCheckpoint { checkpoint: CheckpointId, task: TaskId },
    /// Resets a task's worktree to a checkpoint. Reported by `ReportEffect`.
    RestoreCheckpoint {
        task: TaskId,
        /// `None`: the start of the task.
        checkpoint: Option<CheckpointId>,
    },
    /// Saves a permission answer for the project. Reported by `ReportEffect`.
    SavePermissionRule { pattern: String, allowed: bool },
}
