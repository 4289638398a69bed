//! Checks that the pure crates have no access to runtime, clock, files, processes or randomness.
//!
//! Dependencies are checked here. Calls are checked by clippy; this file ensures that each pure crate has the same
//! clippy.toml.

use super::{
    Complaint,
    metadata::{Crate, Workspace},
};

/// The crates without side effects.
const PURE: [&str; 8] =
    ["config", "domain", "drivers", "engine", "plan", "protocol", "test-reports", "views"];

/// Dependencies that make a crate impure, by name.
const DENIED: [&str; 35] = [
    "crossbeam-channel",
    "crossterm",
    "dirs",
    "etcetera",
    "fastrand",
    "futures",
    "futures-util",
    "getrandom",
    "git2",
    "hyper",
    "inotify",
    "libc",
    "libsqlite3-sys",
    "mio",
    "nix",
    "notify",
    "parking_lot",
    "polling",
    "postgres",
    "rand",
    "rayon",
    "reqwest",
    "rusqlite",
    "rustix",
    "rustls",
    "signal-hook",
    "smol",
    "socket2",
    "sqlx",
    "tempfile",
    "tokio",
    "tracing",
    "tracing-subscriber",
    "ureq",
    "windows-sys",
];

/// Dependencies that make a crate impure, by the beginning of their names.
const DENIED_FAMILIES: [&str; 3] = ["async-", "tokio-", "opentelemetry"];

/// The clippy.toml of every pure crate.
const PURE_CLIPPY_TOML: &str = include_str!("pure_clippy.toml");

/// Returns the generated files: path and content.
pub(super) fn generated_files(workspace: &Workspace) -> Vec<(String, &'static str)> {
    pure_crates(workspace).map(|found| (format!("{}/clippy.toml", found.folder), PURE_CLIPPY_TOML)).collect()
}

/// Returns a complaint for every generated file that is missing or was edited.
pub(super) fn check_generated<'a>(
    workspace: &Workspace,
    text_of: impl Fn(&str) -> &'a str,
) -> Vec<Complaint> {
    let differs = |(path, content): &(String, &str)| text_of(path) != *content;
    let complaint = |(path, _)| {
        Complaint::new(
            path,
            "differs from dev/xtask/src/tidy/pure_clippy.toml",
            "edit that file, then run `cargo xtask tidy --fix`",
        )
    };
    generated_files(workspace).into_iter().filter(differs).map(complaint).collect()
}

/// Returns a complaint for every impure crate in a pure crate's dependency tree.
pub(super) fn check_trees(workspace: &Workspace) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for found in pure_crates(workspace) {
        for name in found.tree.iter().filter(|name| is_denied(name)) {
            complaints.push(Complaint::new(
                format!("{}/Cargo.toml", found.folder),
                format!("{} is pure, but links {name}", found.name),
                "`cargo tree -e normal -i NAME` shows which dependency needs it; pass the value as an argument instead",
            ));
        }
    }
    complaints
}

fn pure_crates(workspace: &Workspace) -> impl Iterator<Item = &Crate> {
    workspace.crates.iter().filter(|found| found.is_product() && PURE.contains(&found.name.as_str()))
}

fn is_denied(name: &str) -> bool {
    DENIED.contains(&name) || DENIED_FAMILIES.iter().any(|family| name.starts_with(family))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{super::tests::assert_complaints, *};

    fn workspace(name: &str, tree: &[&str]) -> Workspace {
        let tree: BTreeSet<String> = tree.iter().map(|name| (*name).to_owned()).collect();
        let found =
            Crate { name: name.to_owned(), folder: format!("crates/{name}"), uses: BTreeSet::new(), tree };
        Workspace { crates: vec![found] }
    }

    #[test]
    fn a_pure_crate_that_links_a_runtime_is_reported() {
        let complaints = check_trees(&workspace("protocol", &["memchr", "tokio-util", "getrandom"]));
        let expected = [
            "crates/protocol/Cargo.toml: protocol is pure, but links getrandom",
            "crates/protocol/Cargo.toml: protocol is pure, but links tokio-util",
        ];
        assert_complaints(&complaints, &expected);
    }

    #[test]
    fn other_crates_may_link_anything() {
        assert_complaints(&check_trees(&workspace("cli", &["tokio", "libc"])), &[]);
    }

    #[test]
    fn an_edited_clippy_toml_is_reported() {
        let expected = ["crates/plan/clippy.toml: differs from dev/xtask/src/tidy/pure_clippy.toml"];
        assert_complaints(
            &check_generated(&workspace("plan", &[]), |_| "allow-unwrap-in-tests = true"),
            &expected,
        );
        assert_complaints(&check_generated(&workspace("plan", &[]), |_| PURE_CLIPPY_TOML), &[]);
    }

    #[test]
    fn pure_lints_contain_the_forbidden_calls_and_the_keys_of_the_workspace() {
        let root = include_str!("../../../../clippy.toml");
        for line in root.lines().filter(|line| !line.starts_with('#')) {
            assert!(PURE_CLIPPY_TOML.lines().any(|own| own == line), "missing: {line}");
        }
        for path in [
            "std::time::Instant::now",
            "std::time::SystemTime::now",
            "std::fs::File",
            "std::fs::read",
            "std::process::Command",
            "std::thread::spawn",
            "std::thread::sleep",
            "std::env::var",
            "std::net::TcpStream",
            "std::println",
            "std::eprintln",
        ] {
            assert!(PURE_CLIPPY_TOML.contains(&format!("\"{path}\"")), "missing: {path}");
        }
    }
}
