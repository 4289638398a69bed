//! What the world must do now. PendingEffects; whoever carries one out reports what came of it.

use domain::{
    AttemptNumber, CheckpointId, InputNumber, ParkMode, PhaseNumber, SessionId, SessionInput, TaskId,
};
use serde::Serialize;

/// One order. Its id stands beside it, so that doing it twice does it once.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Effect {
    /// Start the process of a session. Reported by `ReportStarted`, `ReportEnded` or `ReportLost`.
    SpawnAgent {
        /// The session.
        session: SessionId,
    },
    /// Say something to a session. Reported by `ReportTyped`.
    SendInput {
        /// The session.
        session: SessionId,
        /// Which of its inputs it is; typed once, in order.
        input: InputNumber,
        /// What.
        content: Box<SessionInput>,
    },
    /// Let a session wait at less cost. Reported by `ReportEffect`.
    ParkSession {
        /// The session.
        session: SessionId,
        /// How.
        mode: ParkMode,
    },
    /// Let a parked session go on. Reported by `ReportEffect`.
    WakeSession {
        /// The session.
        session: SessionId,
        /// How it was parked.
        from: ParkMode,
    },
    /// End the process of a session and all it started. Reported by `ReportEnded` or `ReportLost`.
    EndSession {
        /// The session.
        session: SessionId,
    },
    /// Run the check of a task. Reported by `ReportCheck`.
    RunCheck {
        /// The task.
        task: TaskId,
        /// Which try.
        attempt: AttemptNumber,
        /// The command.
        command: String,
    },
    /// Merge a task into the run's branch. Reported by `ReportMerge`.
    Merge {
        /// The task.
        task: TaskId,
        /// Which try.
        attempt: AttemptNumber,
    },
    /// Collect a phase's artefacts and run its checks. Reported by `ReportGate`.
    CheckGate {
        /// The phase.
        phase: PhaseNumber,
        /// Which time.
        round: u32,
    },
    /// Land a phase. Reported by `ReportEffect`.
    LandPhase {
        /// The phase.
        phase: PhaseNumber,
    },
    /// Keep a point that a task can go back to. Reported by `ReportCheckpoint`.
    MakeCheckpoint {
        /// The checkpoint.
        checkpoint: CheckpointId,
        /// The task.
        task: TaskId,
    },
    /// Bring a task's worktree back to a checkpoint. Reported by `ReportEffect`.
    RestoreCheckpoint {
        /// The task.
        task: TaskId,
        /// Where to; the beginning where nothing is said.
        checkpoint: Option<CheckpointId>,
    },
    /// Keep a choice about a permission for the project. Reported by `ReportEffect`.
    SavePermissionRule {
        /// What it is about.
        pattern: String,
        /// Whether agents may.
        allowed: bool,
    },
}
