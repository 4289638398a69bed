//! Where a secret applies, and what a list shows of it.

use domain::Timestamp;
use serde::{Deserialize, Serialize};

use crate::secret::SecretName;

/// Where a secret applies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SecretScope {
    /// All projects of the user.
    User,
    /// One project, by the path of its folder.
    Project(String),
}

/// What a list shows of a secret: everything but the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretEntry {
    pub scope: SecretScope,
    pub name: SecretName,
    /// Increases with every value that the vault stores.
    pub version: u64,
    /// When this value was stored.
    pub set_at: Timestamp,
    /// Whether the user said that the value is a secret; others are not masked.
    pub is_secret: bool,
}
