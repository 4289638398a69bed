//! Finds out the language and the test command of a project from its files.

use std::{fs, path::Path};

/// Larger files are not read.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// The language of a project and the commands that its worktrees need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProjectKind {
    pub language: &'static str,
    /// Command that runs the tests.
    pub check: &'static str,
    /// Command that installs what git ignores.
    pub setup: Option<&'static str>,
}

/// Returns the kind of the project in a folder; `None` if no test command is known.
pub(super) fn detect_project(folder: &Path) -> Option<ProjectKind> {
    let has = |name: &str| folder.join(name).is_file();
    let kind = |language, check, setup| Some(ProjectKind { language, check, setup });
    if has("Cargo.toml") {
        return kind("Rust", "cargo test", None);
    }
    if has("go.mod") {
        return kind("Go", "go test ./...", None);
    }
    if has_node_tests(folder) {
        let (check, setup) = match () {
            () if has("pnpm-lock.yaml") => ("pnpm test", "pnpm install --frozen-lockfile"),
            () if has("yarn.lock") => ("yarn test", "yarn install --frozen-lockfile"),
            () if has("bun.lock") || has("bun.lockb") => ("bun run test", "bun install --frozen-lockfile"),
            () if has("package-lock.json") => ("npm test", "npm ci"),
            () => ("npm test", "npm install"),
        };
        return kind("JavaScript", check, Some(setup));
    }
    if has("uv.lock") {
        return kind("Python", "uv run pytest", None);
    }
    if ["pytest.ini", "pyproject.toml", "setup.py", "setup.cfg", "tox.ini"].into_iter().any(has) {
        return kind("Python", "pytest", None);
    }
    ["Makefile", "makefile", "GNUmakefile"].into_iter().find_map(|name| {
        let text = read_text(&folder.join(name))?;
        let has_target = |target: &str| text.lines().any(|line| line.starts_with(target));
        match (has_target("test:"), has_target("check:")) {
            (true, _) => kind("Make", "make test", None),
            (false, true) => kind("Make", "make check", None),
            (false, false) => None,
        }
    })
}

/// Tells whether `package.json` has a test script other than the placeholder of `npm init`.
fn has_node_tests(folder: &Path) -> bool {
    let Some(text) = read_text(&folder.join("package.json")) else { return false };
    let package: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let script = package.pointer("/scripts/test").and_then(serde_json::Value::as_str);
    script.is_some_and(|script| !script.contains("no test specified"))
}

fn read_text(path: &Path) -> Option<String> {
    let is_small = fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() <= FILE_BYTES_MAX);
    is_small.then(|| fs::read_to_string(path).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_command_follows_from_the_files_of_a_project() {
        let tested = "{\"scripts\": {\"test\": \"vitest\"}}";
        let untested = "{\"scripts\": {\"test\": \"echo \\\"Error: no test specified\\\" && exit 1\"}}";
        let cases: &[(&[(&str, &str)], &str)] = &[
            (&[("Cargo.toml", "")], "Rust: cargo test"),
            (&[("go.mod", ""), ("Makefile", "test:\n")], "Go: go test ./..."),
            (&[("package.json", tested)], "JavaScript: npm test after npm install"),
            (&[("package.json", tested), ("package-lock.json", "")], "JavaScript: npm test after npm ci"),
            (
                &[("package.json", tested), ("pnpm-lock.yaml", "")],
                "JavaScript: pnpm test after pnpm install --frozen-lockfile",
            ),
            (
                &[("package.json", tested), ("yarn.lock", "")],
                "JavaScript: yarn test after yarn install --frozen-lockfile",
            ),
            (
                &[("package.json", tested), ("bun.lock", "")],
                "JavaScript: bun run test after bun install --frozen-lockfile",
            ),
            (&[("package.json", untested)], "unknown"),
            (&[("package.json", "not JSON"), ("Makefile", "all:\n\techo test:\n")], "unknown"),
            (&[("pyproject.toml", ""), ("uv.lock", "")], "Python: uv run pytest"),
            (&[("setup.py", "")], "Python: pytest"),
            (&[("Makefile", "all: x\ntest: all\n\t./run\n")], "Make: make test"),
            (&[("makefile", "check:\n")], "Make: make check"),
            (&[("README.md", "")], "unknown"),
        ];
        for (files, expected) in cases {
            let folder = tempfile::tempdir().unwrap();
            for (name, text) in *files {
                fs::write(folder.path().join(name), text).unwrap();
            }
            let found = detect_project(folder.path()).map(|kind| {
                let setup = kind.setup.map(|setup| format!(" after {setup}")).unwrap_or_default();
                format!("{}: {}{setup}", kind.language, kind.check)
            });
            assert_eq!(found.as_deref().unwrap_or("unknown"), *expected, "{files:?}");
        }
    }
}
