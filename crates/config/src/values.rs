//! The values of all layers, with their origins.

use std::collections::BTreeMap;

use domain::{AgentName, ModelPrice};

use crate::{key::Key, origin::Origin, value::Value};

/// A value with its key and origins.
#[derive(Debug, Clone)]
pub(crate) struct SourcedValue {
    pub(crate) key: &'static Key,
    pub(crate) value: Value,
    /// Several for a list that layers add to.
    pub(crate) origins: Vec<Origin>,
}

/// All values by path.
#[derive(Debug, Clone, Default)]
pub(crate) struct Values {
    pub(crate) by_path: BTreeMap<Vec<String>, SourcedValue>,
    /// Agents that have a table, with the origin of the last one.
    pub(crate) agents: BTreeMap<String, Origin>,
}

impl Values {
    /// Sets a value, replacing that of weaker layers or adding to it.
    pub(crate) fn set(&mut self, path: Vec<String>, key: &'static Key, value: Value, origin: Origin) {
        let before = self
            .by_path
            .remove(&path)
            .filter(|before| key.is_additive && before.origins != [Origin::Default]);
        let sourced = match (before, value) {
            (Some(SourcedValue { value: Value::Texts(mut all), mut origins, .. }), Value::Texts(more)) => {
                all.extend(more);
                origins.push(origin);
                SourcedValue { key, value: Value::Texts(all), origins }
            }
            (_, value) => SourcedValue { key, value, origins: vec![origin] },
        };
        self.by_path.insert(path, sourced);
    }

    /// Returns the value of a key.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.sourced_value(name).map(|sourced| &sourced.value)
    }

    /// Returns the value of a key with its origins.
    pub(crate) fn sourced_value(&self, name: &str) -> Option<&SourcedValue> {
        self.by_path.get(&name.split('.').map(str::to_owned).collect::<Vec<_>>())
    }

    /// Returns a value of an `[agents.NAME]` table.
    pub(crate) fn agent_value(&self, name: &str, key: &str) -> Option<&SourcedValue> {
        self.by_path.get(["agents", name, key].map(str::to_owned).as_slice())
    }
}

/// Typed access. A value of another kind counts as not set; parsing ensures the kind of the key.
impl Values {
    pub(crate) fn boolean(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Value::Boolean(true)))
    }

    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        if let Some(Value::Number(number)) = self.get(name) { Some(*number) } else { None }
    }

    pub(crate) fn choice(&self, name: &str) -> &str {
        if let Some(Value::Text(text)) = self.get(name) { text } else { "" }
    }

    pub(crate) fn text(&self, name: &str) -> Option<String> {
        Some(self.choice(name)).filter(|text| !text.is_empty()).map(str::to_owned)
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
        self.choice(name).parse().ok()
    }

    /// Returns the prices of models.
    pub(crate) fn prices(&self) -> BTreeMap<String, ModelPrice> {
        let mut prices: BTreeMap<String, ModelPrice> = BTreeMap::new();
        for (path, sourced) in &self.by_path {
            let ([root, model, name], Value::Price(micros)) = (path.as_slice(), &sourced.value) else {
                continue;
            };
            if root == "prices" {
                let price = prices.entry(model.clone()).or_default();
                match name.as_str() {
                    "input" => price.input = *micros,
                    "output" => price.output = *micros,
                    _ => price.cached = *micros,
                }
            }
        }
        prices
    }

    /// Returns the configured agents as presets, without their role and slots.
    pub(crate) fn configured_presets(&self) -> toml::Table {
        let named = self.agents.keys().map(|name| (name.clone(), toml::Value::Table(toml::Table::new())));
        let mut presets: toml::Table = named.collect();
        for (path, sourced) in &self.by_path {
            let [root, name, rest @ .., last] = path.as_slice() else { continue };
            let is_team_key = rest.is_empty() && matches!(last.as_str(), "role" | "slots");
            if root != "agents" || is_team_key {
                continue;
            }
            let mut table = presets.get_mut(name).and_then(toml::Value::as_table_mut);
            for part in rest {
                let empty = || toml::Value::Table(toml::Table::new());
                table = table.and_then(|table| table.entry(part).or_insert_with(empty).as_table_mut());
            }
            if let Some(table) = table {
                table.insert(last.clone(), to_toml_value(&sourced.value));
            }
        }
        presets
    }
}

fn to_toml_value(value: &Value) -> toml::Value {
    match value {
        Value::Boolean(flag) => (*flag).into(),
        Value::Number(number) => i64::try_from(*number).unwrap_or(i64::MAX).into(),
        Value::Text(text) => text.as_str().into(),
        Value::Texts(texts) => texts.clone().into(),
        // Presets have no such keys.
        Value::Time(_) | Value::Size(_) | Value::Budget(_) | Value::Price(_) | Value::Ports(..) => {
            value.to_toml().into()
        }
    }
}
