//! Shared by the tests and benches of several crates: generated inputs, the bench harness, properties.
//!
//! Generated inputs are deterministic: the same seed gives the same bytes on every machine.

pub mod bench;
pub mod corpus;
pub mod failing_log;
pub mod plans;
pub mod progress;
pub mod properties;
pub mod random;
pub mod run_loop;
pub mod workloads;
