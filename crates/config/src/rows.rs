//! The configuration as JSON: every key with its value and origins.

use serde::{Serialize, Serializer};

use crate::{
    entries::{ConfigEntry, entries},
    load::LoadedConfig,
    origin::Origin,
    value::Value,
};

/// A key of the configuration.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ConfigKey", optional_fields))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ConfigKey))]
#[serde(rename_all = "camelCase")]
pub struct KeyRow {
    /// Full name, such as `park.cold_after`.
    pub key: String,
    /// Value; absent if it is not set and has no default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<AnyValue>))]
    pub value: Option<ValueRow>,
    /// Origins of the value.
    pub origins: Vec<OriginRow>,
    /// Meaning, in one line.
    pub about: &'static str,
}

/// A value as JSON.
#[derive(Debug, Clone)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(type = "boolean | number | string | string[]", rename = "ConfigValue")
)]
pub struct ValueRow(Value);

/// The schema of [`ValueRow`].
#[cfg(feature = "openapi")]
#[derive(utoipa::ToSchema)]
#[schema(as = ConfigValue)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum AnyValue {
    Boolean(bool),
    Number(u64),
    Text(String),
    Texts(Vec<String>),
}

/// Origin of a value.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ConfigOrigin"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ConfigOrigin))]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum OriginRow {
    /// Default of the key.
    Default,
    /// A configuration file.
    File {
        /// The path as shown in messages.
        name: String,
        /// Line, from 1.
        line: Option<usize>,
    },
    /// An environment variable.
    Environment {
        /// Name of the variable.
        variable: String,
    },
    /// A `--set` flag.
    Flag {
        /// Key that it sets.
        key: String,
    },
}

/// Returns all keys, including those that are not set.
pub fn rows(loaded: &LoadedConfig) -> Vec<KeyRow> {
    entries(loaded).iter().map(row).collect()
}

fn row(entry: &ConfigEntry<'_>) -> KeyRow {
    KeyRow {
        key: entry.name(),
        value: entry.value.clone().map(ValueRow),
        origins: entry.origins.iter().map(origin_row).collect(),
        about: entry.key.about,
    }
}

fn origin_row(origin: &Origin) -> OriginRow {
    match origin {
        Origin::Default => OriginRow::Default,
        Origin::File { name, at } => {
            OriginRow::File { name: name.clone(), line: at.as_ref().map(|at| at.line) }
        }
        Origin::Environment { variable } => OriginRow::Environment { variable: variable.clone() },
        Origin::Flag { key } => OriginRow::Flag { key: key.clone() },
    }
}

impl Serialize for ValueRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Value::Boolean(flag) => flag.serialize(serializer),
            Value::Number(number) => number.serialize(serializer),
            Value::Texts(texts) => texts.serialize(serializer),
            value @ (Value::Text(_)
            | Value::Time(_)
            | Value::Size(_)
            | Value::Budget(_)
            | Value::Price(_)
            | Value::Ports(..)) => serializer.collect_str(value),
        }
    }
}
