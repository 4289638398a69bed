//! Tells whether a path is below an agent's working directory. Looks at names only, never at the file system.

use std::path::{Component, Path, PathBuf};

/// A path in the form that people read and permission patterns match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorktreePath {
    /// Relative to the working directory; absolute if the path is outside of it.
    pub(crate) name: String,
    pub(crate) in_worktree: bool,
}

impl WorktreePath {
    /// Resolves a path that an agent named relative to its working directory.
    pub(crate) fn resolve(directory: &Path, path: &str) -> Self {
        // The home of some user: outside, wherever it is.
        if path.starts_with('~') {
            return Self { name: path.to_owned(), in_worktree: false };
        }
        let directory = normalize(directory);
        let absolute = normalize(&directory.join(path));
        match absolute.strip_prefix(&directory) {
            // If the working directory is not absolute, the location of the path is unknown.
            Ok(relative) if directory.is_absolute() => {
                let name = if relative.as_os_str().is_empty() { Path::new(".") } else { relative };
                Self { name: name.to_string_lossy().into_owned(), in_worktree: true }
            }
            _ => Self { name: absolute.to_string_lossy().into_owned(), in_worktree: false },
        }
    }
}

/// Removes `.` and `..`. As in file systems, the parent of the root is the root.
fn normalize(path: &Path) -> PathBuf {
    let mut normalized = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                // A relative path keeps leading `..`: its base is unknown.
                if normalized.file_name().is_some() {
                    normalized.pop();
                } else if !normalized.has_root() {
                    normalized.push("..");
                }
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => normalized.push(component),
        }
    }
    normalized
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::WorktreePath;

    #[test]
    fn dots_do_not_hide_that_a_path_is_outside_the_worktree() {
        let cases = [
            ("src/a.rs", "src/a.rs", true),
            ("./src//b/../a.rs", "src/a.rs", true),
            ("/w/tree/a.rs", "a.rs", true),
            ("/w/tree", ".", true),
            ("/w/tree/../tree/a.rs", "a.rs", true),
            ("../tree/a.rs", "a.rs", true),
            ("../a.rs", "/w/a.rs", false),
            ("/w/treehouse/a.rs", "/w/treehouse/a.rs", false),
            ("/w/tree/../../etc/passwd", "/etc/passwd", false),
            ("src/../../../../../../etc/passwd", "/etc/passwd", false),
            ("", ".", true),
            ("~/a.rs", "~/a.rs", false),
        ];
        for (path, name, in_worktree) in cases {
            let resolved = WorktreePath::resolve(Path::new("/w/./x/../tree/"), path);
            assert_eq!((resolved.name.as_str(), resolved.in_worktree), (name, in_worktree), "{path:?}");
        }
        assert!(!WorktreePath::resolve(Path::new(""), "a.rs").in_worktree);
        assert!(!WorktreePath::resolve(Path::new("."), "../../a.rs").in_worktree);
    }
}
