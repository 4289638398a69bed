//! Names of commits, and of who makes them.

use std::fmt;

/// Names a commit by all of its digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommitId(String);

impl CommitId {
    /// Reads a whole name, SHA-1 or SHA-256; half a name is no name.
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (matches!(text.len(), 40 | 64) && text.bytes().all(is_digit)).then(|| Self(text.to_owned()))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Who makes a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitIdentity {
    /// A name for people.
    pub name: String,
    /// An address; it need not exist.
    pub email: String,
}

impl GitIdentity {
    /// Returns who commits what no agent and no person did.
    pub fn jangdan() -> Self {
        Self { name: "Jangdan".to_owned(), email: "jangdan@localhost".to_owned() }
    }
}
