//! What happens in a run: who may start, who is asked, what counts as done.
//!
//! Pure: no clock, no randomness, no IO. Starts nothing itself; it says what may start, and `runtime` acts.

mod apply;
mod decide;
mod effect;
mod effect_sink;
mod graph;
mod guard;
mod plan_diff;
mod planned_work;
mod queries;
mod rejection;
mod run;
mod schedule;
mod state;
mod table;
mod timers;
mod touched_paths;
mod urgency;

pub use decide::Decision;
pub use effect::Effect;
pub use graph::{CycleError, Graph, Node};
pub use guard::Guard;
pub use planned_work::planned_work;
pub use queries::{Assignment, GateCheck, LiveSession};
pub use rejection::Rejection;
pub use run::Run;
pub use schedule::{AgentIndex, HoldReason, Schedule, ScheduleLimits, TaskRequirements};
pub use state::TaskState;
pub use touched_paths::TouchedPaths;
pub use urgency::urgency;
