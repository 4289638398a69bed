//! A ref of a run that another program moved.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A ref that does not point to the commit that the log of the run names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MovedRef {
    /// Full name of the ref.
    pub name: String,
    /// Commit that it points to.
    pub found: String,
    /// Commit that the log names.
    pub recorded: String,
}

impl fmt::Display for MovedRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, found, recorded } = self;
        write!(f, "{name} is at {found}, but this run left it at {recorded}")
    }
}
