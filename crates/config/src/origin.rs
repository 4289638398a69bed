//! The origin of a value.

use std::{fmt, ops::Range};

/// The origin of a value or a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The default of the key.
    Default,
    /// A configuration file.
    File {
        /// The path as shown in messages.
        name: String,
        /// Location; `None` for a problem of the whole file.
        at: Option<TextLocation>,
    },
    /// An environment variable.
    Environment {
        /// Name of the variable.
        variable: String,
    },
    /// A `--set` flag.
    Flag {
        /// Key as written. The value is not recorded: it may be a secret.
        key: String,
    },
}

/// A range of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextLocation {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Byte range in the file.
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
