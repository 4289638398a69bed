//! Evidence that a task is done, and what of it is missing.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a claim rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ClaimEvidence {
    /// The work differs from the tree that the round began with.
    Change,
    /// The agent delivered a result in this round.
    Result,
    /// The DONE line has a reason.
    Reason,
    /// None was required: an earlier version started the run.
    NotRequired,
}

/// What an agent changed in the round of work that a claim ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum WorkChange {
    Changed,
    /// Nothing since the task began.
    Unchanged,
    /// Nothing since the work was rejected, failed its check or conflicted.
    SameAsLastRound,
    /// There is no worktree that shows it.
    Unknown,
}

/// What is missing before a task counts as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum MissingEvidence {
    /// The turn, or the process, ended without a message.
    NoMessage,
    /// No file changed since the task was sent.
    NoChange,
    /// Only files above the size limit changed, which are not committed.
    OnlyLargeFiles,
    /// No file changed since a permission was denied.
    UnchangedSinceDenial,
    /// No file changed since the phase was rejected.
    UnchangedSinceRejection,
    /// No file changed since the check or the tester failed.
    UnchangedSinceFailedCheck,
    /// No file changed since the work conflicted with merged work.
    UnchangedSinceConflict,
    /// No worktree shows which files changed, so that only a result or a reason counts.
    ChangesUnknown,
}

/// Why Jangdan asks the user in place of an agent. Displays as the question in English.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EvidenceGap {
    pub missing: Vec<MissingEvidence>,
    /// The end of what the agent wrote last, without its messages.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub last_words: String,
}

impl fmt::Display for EvidenceGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.missing.contains(&MissingEvidence::NoMessage) {
            true => "The agent stopped without reporting its task as done.",
            false => "The agent reports its task as done without evidence.",
        })?;
        for missing in self.missing.iter().filter(|missing| **missing != MissingEvidence::NoMessage) {
            write!(f, " {missing}")?;
        }
        if !self.last_words.is_empty() {
            write!(f, " Its last words: \u{201c}{}\u{201d}", self.last_words)?;
        }
        f.write_str(" What should it do?")
    }
}

impl fmt::Display for MissingEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoMessage => "There was no message.",
            Self::NoChange => "No file has changed.",
            Self::OnlyLargeFiles => "No file has changed, except files that are too large to be committed.",
            Self::UnchangedSinceDenial => "No file has changed since a permission was denied.",
            Self::UnchangedSinceRejection => "No file has changed since the phase was rejected.",
            Self::UnchangedSinceFailedCheck => "No file has changed since the check failed.",
            Self::UnchangedSinceConflict => "No file has changed since the conflict.",
            Self::ChangesUnknown => "It is not known which files have changed.",
        })
    }
}
