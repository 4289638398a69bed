//! Tests of the HTTP interface over a real socket, with real runs.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed step must fail the test")]

mod access_control;
mod callers;
mod diagrams;
mod documentation;
mod fixture;
mod guard_bypass;
mod invalid_requests;
mod lifecycle;
mod openapi;
mod plans;
mod queries;
mod runs;
mod secrets;
mod subscribers;
