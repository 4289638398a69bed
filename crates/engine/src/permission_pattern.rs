//! Patterns of permission requests: which requests a pattern names, and which pattern is proposed for a request.
//!
//! A proposed pattern is shown to the user before it is saved. It has a wildcard only where every request that it
//! names is of the same kind as the one that was made; otherwise it is the exact request.

use domain::{PermissionKind, PermissionRequest};

/// Commands whose further arguments may vary. `_` is any one word that is not an option. Commands that can run other
/// programs, delete files, read files outside the worktree or use the network are not listed.
#[rustfmt::skip] // A table is read by its rows.
const COMMANDS_WITH_ARGUMENTS: &[&str] = &[
    "npm test", "npm t", "npm run _", "pnpm test", "pnpm run _", "yarn test", "yarn run _", "bun test", "bun run _",
    "npx vitest", "npx jest", "npx tsc", "npx eslint", "npx prettier", "npx biome", "npx playwright test",
    "vitest", "jest", "tsc", "eslint", "prettier", "biome", "deno test", "deno lint", "deno fmt", "deno check",
    "cargo test", "cargo build", "cargo check", "cargo clippy", "cargo fmt", "cargo doc", "cargo bench",
    "cargo nextest run", "cargo tree", "cargo metadata",
    "go test", "go build", "go vet", "go fmt", "gofmt", "golangci-lint run",
    "pytest", "python -m pytest", "python3 -m pytest", "python -m unittest", "python3 -m unittest",
    "uv run pytest", "poetry run pytest", "tox", "ruff check", "ruff format", "mypy", "flake8", "black", "isort",
    "bundle exec rspec", "bundle exec rubocop", "rspec", "rubocop", "rake test", "composer test", "phpunit",
    "mvn test", "mvn verify", "./mvnw test", "./mvnw verify", "gradle test", "gradle build", "./gradlew test",
    "./gradlew build", "dotnet test", "dotnet build", "swift test", "swift build", "mix test", "flutter test",
    "zig build", "zig test", "cmake --build", "ctest", "make _", "just _",
    "git status", "git add", "git commit", "git ls-files", "git rev-parse", "ls", "pwd", "wc",
];

/// Proposes the pattern with which a request and similar ones can be decided: one with a wildcard, such as
/// `run:npm test *`, or the exact request, such as `=run:rm -rf build`.
pub(crate) fn propose_pattern(request: &PermissionRequest) -> String {
    let wildcard = match request.kind {
        PermissionKind::Run => command_pattern(&request.subject),
        PermissionKind::Edit | PermissionKind::Read if request.in_worktree => {
            folder_pattern(&request.subject)
        }
        PermissionKind::Fetch => host_pattern(&request.subject),
        PermissionKind::Edit | PermissionKind::Read | PermissionKind::Other => None,
    };
    let wildcard = wildcard.map(|rest| format!("{}:{rest}", request.kind.pattern_name()));
    // A proposal that does not allow its own request would be asked again.
    wildcard.filter(|pattern| pattern_allows(pattern, request)).unwrap_or_else(|| exact_pattern(request))
}

/// Returns the pattern that names only this request.
pub(crate) fn exact_pattern(request: &PermissionRequest) -> String {
    format!("={}:{}", request.kind.pattern_name(), request.subject)
}

fn command_pattern(command: &str) -> Option<String> {
    if command.contains(joins_commands) {
        return None;
    }
    let words: Vec<&str> = command.split(' ').filter(|word| !word.is_empty()).collect();
    let known = COMMANDS_WITH_ARGUMENTS.iter().find(|known| has_prefix(&words, known))?;
    let prefix = words.get(..known.split(' ').count())?;
    Some(format!("{} *", prefix.join(" ")))
}

fn has_prefix(words: &[&str], prefix: &str) -> bool {
    let mut words = words.iter();
    prefix.split(' ').all(|expected| {
        words.next().is_some_and(|word| if expected == "_" { is_plain_word(word) } else { *word == expected })
    })
}

/// Returns whether a word is a name of a script or target, not an option, assignment or pattern.
fn is_plain_word(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    word.starts_with(|c: char| c.is_ascii_alphanumeric()) && word.chars().all(is_plain)
}

