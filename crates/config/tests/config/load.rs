//! Loads layers of a fictitious project.

use std::{collections::BTreeMap, path::Path};

use config::{ConfigFile, Layers, LoadedConfig, Problem, load};

/// Names of built-in agents, for tests.
pub(crate) fn builtin_agents() -> Vec<String> {
    ["claude", "codex", "shell"].map(str::to_owned).to_vec()
}

/// Loads only a project's file.
pub(crate) fn load_file(bytes: &[u8]) -> Result<LoadedConfig, Vec<Problem>> {
    load_layers(&[("jangdan.toml", bytes)], &[], &[])
}

pub(crate) fn load_layers(
    files: &[(&str, &[u8])],
    environment: &[(&str, &str)],
    flags: &[&str],
) -> Result<LoadedConfig, Vec<Problem>> {
    let file = |(name, bytes)| ConfigFile { name, bytes, folder: Path::new("/project") };
    let files: Vec<_> = files.iter().copied().map(file).collect();
    let environment: BTreeMap<_, _> =
        environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let flags: Vec<_> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    load(&Layers {
        files: &files,
        environment: &environment,
        flags: &flags,
        builtin_agents: &builtin_agents(),
        directory: Path::new("/here"),
        home: Some(Path::new("/home/user")),
    })
}
