//! Rules for untracked files of a worktree that are not committed: caches and build products of tools, and files above
//! the size limit.
//!
//! Files that a check left behind are in `check_leftovers`.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    fs::{self, Metadata},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use domain::LargeFile;

/// Rules for untracked files that are not committed. Tracked and staged files always are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UntrackedFileRules {
    /// Names of files and folders that tools create, such as `__pycache__`; `*` matches any characters.
    pub caches: Vec<String>,
    /// Size above which files are not committed; `None`: no limit.
    pub bytes_max: Option<u64>,
    /// Files above the limit that are committed as long as they have this size.
    pub large_files: Vec<LargeFile>,
}

impl UntrackedFileRules {
    /// Returns the size of a file, if it is above the limit and not listed.
    fn excess_size(&self, root: &Path, path: &Path) -> Option<Metadata> {
        let max = self.bytes_max?;
        // A file that disappears is not committed either.
        let metadata = fs::symlink_metadata(root.join(path)).ok()?;
        let is_large = metadata.is_file() && metadata.len() > max;
        let is_listed = || self.large_files.contains(&large_file(path, metadata.len()));
        (is_large && !is_listed()).then_some(metadata)
    }

    /// Tells whether a path is a cache, or is inside of one.
    pub(crate) fn is_cache(&self, path: &Path) -> bool {
        let mut names = path.components().map(|name| name.as_os_str().as_bytes());
        names.any(|name| self.caches.iter().any(|pattern| matches_name(pattern.as_bytes(), name)))
    }
}

/// Finds the untracked files of a worktree that are left out, and remembers the large ones.
pub(crate) struct LeftOutFileFilter<'a> {
    root: &'a Path,
    /// `None` if all untracked files count.
    rules: Option<&'a UntrackedFileRules>,
    /// Whether the files that were examined are above the limit: a file that grows meanwhile stays what it was.
    examined: RefCell<BTreeMap<PathBuf, Option<Metadata>>>,
}

impl<'a> LeftOutFileFilter<'a> {
    pub(crate) fn new(root: &'a Path, rules: Option<&'a UntrackedFileRules>) -> Self {
        Self { root, rules, examined: RefCell::default() }
    }

    pub(crate) fn is_cache(&self, path: &Path) -> bool {
        self.rules.is_some_and(|rules| rules.is_cache(path))
    }

    pub(crate) fn contains(&self, path: &Path) -> bool {
        let Some(rules) = self.rules else { return false };
        if rules.is_cache(path) {
            return true;
        }
        let mut examined = self.examined.borrow_mut();
        let size = examined.entry(path.to_owned()).or_insert_with(|| rules.excess_size(self.root, path));
        size.is_some()
    }

    /// Returns the files above the limit among those that were examined.
    pub(crate) fn into_large_files(self) -> BTreeMap<PathBuf, Metadata> {
        let examined = self.examined.into_inner().into_iter();
        examined.filter_map(|(path, metadata)| Some((path, metadata?))).collect()
    }
}

pub(crate) fn large_file(path: &Path, bytes: u64) -> LargeFile {
    LargeFile { path: path.to_string_lossy().into_owned(), bytes }
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
        let rules = UntrackedFileRules { caches, ..UntrackedFileRules::default() };
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
