//! The effects that the engine asks the executor for.
//!
//! An effect is self-contained: it carries what is needed to execute it, so that the executor reads neither rows nor
//! the state of the run. Values of environment variables are never part of it.

use std::collections::BTreeMap;

use domain::{
    AgentName, AttemptNumber, ChangeSummary, CheckpointId, CleanupId, Complexity, DependencyType,
    EarlierFailure, InputNumber, LandingId, LargeFile, Locale, ParkMode, PhaseNumber, PlanTaskIds,
    ProvidedResource, RequestId, Role, SessionId, SessionInput, TaskId, TeamMember,
};
use serde::Serialize;

/// An effect. Its [`EffectId`](domain::EffectId) makes execution idempotent; the outcome is reported.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Effect {
    /// Starts the process of a session. Reported by `SessionStarted`, `SessionEnded` or `SessionLost`.
    SpawnAgent(Box<SessionAssignment>),
    /// Sends an input to a session. Reported by `InputSent`.
    SendInput {
        session: SessionId,
        /// Position among the session's inputs; each is sent once, in order.
        input: InputNumber,
        content: Box<SessionInput>,
        /// The description of the work that the input starts.
        brief: Option<Box<InputBrief>>,
        /// Whether the report names the tree of the task's worktree just before the input is sent.
        reports_tree: bool,
        /// Files above the size limit that belong to this tree.
        large_files: Vec<LargeFile>,
    },
    /// Parks a waiting session to save resources. Reported by `EffectFinished`.
    ParkSession { session: SessionId, mode: ParkMode },
    /// Wakes a parked session. Reported by `EffectFinished`.
    WakeSession {
        session: SessionId,
        from: ParkMode,
        /// The task and the conversation so far, for an agent that cannot resume its conversation.
        replay: Option<Box<TaskBrief>>,
    },
    /// Ends the process of a session and its child processes. Reported by `SessionEnded` or `SessionLost`.
    EndSession { session: SessionId },
    /// Commits the work of a task and runs its check. Reported by `CheckFinished`.
    RunCheck(Box<CheckOrder>),
    /// Merges a task into the run's branch. Reported by `MergeFinished`.
    Merge(Box<MergeOrder>),
    /// Collects a phase's artefacts and runs its check. Reported by `GateChecked`.
    CheckGate(Box<GateCheck>),
    /// Merges an approved phase into the project's branch. Reported by `EffectFinished` or `PhaseNotLanded`.
    LandPhase { phase: PhaseNumber, commit: Option<String>, check: LandingCheck },
    /// Brings the work of the run into a branch, as a user requested. Reported by `LandingFinished`.
    LandRun { landing: LandingId, order: Box<LandingOrder> },
    /// Removes worktrees that are not needed, and perhaps refs. Reported by `CleanupFinished`.
    CleanRun { cleanup: CleanupId, order: Box<CleanupOrder> },
    /// Ends the process of a session that is still needed. Reported by `EffectFinished`, and by `SessionEnded` or
    /// `SessionLost` when it has ended.
    StopSession { session: SessionId },
    /// Creates a checkpoint of a task's worktree. Reported by `CheckpointFinished`.
    MakeCheckpoint {
        checkpoint: CheckpointId,
        task: TaskId,
        /// The agent's own session id, reported with the checkpoint.
        agent_session: Option<String>,
        /// Files above the size limit that it has.
        large_files: Vec<LargeFile>,
    },
    /// Resets a task's worktree to a checkpoint. Reported by `EffectFinished`.
    RestoreCheckpoint {
        task: TaskId,
        /// `None`: the start of the task.
        commit: Option<String>,
    },
    /// Saves a permission answer for the project. Reported by `EffectFinished`.
    SavePermissionRule { pattern: String, allowed: bool },
    /// Ticks a task in its plan file. Reported by `EffectFinished`.
    TickPlan {
        task: TaskId,
        /// Identifies the task: the id may belong to another one after an edit of the file.
        title: String,
    },
    /// Records how long a task took, for estimates. Reported by `EffectFinished`.
    RecordDuration(Box<TaskDuration>),
    /// Allows the removal of an ended task's worktree when space is needed. Reported by `EffectFinished`.
    ReleaseWorktree {
        task: TaskId,
        /// Whether its work is merged.
        is_done: bool,
    },
    /// Removes the worktree of an ended session without a task. Reported by `EffectFinished`.
    RemoveWorktree { session: SessionId },
    /// Delivers what an agent requested, and verifies that it is there. Reported by `ProvisionFinished`.
    ProvideResource(Box<ProvisionOrder>),
}

