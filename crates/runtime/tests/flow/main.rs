//! Runs from start to end with real git and real sessions; the agents are shell scripts.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "failures in tests")]

mod checks;
mod commands;
mod committed_work;
mod crashes;
mod disk_budget;
mod evidence;
mod fixture;
mod foreign_tips;
mod gate_review;
mod landing;
mod large_files;
mod overlaps;
mod parking;
mod plan_file;
mod processes;
mod protocol_agents;
mod questions;
mod runs;
mod session_worktrees;
mod team;
mod turns;
mod worktrees;
