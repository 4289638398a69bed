//! Session keys and locales.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::ParseError;

/// Token by which a session authenticates its protocol messages, so that quoted messages do not count.
///
/// ```
/// # use domain::SessionKey;
/// assert!("k3f9".parse::<SessionKey>().is_ok());
/// assert!("two words".parse::<SessionKey>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SessionKey(String);

impl SessionKey {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a word looks like a session key: lower-case letters and digits, at least one of each.
    ///
    /// Distinguishes `[INVOKE:PO x9y8]` (a wrong key) from `[INVOKE:Product Owner]`.
    pub fn looks_like_key(word: &str) -> bool {
        word.len() >= 3
            && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            && word.bytes().any(|b| b.is_ascii_digit())
            && word.bytes().any(|b| b.is_ascii_lowercase())
    }
}

impl FromStr for SessionKey {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        // No `-`: at the end of a line it would be decoration.
        let is_allowed = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        if (1..=64).contains(&text.len()) && text.bytes().all(is_allowed) {
            Ok(Self(text.to_owned()))
        } else {
            Err(ParseError::new(text, "session key (1 to 64 letters, digits or '_')"))
        }
    }
}

impl TryFrom<String> for SessionKey {
    type Error = ParseError;

    fn try_from(text: String) -> Result<Self, ParseError> {
        text.parse()
    }
}

impl From<SessionKey> for String {
    fn from(key: SessionKey) -> Self {
        key.0
    }
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Language of prompts and sentences of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Locale {
    En,
    Ko,
}