/// Returns the folder that has all paths of a request. Hidden folders hold configuration that tools execute.
fn folder_pattern(subject: &str) -> Option<String> {
    let mut folders = subject.split('\n').map(|path| path.rsplit_once('/').map(|(folder, _)| folder));
    let folder = folders.next()??;
    let is_usual = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains('*');
    let is_common = folders.all(|other| other == Some(folder));
    (is_common && folder.split('/').all(is_usual)).then(|| format!("{folder}/**"))
}

/// Returns the host of a URL.
fn host_pattern(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"))?;
    let (host, _) = rest.split_once('/')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | ':');
    (!host.is_empty() && host.chars().all(is_plain)).then(|| format!("{scheme}://{host}/*"))
}

/// Characters that join commands, start another one or redirect its output.
fn joins_commands(c: char) -> bool {
    matches!(c, ';' | '|' | '&' | '`' | '$' | '(' | ')' | '<' | '>' | '\n' | '\r')
}

/// Returns whether a pattern or a saved answer names the subject of a request; used to deny.
pub(crate) fn pattern_matches_loosely(pattern: &str, request: &PermissionRequest) -> bool {
    matches_exactly(pattern, request).unwrap_or_else(|| pattern_matches_request(pattern, request, false))
}

/// Returns whether a pattern or a saved answer allows a request. `*` does not match characters that join commands.
pub(crate) fn pattern_allows(pattern: &str, request: &PermissionRequest) -> bool {
    matches_exactly(pattern, request).unwrap_or_else(|| pattern_matches_request(pattern, request, true))
}

/// Returns whether a saved answer has exactly this subject; `None` if it is a pattern.
fn matches_exactly(pattern: &str, request: &PermissionRequest) -> Option<bool> {
    let exact = pattern.strip_prefix('=')?;
    Some(exact.split_once(':') == Some((request.kind.pattern_name(), request.subject.as_str())))
}

fn pattern_matches_request(pattern: &str, request: &PermissionRequest, strictly: bool) -> bool {
    let (kind, rest) = pattern.split_once(':').unwrap_or(("", pattern));
    let kinds = ["edit", "run", "read", "fetch", "other"];
    let (kind, rest) = if kinds.contains(&kind) { (kind, rest) } else { ("", pattern) };
    let fits_kind = kind.is_empty() || kind == request.kind.pattern_name();
    let is_command = strictly && request.kind == PermissionKind::Run;
    let is_barred = |c: char| is_command && joins_commands(c);
    if request.kind == PermissionKind::Run {
        // `npm test *` also names `npm test`.
        let names_bare_command = rest.strip_suffix(" *").is_some_and(|bare| bare == request.subject);
        return fits_kind && (names_bare_command || glob_matches(rest, &request.subject, is_barred));
    }
    // A path with `..` may leave the folder that the pattern names.
    let leaves_folder = |path: &str| path.split('/').any(|part| part == "..");
    let fits = |path: &str| !(strictly && leaves_folder(path)) && glob_matches(rest, path, is_barred);
    // A patch lists its files, one per line: all must be allowed, any can be denied.
    let mut paths = request.subject.split('\n');
    fits_kind && if strictly { paths.all(fits) } else { paths.any(fits) }
}

