//! What tests and benches of several crates need: generated inputs, the bench harness, properties.
//!
//! Everything is deterministic: the same seed gives the same bytes on every machine.

pub mod bench;
pub mod corpus;
pub mod crank;
pub mod plans;
pub mod progress;
pub mod properties;
pub mod random;
pub mod runs;
