//! A value of the configuration, understood.

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
        let text = |text: &str| toml_edit::Value::from(text).to_string();
        match self {
            Self::Flag(flag) => flag.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Text(value) => text(value),
            Self::Texts(values) => values.iter().collect::<Array>().to_string(),
            Self::Time(time) => text(&time.map_or_else(|| "never".to_owned(), write_time)),
            Self::Size(size) => text(&size.map_or_else(|| "none".to_owned(), write_size)),
            Self::Budget(budget) => text(&budget.to_string()),
            Self::Ports(first, last) => text(&format!("{first}-{last}")),
        }
    }
}
