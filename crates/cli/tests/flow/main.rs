//! Runs that need the binary: agents that resume their sessions, and killed servers.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot run its program has failed")]

#[expect(dead_code, reason = "used by the tests of the runtime")]
#[path = "../../../runtime/tests/flow/fixture.rs"]
mod fixture;
#[expect(dead_code, reason = "used by the tests of the runtime")]
#[path = "../../../runtime/tests/flow/processes.rs"]
mod processes;

mod resumed_sessions;
mod server_killed;
