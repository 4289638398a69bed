//! Reads the crates of the workspace and their dependencies from `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::shell;

/// The workspace's crates and dependencies.
#[derive(Debug)]
pub(super) struct Workspace {
    /// Sorted by name.
    pub crates: Vec<Crate>,
}

/// One crate of the workspace.
#[derive(Debug)]
pub(super) struct Crate {
    pub name: String,
    /// From the repository's root.
    pub folder: String,
    /// Direct dependencies, without those for tests and build scripts.
    pub uses: BTreeSet<String>,
    /// All crates that are linked into it, without those for tests and build scripts.
    pub tree: BTreeSet<String>,
}

impl Crate {
    /// Tells whether the crate is part of the product.
    pub(super) fn is_product(&self) -> bool {
        self.folder.starts_with("crates/")
    }
}

/// Runs `cargo metadata` and reads its output.
pub(super) fn read() -> Result<Workspace> {
    let text = shell::command_output(&mut shell::cargo_command(&["metadata", "--format-version", "1"]))?;
    parse(&text).context("read the output of `cargo metadata`")
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_members: Vec<String>,
    workspace_root: String,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    manifest_path: String,
    #[serde(default)]
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
}

impl Package {
    /// Tells whether it is a procedural macro, whose dependencies are not linked into a program.
    fn is_macro(&self) -> bool {
        self.targets.iter().any(|target| target.kind.iter().any(|kind| kind == "proc-macro"))
    }
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    /// Absent for a normal dependency, else `dev` or `build`.
    kind: Option<String>,
}

/// Reads the JSON that Cargo prints.
fn parse(text: &str) -> Result<Workspace> {
    let metadata: Metadata = serde_json::from_str(text)?;
    let names: BTreeMap<&str, &str> =
        metadata.packages.iter().map(|package| (package.id.as_str(), package.name.as_str())).collect();
    let macros: BTreeSet<&str> = metadata
        .packages
        .iter()
        .filter(|package| package.is_macro())
        .map(|package| package.id.as_str())
        .collect();
    let edges: BTreeMap<&str, Vec<&str>> = metadata
        .resolve
        .nodes
        .iter()
        .filter(|node| !macros.contains(node.id.as_str()))
        .map(|node| {
            let is_linked =
                |dependency: &&Dependency| dependency.dep_kinds.iter().any(|kind| kind.kind.is_none());
            (
                node.id.as_str(),
                node.deps.iter().filter(is_linked).map(|dependency| dependency.pkg.as_str()).collect(),
            )
        })
        .collect();
    let named = |ids: &BTreeSet<&str>| {
        ids.iter().filter_map(|id| names.get(id)).map(|name| (*name).to_owned()).collect()
    };

    let mut crates: Vec<Crate> = metadata
        .packages
        .iter()
        .filter(|package| metadata.workspace_members.contains(&package.id))
        .map(|package| {
            let folder = package.manifest_path.trim_end_matches("/Cargo.toml");
            let uses: BTreeSet<&str> =
                edges.get(package.id.as_str()).into_iter().flatten().copied().collect();
            let mut tree = BTreeSet::new();
            let mut open: Vec<&str> = uses.iter().copied().collect();
            while let Some(id) = open.pop() {
                if tree.insert(id) {
                    open.extend(edges.get(id).into_iter().flatten());
                }
            }
            Crate {
                name: package.name.clone(),
                folder: folder
                    .strip_prefix(&metadata.workspace_root)
                    .unwrap_or(folder)
                    .trim_matches('/')
                    .to_owned(),
                uses: named(&uses),
                tree: named(&tree),
            }
        })
        .collect();
    crates.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(Workspace { crates })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_of_tests_build_scripts_and_macros_are_not_part_of_a_crate() {
        let text = r#"{
            "workspace_root": "/w", "workspace_members": ["w"],
            "packages": [
                {"id": "w", "name": "protocol", "manifest_path": "/w/crates/protocol/Cargo.toml"},
                {"id": "m", "name": "memchr", "manifest_path": "/r/memchr/Cargo.toml"},
                {"id": "l", "name": "libc", "manifest_path": "/r/libc/Cargo.toml"},
                {"id": "p", "name": "proptest", "manifest_path": "/r/proptest/Cargo.toml"},
                {"id": "d", "name": "derive", "manifest_path": "/r/derive/Cargo.toml", "targets": [{"kind": ["proc-macro"]}]},
                {"id": "t", "name": "tokio", "manifest_path": "/r/tokio/Cargo.toml"}
            ],
            "resolve": {"nodes": [
                {"id": "w", "deps": [
                    {"pkg": "m", "dep_kinds": [{"kind": null}, {"kind": "dev"}]},
                    {"pkg": "d", "dep_kinds": [{"kind": null}]},
                    {"pkg": "p", "dep_kinds": [{"kind": "dev"}]}
                ]},
                {"id": "d", "deps": [{"pkg": "t", "dep_kinds": [{"kind": null}]}]},
                {"id": "t", "deps": []},
                {"id": "m", "deps": [{"pkg": "l", "dep_kinds": [{"kind": null}]}]},
                {"id": "l", "deps": []},
                {"id": "p", "deps": []}
            ]}
        }"#;
        let workspace = parse(text).unwrap();
        let [protocol] = workspace.crates.as_slice() else { panic!("{workspace:?}") };
        assert_eq!((protocol.name.as_str(), protocol.folder.as_str()), ("protocol", "crates/protocol"));
        assert_eq!(protocol.uses, BTreeSet::from(["derive", "memchr"].map(str::to_owned)));
        assert_eq!(protocol.tree, BTreeSet::from(["derive", "libc", "memchr"].map(str::to_owned)));
    }
}
