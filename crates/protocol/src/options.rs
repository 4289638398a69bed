//! What a decoder is told about the session it listens to.

use domain::{Role, SessionKey};

/// How to read a session's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Who speaks: only an orchestrator can say NEED_HUMAN.
    pub role: Role,
    /// The session's key, where it has one.
    pub key: Option<SessionKey>,
    /// Whether a message must carry the key.
    pub keys: Keys,
    /// Whether the plan has ids without a letter, such as `1.2`.
    pub numeric_ids: bool,
}

/// Whether a message must carry its session's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// With the key or without one.
    Optional,
    /// Only with the key.
    Required,
}

impl Options {
    /// Returns the options for a worker that was given no key.
    pub fn worker() -> Self {
        Self { role: Role::Worker, key: None, keys: Keys::Optional, numeric_ids: false }
    }

    /// Returns the options for an orchestrator that was given no key.
    pub fn orchestrator() -> Self {
        Self { role: Role::Orchestrator, ..Self::worker() }
    }

    pub(crate) fn is_key(&self, word: &str) -> bool {
        self.key.as_ref().is_some_and(|key| key.as_str() == word)
    }

    /// Judges the word that stands where a key may stand.
    pub(crate) fn pass(&self, word: Option<&str>) -> Pass {
        match word {
            Some(word) if self.is_key(word) => Pass::Counts,
            Some(_) => Pass::WrongKey,
            None if self.keys == Keys::Required => Pass::NoKey,
            None => Pass::Counts,
        }
    }
}

/// Whether something has the key it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pass {
    Counts,
    NoKey,
    WrongKey,
}

impl Pass {
    pub(crate) fn counts(self) -> bool {
        self == Self::Counts
    }
}
