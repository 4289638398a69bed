//! What happens in a run: who may start, who waits for whom.
//!
//! Pure: no clock, no randomness, no IO. Starts nothing itself; it says what may start, and `runtime` acts.

mod graph;
mod schedule;
mod touches;

pub use graph::{Cycle, Graph, Node};
pub use schedule::{Agent, Limits, Needs, Schedule};
pub use touches::Touches;
