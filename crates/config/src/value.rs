//! A parsed value.

use std::fmt;

use domain::Budget;
use toml_edit::Array;

use crate::units::{write_price, write_size, write_time};

/// A parsed value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `true` or `false`.
    Boolean(bool),
    Number(u64),
    Text(String),
    /// A list of strings.
    Texts(Vec<String>),
    /// A duration in milliseconds; `None` is never.
    Time(Option<u64>),
    /// A size in bytes; `None` is unlimited.
    Size(Option<u64>),
    /// Tokens or money.
    Budget(Budget),
    /// A price in millionths of a US dollar per million tokens.
    Price(u64),
    /// First and last port of a range.
    Ports(u16, u16),
}

impl Value {
    /// Writes the value as TOML.
    pub fn to_toml(&self) -> String {
        match self {
            Self::Boolean(_) | Self::Number(_) => self.to_string(),
            Self::Texts(values) => values.iter().collect::<Array>().to_string(),
            Self::Text(_)
            | Self::Time(_)
            | Self::Size(_)
            | Self::Budget(_)
            | Self::Price(_)
            | Self::Ports(..) => toml_edit::Value::from(self.to_string()).to_string(),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(flag) => flag.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
            Self::Texts(texts) => f.write_str(&texts.join(", ")),
            Self::Time(time) => f.write_str(&time.map_or_else(|| "never".to_owned(), write_time)),
            Self::Size(size) => f.write_str(&size.map_or_else(|| "none".to_owned(), write_size)),
            Self::Budget(budget) => budget.fmt(f),
            Self::Price(micros) => f.write_str(&write_price(*micros)),
            Self::Ports(first, last) => write!(f, "{first}-{last}"),
        }
    }
}
