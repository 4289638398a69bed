//! Tests against the real `git` program, in temporary repositories.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed setup must fail the test")]

mod check_leftovers;
mod checkout_tree;
mod conflicts;
mod crashes;
mod discovery;
mod fixture;
mod foreign_tips;
mod hostile;
mod landing;
mod large_files;
mod linear_history;
mod merge;
mod names;
mod overlap;
mod patterns;
mod phase_changes;
mod prune;
mod repository_kinds;
mod restore;
mod session_worktrees;
mod snapshots;
mod stale_locks;
mod submodules;
mod user_checkout;
mod worktrees;
