//! The crate against the real `git`, in repositories of its own.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should stop")]

mod conflicts;
mod crashes;
mod desks;
mod finding;
mod in_place;
mod keeping;
mod kinds;
mod landing;
mod merging;
mod names;
mod overlap;
mod patterns;
mod prune;
mod restoring;
mod stage;
mod submodules;
mod untouched;
mod worktrees;
