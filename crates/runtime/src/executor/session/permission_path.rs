//! Resolves the paths of a permission request in the file system. Drivers look at names only, but an agent can create a
//! link in its worktree that leads elsewhere.

use std::path::{Path, PathBuf};

use domain::{PermissionKind, PermissionRequest};

/// Returns the request as one outside of the worktree if one of its files is, with the real paths.
pub(super) fn resolve_links(request: PermissionRequest, directory: &Path) -> PermissionRequest {
    let names_files = match request.kind {
        PermissionKind::Edit | PermissionKind::Read => true,
        PermissionKind::Run | PermissionKind::Fetch | PermissionKind::Other => false,
    };
    if !names_files || !request.in_worktree {
        return request;
    }
    let Ok(root) = directory.canonicalize() else {
        return PermissionRequest { in_worktree: false, ..request };
    };
    let mut in_worktree = true;
    let names = request.subject.split('\n').map(|name| match real_path(&root.join(name)) {
        Some(real) if real.starts_with(&root) => name.to_owned(),
        real => {
            in_worktree = false;
            real.map_or_else(|| name.to_owned(), |real| real.to_string_lossy().into_owned())
        }
    });
    let subject = names.collect::<Vec<_>>().join("\n");
    PermissionRequest { subject, in_worktree, ..request }
}

/// Resolves the links of a path whose last parts need not exist. Fails if a link leads to a path that does not exist: a
/// file would be created there.
fn real_path(path: &Path) -> Option<PathBuf> {
    let mut missing = Vec::new();
    let mut existing = path;
    while existing.symlink_metadata().is_err() {
        missing.push(existing.file_name()?);
        existing = existing.parent()?;
    }
    let mut real = existing.canonicalize().ok()?;
    real.extend(missing.into_iter().rev());
    Some(real)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use domain::{PermissionKind, PermissionRequest};

    use super::resolve_links;

    #[test]
    fn file_behind_a_link_is_outside_of_the_worktree() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let worktree = root.join("worktree");
        fs::create_dir_all(worktree.join("src")).unwrap();
        fs::create_dir(root.join("outside")).unwrap();
        symlink("../outside", worktree.join("out")).unwrap();
        symlink("src", worktree.join("inner")).unwrap();
        symlink("../outside/new", worktree.join("dangling")).unwrap();
        let outside = root.join("outside").display().to_string();
        let cases = [
            ("src/a.rs", "src/a.rs".to_owned(), true),
            ("new/deep/a.rs", "new/deep/a.rs".to_owned(), true),
            ("inner/a.rs", "inner/a.rs".to_owned(), true),
            ("out/.bashrc", format!("{outside}/.bashrc"), false),
            ("src/a.rs\nout/b", format!("src/a.rs\n{outside}/b"), false),
            ("dangling", "dangling".to_owned(), false),
        ];
        for (subject, expected, in_worktree) in cases {
            let request = PermissionRequest {
                prompt: String::new(),
                kind: PermissionKind::Edit,
                subject: subject.to_owned(),
                in_worktree: true,
                detail: None,
            };
            let resolved = resolve_links(request, &worktree);
            assert_eq!((resolved.subject, resolved.in_worktree), (expected, in_worktree), "{subject}");
        }
    }
}
