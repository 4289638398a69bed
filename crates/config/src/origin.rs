//! Where a value comes from.

use std::{fmt, ops::Range};

/// Where a value, or a mistake, comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody said anything.
    Default,
    /// A file.
    File {
        /// Its name.
        name: String,
        /// The place in it; none for what is about the whole file.
        at: Option<At>,
    },
    /// A variable of the environment.
    Environment {
        /// Its name.
        variable: String,
    },
    /// A flag of the command line.
    Flag {
        /// The key as it was given. The value may be secret.
        key: String,
    },
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct At {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The bytes.
    pub span: Range<usize>,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { name, at: None } => f.write_str(name),
            Self::File { name, at: Some(at) } => write!(f, "{name}:{}", at.line),
            Self::Environment { variable } => f.write_str(variable),
            Self::Flag { key } => write!(f, "--set {key}"),
        }
    }
}
