//! The secrets of a project in the vault.

use std::path::Path;

use vault::SecretScope;

use crate::saved_permissions::canonical_project_root;

/// Returns the scope of the project that contains a folder.
pub fn project_secret_scope(project: &Path) -> SecretScope {
    SecretScope::Project(canonical_project_root(project).to_string_lossy().into_owned())
}
