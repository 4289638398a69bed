//! What belongs to one living agent process.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::ParseError;

/// The word by which a session shows that a message is its own and no quotation.
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
    /// Returns the key as it is written in a tag.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Tells whether a word could be some session's key: lower-case letters and digits, both of them.
    ///
    /// That is how keys are made, and how `[INVOKE:PO x9y8]` (a wrong key) differs from `[INVOKE:Product Owner]`.
    pub fn has_form(word: &str) -> bool {
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
        let is_sign = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        if (1..=64).contains(&text.len()) && text.bytes().all(is_sign) {
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

/// The language in which a run speaks to its agents and to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Locale {
    /// English.
    En,
    /// Korean.
    Ko,
}