/// Matches `*` against any characters except the barred ones.
fn glob_matches(pattern: &str, text: &str, is_barred: impl Fn(char) -> bool + Copy) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        let position = if parts.peek().is_none() { rest.rfind(part) } else { rest.find(part) };
        let Some(position) = position else { return false };
        let (skipped, from) = rest.split_at(position);
        if skipped.contains(is_barred) {
            return false;
        }
        rest = from.strip_prefix(part).unwrap_or(from);
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use domain::{PermissionKind, PermissionRequest};

    use super::{pattern_allows, pattern_matches_loosely, propose_pattern};

    /// Requests, and the proposed pattern; `=` if only the exact request is proposed.
    const PROPOSALS: &str = include_str!("permission_pattern/proposals.txt");

    #[test]
    fn wildcard_is_proposed_only_where_it_cannot_allow_anything() {
        let cases = PROPOSALS.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
        let mut n_cases = 0;
        for case in cases {
            let (action, expected) = case.split_once(" => ").unwrap();
            let (kind, subject) = action.split_once(' ').unwrap();
            let (kind, in_worktree) = match kind {
                "run" => (PermissionKind::Run, false),
                "edit" => (PermissionKind::Edit, true),
                "edit-outside" => (PermissionKind::Edit, false),
                "read" => (PermissionKind::Read, true),
                "fetch" => (PermissionKind::Fetch, false),
                "other" => (PermissionKind::Other, false),
                _ => panic!("{case}"),
            };
            let subject = subject.replace("\\n", "\n");
            let request = PermissionRequest { in_worktree, ..permission_request(kind, &subject) };
            let proposed = propose_pattern(&request);
            let exact = format!("={}:{subject}", kind.pattern_name());
            assert_eq!(proposed, if expected == "=" { exact } else { expected.to_owned() }, "{case}");
            assert!(pattern_allows(&proposed, &request), "{case}");
            n_cases += 1;
        }
        assert!(n_cases > 50, "{n_cases}");
    }

    #[test]
    fn pattern_allows_its_commands_but_no_joined_ones() {
        let cases = [
            ("run:cargo test*", PermissionKind::Run, "cargo test --all", true),
            ("run:cargo test*", PermissionKind::Run, "cargo test; rm -rf /", false),
            ("run:cargo test*", PermissionKind::Run, "cargo test $(rm x)", false),
            ("run:cargo test*", PermissionKind::Run, "cargo build", false),
            ("run:npm test *", PermissionKind::Run, "npm test", true),
            ("run:npm test *", PermissionKind::Run, "npm test -- a b", true),
            ("run:npm test *", PermissionKind::Run, "npm testing", false),
            ("run:npm test *", PermissionKind::Run, "npm test -- a && rm -rf /", false),
            ("run:npm test *", PermissionKind::Run, "npm test\nrm -rf /", false),
            ("run:npm test *", PermissionKind::Run, "npm test > ../file", false),
            ("cargo test", PermissionKind::Run, "cargo test", true),
            ("cargo test", PermissionKind::Run, "cargo test x", false),
            ("edit:src/**", PermissionKind::Edit, "src/a/b.rs", true),
            ("edit:src/**", PermissionKind::Read, "src/a/b.rs", false),
            ("*.md", PermissionKind::Edit, "docs/a.md", true),
            ("*.md", PermissionKind::Edit, "docs/a.md.exe", false),
            ("fetch:https://docs.rs/*", PermissionKind::Fetch, "https://docs.rs/serde", true),
            // A saved answer of an earlier run.
            ("=run:rm *; ls", PermissionKind::Run, "rm *; ls", true),
            ("=run:rm *; ls", PermissionKind::Run, "rm x; ls", false),
            ("=run:make", PermissionKind::Other, "make", false),
            ("a*b*c", PermissionKind::Other, "axxbyyc", true),
            ("a*b*c", PermissionKind::Other, "axxc", false),
            ("edit:src/**", PermissionKind::Edit, "src/../../etc/passwd", false),
            ("edit:src/**", PermissionKind::Edit, "src/a.rs\nsrc/b.rs", true),
            ("edit:src/**", PermissionKind::Edit, "src/a.rs\nsecret/b", false),
            ("*.rs", PermissionKind::Edit, "secret/b\nsrc/a.rs", false),
            ("edit:src/**", PermissionKind::Edit, "", false),
        ];
        for (pattern, kind, subject, expected) in cases {
            assert_eq!(
                pattern_allows(pattern, &permission_request(kind, subject)),
                expected,
                "{pattern} for {subject}"
            );
        }
    }

    #[test]
    fn denied_file_denies_the_whole_patch() {
        let patch = permission_request(PermissionKind::Edit, "src/a.rs\nsecret/b");
        assert!(pattern_matches_loosely("edit:secret/**", &patch));
        assert!(pattern_matches_loosely("edit:src/**", &patch));
        assert!(!pattern_matches_loosely("edit:docs/**", &patch));
    }

    fn permission_request(kind: PermissionKind, subject: &str) -> PermissionRequest {
        let (prompt, subject) = (String::new(), subject.to_owned());
        PermissionRequest { prompt, kind, subject, in_worktree: false, detail: None }
    }
}
