//! The paths and named locks that a task may change; no two running tasks share one.

/// A set of paths, patterns and locks.
///
/// ```
/// # use engine::TouchedPaths;
/// let form = TouchedPaths::parse(["src/login/**"]);
/// assert!(form.overlaps(&TouchedPaths::parse(["src/login/form.rs"])));
/// assert!(!form.overlaps(&TouchedPaths::parse(["src/cart/**", "lock:database"])));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TouchedPaths {
    patterns: Vec<Pattern>,
}

/// The path components before the first one with a wildcard.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    parts: Vec<String>,
}

impl TouchedPaths {
    /// Parses files, folders, patterns with `*`, and any other word as a lock.
    pub fn parse<S: AsRef<str>>(paths: impl IntoIterator<Item = S>) -> Self {
        let patterns = paths.into_iter().filter_map(|path| Pattern::parse(path.as_ref())).collect();
        Self { patterns }
    }

    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Returns whether two tasks could change the same file or lock; errs on the side of `true`.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.patterns.iter().any(|left| other.patterns.iter().any(|right| left.overlaps(right)))
    }
}

impl Pattern {
    fn parse(path: &str) -> Option<Self> {
        let path = path.trim();
        let is_fixed = |part: &&str| !part.contains(['*', '?', '[', '{']);
        let parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
        let parts = parts.take_while(is_fixed).map(str::to_owned).collect();
        (!path.is_empty()).then_some(Self { parts })
    }

    /// Returns whether one path is the other or lies below it.
    fn overlaps(&self, other: &Self) -> bool {
        self.parts.iter().zip(&other.parts).all(|(left, right)| left == right)
    }
}

#[cfg(test)]
mod tests {
    use super::TouchedPaths;

    #[test]
    fn paths_below_a_folder_or_matching_a_pattern_overlap_it() {
        let cases = [
            ("src/a.rs", "src/a.rs", true),
            ("src/a.rs", "src/b.rs", false),
            ("src", "src/a.rs", true),
            ("src/", "src/login/a.rs", true),
            ("src/*.rs", "src/a.rs", true),
            ("src/*.rs", "docs/a.md", false),
            ("**", "anything", true),
            ("./src/a.rs", "src/a.rs", true),
            ("lock:database", "lock:database", true),
            ("lock:database", "lock:mail", false),
            ("src/login", "src/login2", false),
        ];
        for (left, right, overlaps) in cases {
            assert_eq!(
                TouchedPaths::parse([left]).overlaps(&TouchedPaths::parse([right])),
                overlaps,
                "{left} and {right}"
            );
            assert_eq!(
                TouchedPaths::parse([right]).overlaps(&TouchedPaths::parse([left])),
                overlaps,
                "{right} and {left}"
            );
        }
        assert!(!TouchedPaths::default().overlaps(&TouchedPaths::parse(["src"])));
    }
}
