//! Loads layers of a project that is imagined.

use std::{collections::BTreeMap, path::Path};

use config::{File, Layers, Loaded, Problem, load};

/// The agents that Jangdan knows by itself, for tests.
pub fn agents() -> Vec<String> {
    ["claude", "codex", "shell"].map(str::to_owned).to_vec()
}

/// Loads a project's file alone.
pub fn load_file(bytes: &[u8]) -> Result<Loaded, Vec<Problem>> {
    load_all(&[("jangdan.toml", bytes)], &[], &[])
}

/// Loads files, variables and flags.
pub fn load_all(
    files: &[(&str, &[u8])],
    environment: &[(&str, &str)],
    flags: &[&str],
) -> Result<Loaded, Vec<Problem>> {
    let file = |(name, bytes)| File { name, bytes, folder: Path::new("/project") };
    let files: Vec<_> = files.iter().copied().map(file).collect();
    let environment: BTreeMap<_, _> =
        environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let flags: Vec<_> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    load(&Layers {
        files: &files,
        environment: &environment,
        flags: &flags,
        own_agents: &agents(),
        directory: Path::new("/here"),
        home: Some(Path::new("/home/user")),
    })
}
