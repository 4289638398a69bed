//! Finds paths of files in a task's text.

use crate::text::for_each_code_span;

/// Bounds the cost of a malicious file.
const PATHS_MAX: usize = 256;

/// Adds the paths that a text names, in code spans or as plain words.
pub(crate) fn push_paths(text: &str, paths: &mut Vec<String>) {
    if memchr::memchr2(b'/', b'.', text.as_bytes()).is_none()
        && memchr::memchr(b'`', text.as_bytes()).is_none()
    {
        return;
    }
    for_each_code_span(text, |code| {
        if is_path_in_code(code) {
            push_path(code, paths);
        }
    });
    let mut is_code = false;
    let mut start = 0;
    for end in memchr::memchr_iter(b'`', text.as_bytes()).chain([text.len()]) {
        let part = &text[start..end];
        start = end + 1;
        if !is_code && memchr::memchr2(b'/', b'.', part.as_bytes()).is_some() {
            for word in part
                .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '|' | '(' | ')' | '"' | '→'))
            {
                let word = without_particle(word);
                if is_path_in_prose(word) {
                    push_path(trim_word(word), paths);
                }
            }
        }
        is_code = !is_code;
    }
}

fn push_path(path: &str, paths: &mut Vec<String>) {
    if paths.len() < PATHS_MAX && !paths.iter().any(|known| known == path) {
        // Most tasks name one file; spare capacity would dominate their size.
        if paths.is_empty() {
            paths.reserve_exact(1);
        }
        paths.push(path.to_owned());
    }
}

fn trim_word(word: &str) -> &str {
    let word = word.trim_matches(['*', '\'']).trim_end_matches(['.', ':', ',']);
    // `_src/a.py_` is emphasised, `__init__.py` is not.
    word.strip_prefix('_').and_then(|word| word.strip_suffix('_')).unwrap_or(word)
}

/// Removes what follows a file name without a space, as in Korean and Japanese: `src/a.py에`.
fn without_particle(word: &str) -> &str {
    match word.find(|c: char| !c.is_ascii()) {
        Some(end) if has_known_extension(&word[..end]) => &word[..end],
        Some(_) | None => word,
    }
}

/// Tells whether a plain word must be a path: prose has "and/or", "client/server" and "Node.js".
fn is_path_in_prose(word: &str) -> bool {
    const FOLDERS: [&str; 24] = [
        "src",
        "tests",
        "test",
        "docs",
        "lib",
        "app",
        "apps",
        "backend",
        "frontend",
        "packages",
        "scripts",
        "config",
        "configs",
        "migrations",
        "public",
        "internal",
        "cmd",
        "pkg",
        "crates",
        "specs",
        "e2e",
        "server",
        "client",
        "api",
    ];
    if memchr::memchr2(b'/', b'.', word.as_bytes()).is_none() {
        return false;
    }
    let word = trim_word(word);
    let is_ascii_path = word.bytes().all(|byte| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'/' | b'.' | b'-' | b'_' | b'*' | b'[' | b']' | b'{' | b'}')
    });
    if !is_ascii_path || !is_path_in_code(word) || !word.contains(|c: char| c.is_ascii_alphabetic()) {
        return false;
    }
    match word.split_once('/') {
        Some((folder, rest)) => {
            has_known_extension(word)
                || FOLDERS.contains(&folder) && !FOLDERS.contains(&rest)
                || word.ends_with('/') && folder.starts_with(|c: char| c.is_ascii_lowercase() || c == '.')
        }
        // A name such as `Node.js` is a product.
        None => !word.starts_with(|c: char| c.is_ascii_uppercase() && word.ends_with(".js")),
    }
}

/// Tells whether a code span is a path in the repository rather than an expression, a route or a command.
fn is_path_in_code(code: &str) -> bool {
    let is_strange = |byte: u8| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'(' | b')' | b'<' | b'>' | b':' | b'=' | b';' | b'"' | b'\'' | b'$')
    };
    let is_odd = code.bytes().any(is_strange) || !code.is_ascii() && code.contains(char::is_whitespace);
    if code.is_empty() || is_odd || matches!(code.as_bytes()[0], b'/' | b'-' | b'@' | b'#') {
        return false;
    }
    if memchr::memchr(b'/', code.as_bytes()).is_some() {
        // `OPEN/CLOSED` are names of states.
        return code.bytes().any(|byte| !byte.is_ascii_uppercase() && !matches!(byte, b'/' | b'_'));
    }
    has_known_extension(code)
        || matches!(code, "Dockerfile" | "Makefile" | ".gitignore" | ".dockerignore" | ".env.example")
}

fn has_known_extension(path: &str) -> bool {
    const EXTENSIONS: [&str; 44] = [
        "c", "cc", "cfg", "cpp", "cs", "css", "csv", "env", "go", "gradle", "gs", "h", "hpp", "html", "ini",
        "java", "js", "json", "jsx", "kt", "lock", "md", "mjs", "php", "prisma", "proto", "py", "rb", "rs",
        "scss", "sh", "sql", "svelte", "swift", "tf", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml",
        "yml", "mdx",
    ];
    match memchr::memrchr(b'.', path.as_bytes()) {
        None | Some(0) => false,
        Some(dot) => EXTENSIONS.contains(&&path[dot + 1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_path_in_code, push_paths};

    #[test]
    fn paths_are_distinguished_from_other_code() {
        for path in
            ["src/models/user.py", "package.json", "app/[id]/page.tsx", "docs/", "Makefile", "src/**/*.rs"]
        {
            assert!(is_path_in_code(path), "{path}");
        }
        for code in
            ["User.create", "npm install", "/api/users", "GET /x", "req.body", "f(a/b)", "", "@scope/pkg"]
        {
            assert!(!is_path_in_code(code), "{code}");
        }
    }

    #[test]
    fn plain_words_are_paths_only_if_nothing_else_is_meant() {
        let found = |text: &str| {
            let mut paths = Vec::new();
            push_paths(text, &mut paths);
            paths
        };
        assert_eq!(
            found("Create User in src/models/user.py, then tests/unit/."),
            ["src/models/user.py", "tests/unit/"]
        );
        assert_eq!(found("Edit package.json and `a b`, `src/x.rs`"), ["src/x.rs", "package.json"]);
        assert_eq!(
            found("src/models/user.py에 추가, `A/B`, tests/a_test.pyで, _src/b.rs_ and app/__init__.py"),
            ["src/models/user.py", "tests/a_test.py", "src/b.rs", "app/__init__.py"]
        );
        for text in [
            "src/한글.py OPEN/CLOSED",
            "client/server and/or Node.js",
            "CI/CD in 1/2 days",
            "see https://a.example/b.md",
            "v1.2.3 e.g. this",
            "route /api/users",
        ] {
            assert!(found(text).is_empty(), "{text}: {:?}", found(text));
        }
    }
}
