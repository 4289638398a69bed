//! The configuration as it is in effect, in the form of a file.

use domain::secret_in;

use crate::{
    key::{Key, header},
    keys::KEYS,
    load::Loaded,
    origin::Origin,
    path::{dotted, quoted},
    value::Value,
};

/// What is shown instead of a value that may be secret.
const HIDDEN: &str = "(hidden)";

/// One key with its value.
#[derive(Debug, Clone)]
pub struct Entry<'a> {
    /// The names on the way to it.
    pub path: Vec<String>,
    /// The key.
    pub key: &'static Key,
    /// The value; none where nobody says anything and nothing is the default.
    pub value: Option<Value>,
    /// Where it comes from.
    pub origins: &'a [Origin],
}

impl Entry<'_> {
    /// Returns the whole name.
    pub fn name(&self) -> String {
        dotted(&self.path)
    }
}

/// Returns every key that has a value or could have one, in the order of the table of keys.
pub fn entries(loaded: &Loaded) -> Vec<Entry<'_>> {
    let by_path = &loaded.values.by_path;
    let mut entries = Vec::new();
    for key in KEYS.iter().filter(|key| !key.name.contains('*')) {
        let path: Vec<_> = key.name.split('.').map(str::to_owned).collect();
        let placed = by_path.get(&path);
        let (value, origins) =
            placed.map_or((None, &[][..]), |found| (Some(found.value.clone()), &found.origins));
        entries.push(Entry { path, key, value, origins });
    }
    // Of agents, whose names nobody knows beforehand, only what is said.
    let mut said: Vec<_> = by_path.iter().filter(|(_, placed)| placed.key.name.contains('*')).collect();
    let rank = |key: &Key| KEYS.iter().position(|other| other.name == key.name);
    said.sort_by_cached_key(|(path, placed)| (path.get(1).cloned(), rank(placed.key)));
    for (path, placed) in said {
        let value = if is_secret(path, &placed.value) {
            Value::Text(HIDDEN.to_owned())
        } else {
            placed.value.clone()
        };
        entries.push(Entry {
            path: path.clone(),
            key: placed.key,
            value: Some(value),
            origins: &placed.origins,
        });
    }
    entries
}

/// Writes the configuration as a file, with where each value comes from if that is wanted.
pub fn write(loaded: &Loaded, with_origins: bool) -> String {
    let mut text = String::new();
    let mut table: &[String] = &[];
    let entries = entries(loaded);
    for entry in &entries {
        let Some((name, parent)) = entry.path.split_last() else { continue };
        if parent != table {
            table = parent;
            text.push_str(&format!("\n{}\n", header(table)));
        }
        let line = match &entry.value {
            Some(value) => format!("{} = {}", quoted(name), value.to_toml()),
            None => format!("# {} is not set", quoted(name)),
        };
        text.push_str(&line);
        if with_origins && !entry.origins.is_empty() {
            let origins: Vec<_> = entry.origins.iter().map(ToString::to_string).collect();
            // A name with a new line in it ends no comment.
            text.push_str(&format!("  # {}", origins.join(", ").replace(char::is_control, " ")));
        }
        text.push('\n');
    }
    // An agent that is only named is there all the same.
    for name in loaded.values.agents.keys() {
        if !entries.iter().any(|entry| entry.path.get(1) == Some(name)) {
            text.push_str(&format!("\n{}\n", header(&["agents".to_owned(), name.clone()])));
        }
    }
    text
}

/// Tells whether a value is a variable's, and no one's to see.
fn is_secret(path: &[String], value: &Value) -> bool {
    let is_variable = path.iter().any(|part| part == "environment");
    let name = path.last().map_or("", String::as_str);
    matches!(value, Value::Text(text) if is_variable && secret_in(name, text).is_some())
}
