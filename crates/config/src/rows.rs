//! The configuration as programs are shown it: every key with its value, and where that comes from.

use serde::{Serialize, Serializer};

use crate::{
    load::Loaded,
    origin::Origin,
    show::{Entry, entries},
    value::Value,
};

/// A key, as it is shown.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ConfigKey", optional_fields))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ConfigKey))]
#[serde(rename_all = "camelCase")]
pub struct KeyRow {
    /// Its whole name.
    pub key: String,
    /// Its value; none where nobody says anything and nothing is the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<AnyValue>))]
    pub value: Option<ValueRow>,
    /// Where that comes from.
    pub origins: Vec<OriginRow>,
    /// What it is for.
    pub about: &'static str,
}

/// A value as JSON has it.
#[derive(Debug, Clone)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(type = "boolean | number | string | string[]", rename = "ConfigValue")
)]
pub struct ValueRow(Value);

/// A value as JSON has it: what the description says of it.
#[cfg(feature = "openapi")]
#[derive(utoipa::ToSchema)]
#[schema(as = ConfigValue)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its shape is looked at")]
enum AnyValue {
    Flag(bool),
    Number(u64),
    Text(String),
    Texts(Vec<String>),
}

/// Where a value comes from.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ConfigOrigin"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ConfigOrigin))]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum OriginRow {
    /// Nobody said anything.
    Default,
    /// A file.
    File {
        /// Its name.
        name: String,
        /// The line.
        line: Option<usize>,
    },
    /// A variable of the environment.
    Environment {
        /// Its name.
        variable: String,
    },
    /// A flag of the command line.
    Flag {
        /// The key that it sets.
        key: String,
    },
}

/// Returns every key that has a value or could have one.
pub fn rows(loaded: &Loaded) -> Vec<KeyRow> {
    entries(loaded).iter().map(row).collect()
}

fn row(entry: &Entry<'_>) -> KeyRow {
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
            Value::Flag(flag) => flag.serialize(serializer),
            Value::Number(number) => number.serialize(serializer),
            Value::Texts(texts) => texts.serialize(serializer),
            value @ (Value::Text(_)
            | Value::Time(_)
            | Value::Size(_)
            | Value::Budget(_)
            | Value::Ports(..)) => serializer.collect_str(value),
        }
    }
}
