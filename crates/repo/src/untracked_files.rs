//! Rules for untracked files of a worktree that are not work: caches and build products of tools.
//!
//! Files that a check left behind are in `check_leftovers`.

use std::{os::unix::ffi::OsStrExt, path::Path};

/// Rules for untracked files that are not committed. Tracked and staged files always are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UntrackedFileRules {
    /// Names of files and folders that tools create, such as `__pycache__`; `*` matches any characters.
    pub caches: Vec<String>,
}

impl UntrackedFileRules {
    /// Tells whether a path is a cache, or is inside of one.
    pub(crate) fn is_cache(&self, path: &Path) -> bool {
        let mut names = path.components().map(|name| name.as_os_str().as_bytes());
        names.any(|name| self.caches.iter().any(|pattern| matches_name(pattern.as_bytes(), name)))
    }
}

/// Tells whether a pattern matches a whole name.
fn matches_name(pattern: &[u8], name: &[u8]) -> bool {
    match pattern.split_first() {
        None => name.is_empty(),
        Some((b'*', rest)) => {
            (0..=name.len()).any(|from| matches_name(rest, name.get(from..).unwrap_or(&[])))
        }
        Some((first, rest)) => {
            name.split_first().is_some_and(|(byte, name)| byte == first && matches_name(rest, name))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_are_recognized_by_the_name_of_any_folder_on_the_path() {
        let caches = ["__pycache__", "*.pyc", ".coverage", ".coverage.*"].map(str::to_owned).to_vec();
        let rules = UntrackedFileRules { caches };
        for path in ["__pycache__/a", "src/__pycache__/deep/a", "a.pyc", ".coverage", "src/.coverage.host.1"]
        {
            assert!(rules.is_cache(Path::new(path)), "{path}");
        }
        for path in ["pycache/a", "__pycache__.md", "a.py", "a.pyc.txt", ".coveragerc", "src/coverage/a.ts"] {
            assert!(!rules.is_cache(Path::new(path)), "{path}");
        }
        assert!(!UntrackedFileRules::default().is_cache(Path::new("__pycache__/a")));
    }
}
