//! The rules of a run: which task starts next, where a question goes, when a task counts as done.
//!
//! Pure: no clock, no randomness, no IO. The engine returns events and effects; `runtime` executes the effects.

mod allowed_actions;
mod apply;
mod brief;
mod check_output;
mod decide;
mod effect;
mod effect_sink;
mod failure_text;
mod gate_verdict;
mod graph;
mod kept_ids;
mod landing;
mod permission_pattern;
mod plan_diff;
mod planned_work;
mod queries;
mod rejection;
mod result_content;
mod run;
mod schedule;
mod state;
mod table;
mod timers;
mod touched_paths;
mod urgency;
mod user_need;
mod worktree_eviction;

pub use decide::Decision;
pub use effect::{
    ApprovedPhase, ArtefactRule, CheckOrder, CleanupOrder, Effect, GateCheck, InputBrief, LandingCheck,
    LandingOrder, MergeOrder, MergedCommits, PhaseBrief, ProvisionOrder, SessionAssignment, SessionVariable,
    TaskBrief, TaskDuration, TaskHandoff, VariableSource, WorkToLand,
};
pub use graph::{CycleError, Graph, Node};
pub use planned_work::planned_work;
pub use queries::ExpectedSession;
pub use rejection::Rejection;
pub use run::Run;
pub use schedule::{AgentIndex, HoldReason, Schedule, ScheduleLimits, TaskRequirements};
pub use state::TaskState;
pub use touched_paths::TouchedPaths;
pub use urgency::{QueueEntry, sort_by_urgency};
pub use worktree_eviction::{UnusedWorktrees, WorktreeEviction, eviction_order};
