//! Where a path lies: below the working directory, or elsewhere. Reads names only, never the file system.

use std::path::{Component, Path, PathBuf};

/// A path as people and patterns name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// The path from the working directory on, or from the root on where it lies elsewhere.
    pub(crate) name: String,
    pub(crate) in_worktree: bool,
}

/// Finds out where a path lies that an agent names from its working directory.
pub(crate) fn place(directory: &Path, path: &str) -> Place {
    // Somebody's home, wherever that is.
    if path.starts_with('~') {
        return Place { name: path.to_owned(), in_worktree: false };
    }
    let directory = normal(directory);
    let whole = normal(&directory.join(path));
    match whole.strip_prefix(&directory) {
        // Without a directory of which anything is known, nothing lies below it.
        Ok(below) if directory.is_absolute() => {
            let name = if below.as_os_str().is_empty() { Path::new(".") } else { below };
            Place { name: name.to_string_lossy().into_owned(), in_worktree: true }
        }
        _ => Place { name: whole.to_string_lossy().into_owned(), in_worktree: false },
    }
}

/// Takes `.` and `..` away. What climbs above the root stays there, as everywhere.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                // A relative path that climbs keeps its steps: where it ends is not known.
                if normal.file_name().is_some() {
                    normal.pop();
                } else if !normal.has_root() {
                    normal.push("..");
                }
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => normal.push(component),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::place;

    #[test]
    fn a_path_lies_below_the_worktree_or_elsewhere_whatever_dots_it_has() {
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
            let found = place(Path::new("/w/./x/../tree/"), path);
            assert_eq!((found.name.as_str(), found.in_worktree), (name, in_worktree), "{path:?}");
        }
        assert!(!place(Path::new(""), "a.rs").in_worktree);
        assert!(!place(Path::new("."), "../../a.rs").in_worktree);
    }
}
