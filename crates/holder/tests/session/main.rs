//! Tests with real holders, processes and terminals.
//!
//! Tests do not sleep for synchronization: every wait is for a condition, with a deadline.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed setup must fail the test")]

mod disk;
mod ending;
mod idle;
mod inputs;
mod kills;
mod limits;
mod masking;
mod protocol;
mod stopping;
mod terminal;
mod test_session;
mod token;
