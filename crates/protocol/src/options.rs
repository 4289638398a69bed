//! What a decoder is told about the session it listens to.

use domain::{Role, SessionKey};

/// How to read a session's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecoderOptions {
    /// Who speaks: only an orchestrator can say NEED_HUMAN.
    pub role: Role,
    /// The session's key, where it has one.
    pub key: Option<SessionKey>,
    /// Whether a message must carry the key.
    pub key_requirement: KeyRequirement,
    /// Whether the plan has ids without a letter, such as `1.2`.
    pub numeric_ids: bool,
}

/// Whether a message must carry its session's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRequirement {
    /// With the key or without one.
    Optional,
    /// Only with the key.
    Required,
}

impl DecoderOptions {
    /// Returns the options for a worker that was given no key.
    pub fn worker() -> Self {
        Self { role: Role::Worker, key: None, key_requirement: KeyRequirement::Optional, numeric_ids: false }
    }

    /// Returns the options for an orchestrator that was given no key.
    pub fn orchestrator() -> Self {
        Self { role: Role::Orchestrator, ..Self::worker() }
    }

    pub(crate) fn is_key(&self, word: &str) -> bool {
        self.key.as_ref().is_some_and(|key| key.as_str() == word)
    }

    /// Judges the word that stands where a key may stand.
    pub(crate) fn check_key(&self, word: Option<&str>) -> KeyCheck {
        match word {
            Some(word) if self.is_key(word) => KeyCheck::Accepted,
            Some(_) => KeyCheck::Wrong,
            None if self.key_requirement == KeyRequirement::Required => KeyCheck::Missing,
            None => KeyCheck::Accepted,
        }
    }
}

/// Whether something has the key it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyCheck {
    Accepted,
    Missing,
    Wrong,
}

impl KeyCheck {
    pub(crate) fn is_accepted(self) -> bool {
        self == Self::Accepted
    }
}
