//! Session keys and locales. A recorded text has [`KEY_MARK`] in place of its session's key.

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

    /// Replaces the key, where it stands as a word, by [`KEY_MARK`].
    pub fn replace_in(&self, text: &str) -> String {
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        let (mut marked, mut end) = (String::with_capacity(text.len()), 0);
        for (at, key) in text.match_indices(&self.0) {
            let (before, after) = (text.get(..at), text.get(at + key.len()..));
            let begins_word = before.and_then(|text| text.chars().next_back()).is_none_or(|c| !is_word(c));
            let ends_word = after.and_then(|text| text.chars().next()).is_none_or(|c| !is_word(c));
            if begins_word && ends_word {
                marked.push_str(text.get(end..at).unwrap_or_default());
                marked.push_str(KEY_MARK);
                end = at + key.len();
            }
        }
        marked.push_str(text.get(end..).unwrap_or_default());
        marked
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

/// Stands in recorded texts where an agent wrote the key of its session.
pub const KEY_MARK: &str = "‹key›";

/// Returns a recorded text without marks of keys, and without the white space before them.
pub fn without_key_marks(text: &str) -> String {
    let mut parts = text.split(KEY_MARK);
    let mut clean = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        clean.truncate(clean.trim_end_matches([' ', '\t']).len());
        clean.push_str(part);
    }
    clean
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

#[cfg(test)]
mod tests {
    use super::{SessionKey, without_key_marks};

    fn assert_recorded(text: &str, marked: &str, clean: &str) {
        let key: SessionKey = "k3f9".parse().unwrap();
        assert_eq!(key.replace_in(text), marked);
        assert_eq!(without_key_marks(marked), clean);
    }

    #[test]
    fn a_key_is_replaced_only_as_a_word() {
        assert_recorded("DONE:T1 k3f9", "DONE:T1 ‹key›", "DONE:T1");
        assert_recorded("[INVOKE:PO k3f9]\nx", "[INVOKE:PO ‹key›]\nx", "[INVOKE:PO]\nx");
        assert_recorded("[NEED_HUMAN  k3f9: a?]", "[NEED_HUMAN  ‹key›: a?]", "[NEED_HUMAN: a?]");
        assert_recorded("k3f9\nk3f9", "‹key›\n‹key›", "\n");
        assert_recorded("ak3f9 k3f9b 한k3f9", "ak3f9 k3f9b 한k3f9", "ak3f9 k3f9b 한k3f9");
    }
}
