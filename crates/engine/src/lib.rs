//! What happens in a run: who may start, who is asked, what counts as done.
//!
//! Pure: no clock, no randomness, no IO. Starts nothing itself; it says what may start, and `runtime` acts.

mod amend;
mod apply;
mod decide;
mod effect;
mod graph;
mod guard;
mod look;
mod orders;
mod planned;
mod rejection;
mod run;
mod schedule;
mod state;
mod table;
mod timers;
mod touches;
mod urgency;

pub use decide::Decision;
pub use effect::Effect;
pub use graph::{Cycle, Graph, Node};
pub use guard::Guard;
pub use look::{Assignment, GateWork, LivingSession};
pub use planned::planned;
pub use rejection::Rejection;
pub use run::Run;
pub use schedule::{Agent, Hold, Limits, Needs, Schedule};
pub use state::TaskState;
pub use touches::Touches;
pub use urgency::urgency;
