//! The player as a process: each step, each voice, from outside.

#![expect(clippy::expect_used, reason = "a test may fail")]

mod acp;
mod claude;
mod codex;
mod plain;
mod processes;
mod screen;
mod stage;
