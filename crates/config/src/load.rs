//! All layers → the configuration: defaults, the user's file, the project's, the environment, flags.

use std::{collections::BTreeMap, path::Path};

use domain::Role;

use crate::{
    agents::check_agents,
    config::{self, Config},
    layer::{Layer, put_defaults},
    origin::Origin,
    problem::{Problem, Problems},
    read::Ground,
    values::Values,
};

/// Everything that is said, the weakest first.
#[derive(Debug, Clone, Copy)]
pub struct Layers<'a> {
    /// The files: the user's own, the project's, then what was kept for it.
    pub files: &'a [File<'a>],
    /// The environment, or of it what begins with `JANGDAN_`.
    pub environment: &'a BTreeMap<String, String>,
    /// Flags, each `KEY=VALUE`.
    pub flags: &'a [String],
    /// The agents that Jangdan knows by itself.
    pub own_agents: &'a [String],
    /// The folder that paths of the environment and of flags start from.
    pub directory: &'a Path,
    /// The person's own folder.
    pub home: Option<&'a Path>,
}

/// A file's content.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// The name by which it is shown.
    pub name: &'a str,
    /// What is in it.
    pub bytes: &'a [u8],
    /// The folder that its paths start from.
    pub folder: &'a Path,
}

/// A configuration that can be used.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// What it says.
    pub config: Config,
    /// What somebody should look at.
    pub warnings: Vec<Problem>,
    pub(crate) values: Values,
}

impl Loaded {
    /// Returns where it comes from who does tasks that name nobody; nothing where nobody says it.
    pub fn worker_origins(&self) -> &[Origin] {
        let role = || self.values.of_agent(self.config.player(Role::Worker)?.as_str(), "role");
        let worker = self.values.placed("team.worker").or_else(role);
        worker.map_or(&[], |placed| &placed.origins)
    }
}

/// Reads the configuration. Where something is wrong, all of it is returned, and warnings with it.
pub fn load(layers: &Layers<'_>) -> Result<Loaded, Vec<Problem>> {
    let mut values = Values::default();
    let mut problems = Problems::default();
    put_defaults(&mut values);
    let ground = |folder| Ground { folder, home: layers.home };
    for file in layers.files {
        let mut layer = Layer { ground: ground(file.folder), values: &mut values, problems: &mut problems };
        layer.take_file(file.name, file.bytes);
    }
    let mut layer = Layer { ground: ground(layers.directory), values: &mut values, problems: &mut problems };
    layer.take_environment(layers.environment);
    layer.take_flags(layers.flags);
    check_agents(&values, layers.own_agents, &mut problems);
    let config = config::config(&values, &mut problems);
    if problems.has_errors() {
        return Err(problems.finish(layers.files));
    }
    Ok(Loaded { config, warnings: problems.finish(layers.files), values })
}
