//! Whole runs that need the binary: agents that remember, and servers that are killed.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that can't run its run has failed")]

#[expect(dead_code, reason = "the tests of the runtime need more of it")]
#[path = "../../../runtime/tests/flow/lab.rs"]
mod lab;
#[expect(dead_code, reason = "the tests of the runtime need more of it")]
#[path = "../../../runtime/tests/flow/processes.rs"]
mod processes;

mod killed;
mod remembered;
