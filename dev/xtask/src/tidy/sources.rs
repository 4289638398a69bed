//! Rules for files: names, the opening comment of Rust files, silenced lints, postponed work.

use super::{Complaint, File};

/// Names that do not describe the content.
const EMPTY_NAMES: [&str; 5] = ["common", "helpers", "services", "shared", "utils"];

/// Documents that must exist.
const DOCUMENTS: [&str; 10] = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "STYLE.md",
    "docs/decisions/README.md",
    "docs/glossary.md",
    "docs/protocol.md",
];

/// Returns a complaint for every file that breaks a rule.
pub(super) fn check(files: &[File]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for document in DOCUMENTS.iter().filter(|document| files.iter().all(|file| file.path != **document)) {
        complaints.push(Complaint::new(
            *document,
            "is missing",
            "ARCHITECTURE.md says what each document is for",
        ));
    }
    for file in files {
        complaints.extend(check_name(&file.path));
        if file.path.ends_with(".rs") {
            complaints.extend(check_rust(file));
        }
    }
    complaints
}

fn check_name(path: &str) -> Option<Complaint> {
    let stem_of = |part: &str| part.split('.').next().unwrap_or(part).to_ascii_lowercase();
    if path.ends_with("/mod.rs") {
        return Some(Complaint::new(path, "is a mod.rs", "name it after its folder: `foo.rs` beside `foo/`"));
    }
    let empty = path.split('/').map(stem_of).find(|stem| EMPTY_NAMES.contains(&stem.as_str()))?;
    let problem = format!("\"{empty}\" does not describe the content");
    Some(Complaint::new(path, problem, "name it after what it does"))
}

fn check_rust(file: &File) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    if !file.text.starts_with("//!") {
        complaints.push(Complaint::new(
            &file.path,
            "does not open with `//!`",
            "describe in a line what the file does, and what it does not",
        ));
    }
    for (n, line) in file.text.lines().enumerate() {
        let place = format!("{}:{}", file.path, n + 1);
        let code = line.trim_start();
        if ["#[allow(", "#![allow("].iter().any(|attribute| code.starts_with(attribute)) {
            complaints.push(Complaint::new(
                place,
                "silences a lint without end",
                "use #[expect(…, reason = \"…\")], which warns once it is no longer needed",
            ));
        } else if code.starts_with("//") && code.contains("TODO") && !code.contains("TODO(#") {
            complaints.push(Complaint::new(
                place,
                "a TODO without an issue",
                "write `TODO(#123): …`, or do it",
            ));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{assert_complaints, files_of},
        *,
    };

    fn check_file(path: &str, text: &str, expected: &[&str]) {
        let mut pairs: Vec<(&str, &str)> = DOCUMENTS.iter().map(|document| (*document, "")).collect();
        pairs.push((path, text));
        assert_complaints(&check(&files_of(&pairs)), expected);
    }

    #[test]
    fn a_file_that_keeps_the_rules_passes() {
        check_file(
            "crates/protocol/src/tags.rs",
            "//! Tags.\n\n#[expect(dead_code)]\n// TODO(#7): more.\n",
            &[],
        );
    }

    #[test]
    fn meaningless_names_and_mod_rs_are_refused() {
        check_file(
            "crates/protocol/src/utils.rs",
            "//! x",
            &["crates/protocol/src/utils.rs: \"utils\" does not describe the content"],
        );
        check_file(
            "web/Shared/Button.tsx",
            "",
            &["web/Shared/Button.tsx: \"shared\" does not describe the content"],
        );
        check_file(
            "crates/protocol/src/lines/mod.rs",
            "//! x",
            &["crates/protocol/src/lines/mod.rs: is a mod.rs"],
        );
    }

    #[test]
    fn a_rust_file_without_an_opening_comment_is_refused() {
        check_file(
            "crates/protocol/src/lib.rs",
            "use std::fmt;\n",
            &["crates/protocol/src/lib.rs: does not open with `//!`"],
        );
    }

    #[test]
    fn lints_are_not_silenced_permanently() {
        let text = ["//! x\n#", "[allow(dead_code)]\n  #!", "[allow(unused)]\n"].concat();
        check_file(
            "a.rs",
            &text,
            &["a.rs:2: silences a lint without end", "a.rs:3: silences a lint without end"],
        );
    }

    #[test]
    fn a_todo_without_an_issue_is_refused() {
        let text = ["//! x\n/", "/ TO", "DO: later\n"].concat();
        check_file("a.rs", &text, &["a.rs:2: a TODO without an issue"]);
    }

    #[test]
    fn a_missing_document_is_reported() {
        let complaints = check(&files_of(&[("README.md", "")]));
        assert_eq!(complaints.len(), DOCUMENTS.len() - 1);
    }
}
