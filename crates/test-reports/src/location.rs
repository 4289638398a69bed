//! Places in files that texts of tools name.

/// Parts of paths that are not the project's own code.
const FOREIGN: [&str; 8] = [
    "node_modules/",
    "site-packages/",
    "node:",
    "/rustc/",
    ".cargo/registry/",
    "/usr/lib/",
    "importlib/",
    "internal/",
];

/// A place in a file. The path is relative to the directory of the check if it is below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) file: String,
    pub(crate) line: u32,
}

/// Returns a path relative to the directory of the check, if it is below it.
pub(crate) fn relative_path<'a>(path: &'a str, directory: &str) -> &'a str {
    let path = path.strip_prefix("file://").unwrap_or(path);
    let below = path.strip_prefix(directory.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
    let path = if directory.is_empty() { path } else { below.unwrap_or(path) };
    path.strip_prefix("./").unwrap_or(path)
}

/// Finds the first place in the project's own code that a text names as `path:line`.
pub(crate) fn find_location(text: &str, directory: &str) -> Option<Location> {
    text.lines().flat_map(str::split_whitespace).find_map(|word| parse_location(word, directory))
}

/// Parses `path:line`, perhaps with a column, quotes and brackets around it.
pub(crate) fn parse_location(word: &str, directory: &str) -> Option<Location> {
    let word = word.trim_matches(['(', ')', '[', ']', '<', '>', '\'', '"', '`', ',']);
    let word = word.strip_prefix("file://").unwrap_or(word);
    if word.is_empty() || word.contains("://") || FOREIGN.iter().any(|part| word.contains(part)) {
        return None;
    }
    let (path, rest) = word.split_once(':')?;
    let line: u32 = rest.split(':').next()?.parse().ok()?;
    let name = path.rsplit('/').next()?;
    let (stem, extension) = name.rsplit_once('.')?;
    let is_file = !stem.is_empty()
        && (1..=5).contains(&extension.len())
        && extension.starts_with(|char: char| char.is_ascii_alphabetic())
        && extension.chars().all(|char| char.is_ascii_alphanumeric());
    let file = relative_path(path, directory);
    (is_file && line > 0).then(|| Location { file: file.to_owned(), line })
}

#[cfg(test)]
mod tests {
    use super::find_location;

    fn place(text: &str) -> Option<String> {
        find_location(text, "/home/dev/till").map(|found| format!("{} {}", found.file, found.line))
    }

    #[test]
    fn places_of_the_project_are_found() {
        assert_eq!(place("at /home/dev/till/a/b.js:7:31"), Some("a/b.js 7".to_owned()));
        assert_eq!(place("at f (file:///home/dev/till/b.mjs:8:12)"), Some("b.mjs 8".to_owned()));
        assert_eq!(place("panicked at src/lib.rs:24:9:"), Some("src/lib.rs 24".to_owned()));
        assert_eq!(place("tests/test_till.py:11: AssertionError"), Some("tests/test_till.py 11".to_owned()));
        assert_eq!(
            place("x (/home/dev/till/node_modules/a.js:1:1)\n/other/c.py:3"),
            Some("/other/c.py 3".to_owned())
        );
    }

    #[test]
    fn other_text_with_colons_is_not_a_place() {
        for text in ["http://host.com:80", "10:20:30", "key:5", "1.5:3", "a.b:", "::", "e.g.:x", ".py:4"] {
            assert_eq!(place(text), None, "{text}");
        }
    }
}
