//! Keeps the pure crates pure: no runtime, clock, file, process or randomness, by dependency or by call.
//!
//! The calls are clippy's to refuse; here we only see to it that each pure crate has the same, full clippy.toml.

use super::{
    Complaint,
    metadata::{Crate, Workspace},
};

/// The crates that decide and never do, whether they exist yet or not.
const PURE: [&str; 6] = ["config", "domain", "engine", "plan", "protocol", "views"];

/// What makes a crate impure, by whole name.
const DENIED: [&str; 34] = [
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
    "tracing-subscriber",
    "ureq",
    "windows-sys",
];

/// What makes a crate impure, by the beginning of its name.
const DENIED_FAMILIES: [&str; 3] = ["async-", "tokio-", "opentelemetry"];

/// The clippy.toml of every pure crate.
const CLIPPY: &str = include_str!("pure_clippy.toml");

/// Returns the generated files as they should be: path and content.
pub fn generated(workspace: &Workspace) -> Vec<(String, &'static str)> {
    pure_crates(workspace).map(|found| (format!("{}/clippy.toml", found.folder), CLIPPY)).collect()
}

/// Complains about a generated file that is missing or was edited.
pub fn check_generated<'a>(workspace: &Workspace, text_of: impl Fn(&str) -> &'a str) -> Vec<Complaint> {
    let differs = |(path, content): &(String, &str)| text_of(path) != *content;
    let complaint = |(path, _)| {
        Complaint::new(
            path,
            "is not what dev/xtask/src/tidy/pure_clippy.toml says",
            "edit that file, then run `cargo xtask tidy --fix`",
        )
    };
    generated(workspace).into_iter().filter(differs).map(complaint).collect()
}

/// Complains about everything in a pure crate's tree that could reach the outside.
pub fn check_trees(workspace: &Workspace) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for found in pure_crates(workspace) {
        for name in found.tree.iter().filter(|name| is_denied(name)) {
            complaints.push(Complaint::new(
                format!("{}/Cargo.toml", found.folder),
                format!("{} is pure, and links {name}", found.name),
                "`cargo tree -e normal -i NAME` shows by whom; pass the value in as an argument instead",
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
    fn a_pure_crate_that_links_a_runtime_is_named() {
        let complaints = check_trees(&workspace("protocol", &["memchr", "tokio-util", "getrandom"]));
        let expected = [
            "crates/protocol/Cargo.toml: protocol is pure, and links getrandom",
            "crates/protocol/Cargo.toml: protocol is pure, and links tokio-util",
        ];
        assert_complaints(&complaints, &expected);
    }

    #[test]
    fn the_others_may_link_what_they_need() {
        assert_complaints(&check_trees(&workspace("cli", &["tokio", "libc"])), &[]);
    }

    #[test]
    fn an_edited_clippy_toml_is_named() {
        let expected = ["crates/plan/clippy.toml: is not what dev/xtask/src/tidy/pure_clippy.toml says"];
        assert_complaints(
            &check_generated(&workspace("plan", &[]), |_| "allow-unwrap-in-tests = true"),
            &expected,
        );
        assert_complaints(&check_generated(&workspace("plan", &[]), |_| CLIPPY), &[]);
    }

    #[test]
    fn the_pure_lints_name_what_is_forbidden_and_keep_the_workspace_keys() {
        let root = include_str!("../../../../clippy.toml");
        for line in root.lines().filter(|line| !line.starts_with('#')) {
            assert!(CLIPPY.lines().any(|own| own == line), "missing: {line}");
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
            assert!(CLIPPY.contains(&format!("\"{path}\"")), "missing: {path}");
        }
    }
}
