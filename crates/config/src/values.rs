//! All values that were given, layer by layer, each with where it comes from.

use std::collections::BTreeMap;

use domain::AgentName;

use crate::{key::Key, origin::Origin, value::Value};

/// A value with its key and where it comes from.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    pub(crate) key: &'static Key,
    pub(crate) value: Value,
    /// Where it comes from; several for a list that each layer adds to.
    pub(crate) origins: Vec<Origin>,
}

/// All values, by their paths.
#[derive(Debug, Clone, Default)]
pub(crate) struct Values {
    pub(crate) by_path: BTreeMap<Vec<String>, Placed>,
    /// The agents that have a table, and where the last one is.
    pub(crate) agents: BTreeMap<String, Origin>,
}

impl Values {
    /// Puts a value over those of weaker layers.
    pub(crate) fn put(&mut self, path: Vec<String>, key: &'static Key, value: Value, origin: Origin) {
        let before =
            self.by_path.remove(&path).filter(|before| key.adds && before.origins != [Origin::Default]);
        let placed = match (before, value) {
            (Some(Placed { value: Value::Texts(mut all), mut origins, .. }), Value::Texts(more)) => {
                all.extend(more);
                origins.push(origin);
                Placed { key, value: Value::Texts(all), origins }
            }
            (_, value) => Placed { key, value, origins: vec![origin] },
        };
        self.by_path.insert(path, placed);
    }

    /// Returns a value by the name of its key.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.placed(name).map(|placed| &placed.value)
    }

    /// Returns a value with where it comes from. No name of a key has a dot in one of its parts.
    pub(crate) fn placed(&self, name: &str) -> Option<&Placed> {
        self.by_path.get(&name.split('.').map(str::to_owned).collect::<Vec<_>>())
    }

    /// Returns what is said of an agent below a key.
    pub(crate) fn of_agent(&self, name: &str, key: &str) -> Option<&Placed> {
        self.by_path.get(["agents", name, key].map(str::to_owned).as_slice())
    }
}

/// Values as what they are. A key is always read as its form has it; what can't be is as if it were not said.
impl Values {
    pub(crate) fn is(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Value::Flag(true)))
    }

    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        if let Some(Value::Number(number)) = self.get(name) { Some(*number) } else { None }
    }

    pub(crate) fn word(&self, name: &str) -> &str {
        if let Some(Value::Text(text)) = self.get(name) { text } else { "" }
    }

    pub(crate) fn text(&self, name: &str) -> Option<String> {
        Some(self.word(name)).filter(|text| !text.is_empty()).map(str::to_owned)
    }

    pub(crate) fn texts(&self, name: &str) -> Vec<String> {
        if let Some(Value::Texts(texts)) = self.get(name) { texts.clone() } else { Vec::new() }
    }

    pub(crate) fn time(&self, name: &str) -> Option<u64> {
        if let Some(Value::Time(time)) = self.get(name) { *time } else { None }
    }

    pub(crate) fn size(&self, name: &str) -> Option<u64> {
        if let Some(Value::Size(size)) = self.get(name) { *size } else { None }
    }

    pub(crate) fn agent(&self, name: &str) -> Option<AgentName> {
        self.word(name).parse().ok()
    }

    /// Returns what is said of agents, in the form of presets: without what they are in the team.
    pub(crate) fn presets(&self) -> toml::Table {
        let named = self.agents.keys().map(|name| (name.clone(), toml::Value::Table(toml::Table::new())));
        let mut presets: toml::Table = named.collect();
        for (path, placed) in &self.by_path {
            let [root, name, rest @ .., last] = path.as_slice() else { continue };
            let is_of_team = rest.is_empty() && matches!(last.as_str(), "role" | "slots");
            if root != "agents" || is_of_team {
                continue;
            }
            let mut table = presets.get_mut(name).and_then(toml::Value::as_table_mut);
            for part in rest {
                let empty = || toml::Value::Table(toml::Table::new());
                table = table.and_then(|table| table.entry(part).or_insert_with(empty).as_table_mut());
            }
            if let Some(table) = table {
                table.insert(last.clone(), preset_value(&placed.value));
            }
        }
        presets
    }
}

fn preset_value(value: &Value) -> toml::Value {
    match value {
        Value::Flag(flag) => (*flag).into(),
        Value::Number(number) => i64::try_from(*number).unwrap_or(i64::MAX).into(),
        Value::Text(text) => text.as_str().into(),
        Value::Texts(texts) => texts.clone().into(),
        // No preset has such a key.
        Value::Time(_) | Value::Size(_) | Value::Budget(_) | Value::Ports(..) => value.to_toml().into(),
    }
}
