//! Commit ids and commit identities.

use std::fmt;

/// Full id of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommitId(String);

impl CommitId {
    /// Parses a full SHA-1 or SHA-256 id; abbreviations are rejected.
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (matches!(text.len(), 40 | 64) && text.bytes().all(is_digit)).then(|| Self(text.to_owned()))
    }

    /// Returns the id in hexadecimal.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Display for GitIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} <{}>", self.name, self.email)
    }
}

/// Author or committer of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitIdentity {
    /// Name as shown by git.
    pub name: String,
    /// Need not be deliverable.
    pub email: String,
}

impl GitIdentity {
    /// Parses `NAME <EMAIL>`.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, email) = text.trim().strip_suffix('>')?.split_once('<')?;
        let (name, email) = (name.trim().to_owned(), email.trim().to_owned());
        (!name.is_empty() && !email.is_empty()).then_some(Self { name, email })
    }

    /// Returns the identity for commits made by Jangdan itself.
    pub fn jangdan() -> Self {
        Self { name: "Jangdan".to_owned(), email: "jangdan@localhost".to_owned() }
    }
}
