//! The effective configuration: as entries, and as a TOML file.

use domain::secret_in_variable;

use crate::{
    key::{Key, table_header},
    keys::KEYS,
    load::LoadedConfig,
    origin::Origin,
    path::{dotted, quoted},
    value::Value,
};

/// Replaces a value that may be a secret.
const HIDDEN: &str = "(hidden)";

/// A key with its effective value.
#[derive(Debug, Clone)]
pub struct ConfigEntry<'a> {
    /// Parts of the name, with wildcards resolved.
    pub path: Vec<String>,
    /// Definition of the key.
    pub key: &'static Key,
    /// Value; `None` if it is not set and has no default.
    pub value: Option<Value>,
    /// Origins of the value.
    pub origins: &'a [Origin],
}

impl ConfigEntry<'_> {
    /// Returns the full name.
    pub fn name(&self) -> String {
        dotted(&self.path)
    }
}

/// Returns all keys in the order of [`KEYS`], then the keys of agents that are set.
pub fn entries(loaded: &LoadedConfig) -> Vec<ConfigEntry<'_>> {
    let by_path = &loaded.values.by_path;
    let mut entries = Vec::new();
    for key in KEYS.iter().filter(|key| !key.name.contains('*')) {
        let path: Vec<_> = key.name.split('.').map(str::to_owned).collect();
        let sourced = by_path.get(&path);
        let (value, origins) =
            sourced.map_or((None, &[][..]), |found| (Some(found.value.clone()), &found.origins));
        entries.push(ConfigEntry { path, key, value, origins });
    }
    // Names of agents are free, so only their keys that are set are listed.
    let mut of_agents: Vec<_> =
        by_path.iter().filter(|(_, sourced)| sourced.key.name.contains('*')).collect();
    let rank = |key: &Key| KEYS.iter().position(|other| other.name == key.name);
    of_agents.sort_by_cached_key(|(path, sourced)| (path.get(1).cloned(), rank(sourced.key)));
    for (path, sourced) in of_agents {
        let value = if is_secret(path, &sourced.value) {
            Value::Text(HIDDEN.to_owned())
        } else {
            sourced.value.clone()
        };
        entries.push(ConfigEntry {
            path: path.clone(),
            key: sourced.key,
            value: Some(value),
            origins: &sourced.origins,
        });
    }
    entries
}

/// Writes the effective configuration as TOML, optionally with the origins as comments.
pub fn to_toml(loaded: &LoadedConfig, with_origins: bool) -> String {
    let mut text = String::new();
    let mut table: &[String] = &[];
    let entries = entries(loaded);
    for entry in &entries {
        let Some((name, parent)) = entry.path.split_last() else { continue };
        if parent != table {
            table = parent;
            text.push_str(&format!("\n{}\n", table_header(table)));
        }
        let line = match &entry.value {
            Some(value) => format!("{} = {}", quoted(name), value.to_toml()),
            None => format!("# {} is not set", quoted(name)),
        };
        text.push_str(&line);
        if with_origins && !entry.origins.is_empty() {
            let origins: Vec<_> = entry.origins.iter().map(ToString::to_string).collect();
            // A line break in a name must not end the comment.
            text.push_str(&format!("  # {}", origins.join(", ").replace(char::is_control, " ")));
        }
        text.push('\n');
    }
    // Agents with an empty table.
    for name in loaded.values.agents.keys() {
        if !entries.iter().any(|entry| entry.path.get(1) == Some(name)) {
            text.push_str(&format!("\n{}\n", table_header(&["agents".to_owned(), name.clone()])));
        }
    }
    text
}

/// Tells whether a value is that of an environment variable and looks like a secret.
fn is_secret(path: &[String], value: &Value) -> bool {
    let is_variable = path.iter().any(|part| part == "environment");
    let name = path.last().map_or("", String::as_str);
    matches!(value, Value::Text(text) if is_variable && secret_in_variable(name, text).is_some())
}
