//! What happens in a run: who may start, who is asked, what counts as done.
//!
//! Pure: no clock, no randomness, no IO. Starts nothing itself; it says what may start, and `runtime` acts.

mod effect;
mod graph;
mod guard;
mod rejection;
mod schedule;
mod touches;

pub use effect::Effect;
pub use graph::{Cycle, Graph, Node};
pub use guard::Guard;
pub use rejection::Rejection;
pub use schedule::{Agent, Hold, Limits, Needs, Schedule};
pub use touches::Touches;
