//! The secrets of a project in the vault.

use std::path::Path;

use vault::SecretScope;

use crate::saved_permissions::canonical_project_root;

/// Returns the scope of the project that contains a folder.
pub fn project_secret_scope(project: &Path) -> SecretScope {
    SecretScope::Project(project_secret_path(project))
}

/// Returns the path by which the vault names the project that contains a folder.
pub(crate) fn project_secret_path(project: &Path) -> String {
    canonical_project_root(project).to_string_lossy().into_owned()
}
