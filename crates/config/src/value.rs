//! A value of the configuration, understood.

use std::fmt;

use domain::Budget;
use toml_edit::Array;

use crate::measure::{write_size, write_time};

/// A value of the configuration, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Number(u64),
    /// A text.
    Text(String),
    /// Several texts.
    Texts(Vec<String>),
    /// A time in milliseconds; none is never.
    Time(Option<u64>),
    /// A size in bytes; none has no end.
    Size(Option<u64>),
    /// Tokens or money.
    Budget(Budget),
    /// The first and the last of a range of ports.
    Ports(u16, u16),
}

impl Value {
    /// Returns the value as a file would have it.
    pub fn to_toml(&self) -> String {
        match self {
            Self::Flag(_) | Self::Number(_) => self.to_string(),
            Self::Texts(values) => values.iter().collect::<Array>().to_string(),
            Self::Text(_) | Self::Time(_) | Self::Size(_) | Self::Budget(_) | Self::Ports(..) => {
                toml_edit::Value::from(self.to_string()).to_string()
            }
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => flag.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
            Self::Texts(texts) => f.write_str(&texts.join(", ")),
            Self::Time(time) => f.write_str(&time.map_or_else(|| "never".to_owned(), write_time)),
            Self::Size(size) => f.write_str(&size.map_or_else(|| "none".to_owned(), write_size)),
            Self::Budget(budget) => budget.fmt(f),
            Self::Ports(first, last) => write!(f, "{first}-{last}"),
        }
    }
}
