//! What a task may change: paths and named locks that no two running tasks may share.

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

/// The parts of a path from its beginning up to the first that is not fixed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    parts: Vec<String>,
}

impl TouchedPaths {
    /// Reads paths as people write them: a file, a folder, a pattern with `*`, or a word for anything else.
    pub fn parse<S: AsRef<str>>(paths: impl IntoIterator<Item = S>) -> Self {
        let patterns = paths.into_iter().filter_map(|path| Pattern::parse(path.as_ref())).collect();
        Self { patterns }
    }

    /// Tells whether nothing is named.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Tells whether two tasks could change the same thing; in doubt they could.
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

    /// Tells whether one lies at or below the other: a folder holds all that is in it.
    fn overlaps(&self, other: &Self) -> bool {
        self.parts.iter().zip(&other.parts).all(|(left, right)| left == right)
    }
}

#[cfg(test)]
mod tests {
    use super::TouchedPaths;

    #[test]
    fn what_lies_below_a_path_or_may_be_meant_by_a_pattern_overlaps_it() {
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