/// A requested resource and who gets it. Names only: the executor reads values from the vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProvisionOrder {
    pub request: RequestId,
    /// The live session that gets it. Without one, the next session of the task gets it at its start.
    pub session: Option<SessionId>,
    /// The task whose worktree gets it.
    pub task: Option<TaskId>,
    pub kind: DependencyType,
    /// Name of the resource in the request.
    pub name: String,
    pub provided: ProvidedResource,
    /// Whether the agent's own default is used.
    pub is_default: bool,
    /// All variables that the session has from now on.
    pub variables: Vec<SessionVariable>,
}

/// An environment variable that was provided to a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionVariable {
    pub name: String,
    pub source: VariableSource,
}

/// Where the value of a variable comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum VariableSource {
    Vault,
    /// The default in the request of the agent.
    Default {
        value: String,
    },
}

/// What the executor needs to start or find the process of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionAssignment {
    pub session: SessionId,
    pub agent: AgentName,
    pub role: Role,
    pub task: Option<TaskId>,
    /// The agent's own session id, used to resume it.
    pub agent_session: Option<String>,
    /// Offset in the agent's output at which reading resumes.
    pub read_from: u64,
    /// Whether it received an input and has not ended its turn.
    pub is_in_turn: bool,
    /// Whether output of this turn was already recorded.
    pub has_spoken: bool,
    /// Cost that the session has reported so far, in millionths.
    pub cost_micros: u64,
    /// Ids of the plan that the agent's messages may name.
    pub task_ids: PlanTaskIds,
    /// Language of the texts for the agent.
    pub locale: Locale,
    pub project: String,
    /// The phase of the session's work, with its title.
    pub phase: Option<(PhaseNumber, String)>,
    /// The other members of the team.
    pub team: Vec<TeamMember>,
    /// Whether the project's set-up commands run in its worktree before it starts.
    pub runs_setup: bool,
    /// Variables that were provided to its task or to itself.
    pub variables: Vec<SessionVariable>,
}

/// The description of the work that an input starts, as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum InputBrief {
    /// For [`SessionInput::Task`] and [`SessionInput::Test`].
    Task(TaskBrief),
    /// For [`SessionInput::Verify`]: the phase that is judged.
    Phase(PhaseBrief),
    /// For [`SessionInput::Conflict`]: the task that conflicts, and the tasks merged last, the newest first.
    Merged { task: TaskId, merged: Vec<TaskHandoff> },
}

/// The description of a task for its agent, as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskBrief {
    pub task: TaskId,
    pub project: String,
    pub phase: PhaseNumber,
    pub phase_title: String,
    pub title: String,
    pub text: String,
    pub criteria: Vec<String>,
    pub touches: Vec<String>,
    pub check: Option<String>,
    /// The agent that works on it.
    pub agent: Option<AgentName>,
    /// Completed tasks that it builds on, the nearest first.
    pub done: Vec<TaskHandoff>,
    /// Tasks that other agents work on.
    pub parallel: Vec<TaskHandoff>,
    /// The end of the conversation so far, for an agent that does not remember it.
    pub conversation: Option<String>,
}

/// The description of a phase for its verifier, as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PhaseBrief {
    pub title: String,
    /// Its completed tasks, each with its criteria.
    pub tasks: Vec<(TaskHandoff, Vec<String>)>,
    /// Glob patterns of the files that it must produce.
    pub artefacts: Vec<String>,
    /// Documents that agents reported as written; they exist.
    pub documents: Vec<String>,
    /// The first files that match these patterns.
    pub files: Vec<String>,
    /// The checks of the gate, each with its result.
    pub checks: Vec<String>,
    /// What its tasks changed.
    pub changes: Option<ChangeSummary>,
}

