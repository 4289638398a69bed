//! Loads the configuration from all layers: defaults, the user's file, the project's, the environment, flags.

use std::{collections::BTreeMap, path::Path};

use domain::Role;

use crate::{
    agents::check_agents,
    config::{self, Config},
    layer::{Layer, set_defaults},
    origin::Origin,
    parse::PathBase,
    problem::{Problem, ProblemList},
    values::Values,
};

/// The layers of the configuration, the weakest first.
#[derive(Debug, Clone, Copy)]
pub struct Layers<'a> {
    /// The user's file, the project's file, then the permissions kept for the project.
    pub files: &'a [ConfigFile<'a>],
    /// Environment variables; only those with the prefix `JANGDAN_` are read.
    pub environment: &'a BTreeMap<String, String>,
    /// Values of `--set`, each `KEY=VALUE`.
    pub flags: &'a [String],
    /// Names of the built-in agents.
    pub builtin_agents: &'a [String],
    /// Base of relative paths in the environment and in flags.
    pub directory: &'a Path,
    /// The user's home directory, for `~/`.
    pub home: Option<&'a Path>,
}

/// A configuration file that was read.
#[derive(Debug, Clone, Copy)]
pub struct ConfigFile<'a> {
    /// The path as shown in messages.
    pub name: &'a str,
    pub bytes: &'a [u8],
    /// Base of its relative paths.
    pub folder: &'a Path,
}

/// A valid configuration, with the origins of its values.
#[derive(Debug, Clone)]
pub struct LoadedConfig {
    /// The merged settings.
    pub config: Config,
    /// Problems that do not make it invalid.
    pub warnings: Vec<Problem>,
    pub(crate) values: Values,
}

impl LoadedConfig {
    /// Returns the origins of the default worker; empty if none is configured.
    pub fn worker_origins(&self) -> &[Origin] {
        let role = || self.values.agent_value(self.config.agent_for(Role::Worker)?.as_str(), "role");
        let worker = self.values.sourced_value("team.worker").or_else(role);
        worker.map_or(&[], |worker| &worker.origins)
    }
}

/// Merges all layers. If one has an error, returns all problems, including warnings.
pub fn load(layers: &Layers<'_>) -> Result<LoadedConfig, Vec<Problem>> {
    let mut values = Values::default();
    let mut problems = ProblemList::default();
    set_defaults(&mut values);
    let base = |folder| PathBase { folder, home: layers.home };
    for file in layers.files {
        let mut layer = Layer { base: base(file.folder), values: &mut values, problems: &mut problems };
        layer.read_file(file.name, file.bytes);
    }
    let mut layer = Layer { base: base(layers.directory), values: &mut values, problems: &mut problems };
    layer.read_environment(layers.environment);
    layer.read_flags(layers.flags);
    check_agents(&values, layers.builtin_agents, &mut problems);
    let config = config::build(&values, &mut problems);
    if problems.has_errors() {
        return Err(problems.into_sorted(layers.files));
    }
    Ok(LoadedConfig { config, warnings: problems.into_sorted(layers.files), values })
}
