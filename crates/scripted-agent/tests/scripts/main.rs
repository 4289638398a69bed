//! Runs the scripted agent as a process: every step and every protocol, seen from outside.

#![expect(clippy::expect_used, reason = "a failed setup must fail the test")]

mod acp;
mod claude;
mod codex;
mod fixture;
mod plain;
mod processes;
mod screen;