/// What the agent of another task must know about a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskHandoff {
    pub task: TaskId,
    pub title: String,
    pub agent: Option<AgentName>,
    /// What its agent said about the result.
    pub summary: Option<String>,
    /// Fields that its agent reported with DONE.
    pub reported: BTreeMap<String, String>,
    /// The commit that merged it.
    pub commit: Option<String>,
    /// Questions of its agent with their answers.
    pub decisions: Vec<(String, String)>,
    /// What its agent delivered: the receiver, and the beginning of the content.
    pub results: Vec<(String, String)>,
    /// What failed before it was done.
    pub failures: Vec<EarlierFailure>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckOrder {
    pub task: TaskId,
    pub attempt: AttemptNumber,
    pub title: String,
    /// Author of the checked work.
    pub author: String,
    /// Files above the size limit that are committed.
    pub large_files: Vec<LargeFile>,
    pub command: String,
    pub timeout_ms: u64,
    /// How often a failed check is repeated.
    pub retries: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MergeOrder {
    pub task: TaskId,
    pub attempt: AttemptNumber,
    pub title: String,
    /// Author of the merged work.
    pub author: String,
    /// Files above the size limit that are committed, if the work is not committed yet.
    pub large_files: Vec<LargeFile>,
    /// Commit that passed the task's check, which is merged; if absent, the work is committed first.
    pub commit: Option<String>,
    pub check: Option<String>,
    /// Tree on which the task's check passed; an equal merged tree is not checked again.
    pub checked_tree: Option<String>,
    pub timeout_ms: u64,
    /// How often a failed check is repeated.
    pub retries: u32,
}

/// An approved phase and the work that its approval covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ApprovedPhase {
    pub number: PhaseNumber,
    /// Commit that its gate examined; absent in logs of earlier versions.
    pub commit: Option<String>,
}

/// How the work of a run is brought into a branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LandingOrder {
    pub work: WorkToLand,
    /// Target branch, if not the one that the run started from.
    pub into: Option<String>,
    pub is_squash: bool,
    pub check: LandingCheck,
}

/// The work that is brought into a branch: commits that the log names, whatever refs point to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum WorkToLand {
    /// The commits that the gates of these phases examined.
    Approved(Vec<ApprovedPhase>),
    /// All merged tasks.
    Merged {
        /// The last merge; `None` if no task is merged.
        commit: Option<String>,
    },
}

/// Which worktrees and refs of a run are removed, as a user requested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CleanupOrder {
    /// Whether branches and refs are deleted too.
    pub is_with_refs: bool,
    pub has_run_ended: bool,
    /// Ended tasks. One that is started again meanwhile keeps its worktree.
    pub ended_tasks: Vec<TaskId>,
    /// Tasks that keep their worktrees.
    pub unfinished_tasks: Vec<TaskId>,
    /// Sessions that keep their worktrees.
    pub active_sessions: Vec<SessionId>,
}

/// The check of work that is merged with commits of the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LandingCheck {
    /// Absent if nothing checks it.
    pub command: Option<String>,
    pub timeout_ms: u64,
    /// How often a failed check is repeated.
    pub retries: u32,
}

/// What the executor checks at the gate of a phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GateCheck {
    pub phase: PhaseNumber,
    pub round: u32,
    pub check: Option<String>,
    /// Files that the phase must produce.
    pub artefacts: Vec<ArtefactRule>,
    /// Documents that agents reported as created.
    pub documents: Vec<String>,
    /// Merges of its tasks, oldest first.
    pub merges: Vec<MergedCommits>,
    /// Commit that the last failed or rejected round examined.
    pub rejected_commit: Option<String>,
    pub timeout_ms: u64,
    /// How often a failed check is repeated.
    pub retries: u32,
}

/// How many files must match a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ArtefactRule {
    /// A glob pattern.
    pub pattern: String,
    pub n_min: usize,
}

impl ArtefactRule {
    /// Parses a rule as plans write it: `docs/*.md`, or with a minimum, `docs/*.md >= 9`.
    pub fn parse(text: &str) -> Self {
        let counted = text.rsplit_once(">=").and_then(|(pattern, n_min)| {
            let pattern = pattern.trim();
            let n_min = n_min.trim().parse().ok().filter(|_| !pattern.is_empty())?;
            Some(Self { pattern: pattern.to_owned(), n_min })
        });
        counted.unwrap_or_else(|| Self { pattern: text.trim().to_owned(), n_min: 1 })
    }
}

/// A step of the run's branch that brought the work of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MergedCommits {
    /// Tip of the run's branch before.
    pub onto: String,
    /// Tip of the run's branch after.
    pub commit: String,
}

/// How long the last attempt at a task worked, excluding waiting time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskDuration {
    pub task: TaskId,
    pub attempt: AttemptNumber,
    pub title: String,
    pub agent: Option<AgentName>,
    pub complexity: Option<Complexity>,
    pub worked_ms: u64,
}
