//! A value before it is parsed: from a file, or the text of a flag or variable.

use std::{borrow::Cow, ops::Range};

use toml::{Spanned, de::DeValue};

/// A value before it is parsed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RawValue<'a> {
    /// From a file.
    Toml(&'a Spanned<DeValue<'a>>),
    /// The text of a flag or variable; the kind of the key decides how it is parsed.
    Text(&'a str),
}

/// A string of a list, with its location if the list is in a file.
pub(crate) struct ListItem {
    pub(crate) text: String,
    pub(crate) span: Option<Range<usize>>,
}

impl<'a> RawValue<'a> {
    pub(crate) fn as_boolean(self) -> Option<bool> {
        match self {
            Self::Toml(value) => value.get_ref().as_bool(),
            Self::Text(text) => text.trim().parse().ok(),
        }
    }

    pub(crate) fn number(self) -> Option<u64> {
        match self {
            Self::Toml(value) => {
                let number = value.get_ref().as_integer()?;
                u64::from_str_radix(number.as_str().trim_start_matches('+'), number.radix()).ok()
            }
            Self::Text(text) => text.trim().parse().ok(),
        }
    }

    /// Returns the digits of a decimal integer or float in a file.
    pub(crate) fn number_literal(self) -> Option<&'a str> {
        let Self::Toml(value) = self else { return None };
        match value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str()),
            DeValue::Float(number) => Some(number.as_str()),
            DeValue::String(_)
            | DeValue::Integer(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_)
            | DeValue::Array(_)
            | DeValue::Table(_) => None,
        }
    }

    pub(crate) fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Toml(value) => value.get_ref().as_str().map(Cow::Borrowed),
            Self::Text(text) if text.starts_with(['"', '\'']) => {
                // Quotes that the shell did not remove are not part of the text, unless they enclose only a part of it.
                let value = DeValue::parse(text).ok();
                let unquoted = value.and_then(|value| value.get_ref().as_str().map(str::to_owned));
                Some(unquoted.map_or(Cow::Borrowed(text), Cow::Owned))
            }
            Self::Text(text) => Some(Cow::Borrowed(text)),
        }
    }

    /// Returns the items of a list; `Err` has the location of an item that is not a string. A single item of a flag or
    /// variable needs no brackets.
    pub(crate) fn texts(self) -> Option<Vec<Result<ListItem, Range<usize>>>> {
        match self {
            Self::Toml(value) => array_items(value.get_ref(), true),
            Self::Text(text) if text.trim().is_empty() => Some(Vec::new()),
            Self::Text(text) if text.trim_start().starts_with('[') => {
                array_items(DeValue::parse(text.trim()).ok()?.get_ref(), false)
            }
            Self::Text(_) => Some(vec![Ok(ListItem { text: self.text()?.into_owned(), span: None })]),
        }
    }

    /// Tells whether it is a string of a file.
    pub(crate) fn is_string(self) -> bool {
        matches!(self, Self::Toml(value) if value.get_ref().is_str())
    }
}

fn array_items(value: &DeValue<'_>, has_location: bool) -> Option<Vec<Result<ListItem, Range<usize>>>> {
    let parsed = |item: &Spanned<DeValue<'_>>| {
        let text = item.get_ref().as_str().ok_or_else(|| item.span())?.to_owned();
        Ok(ListItem { text, span: has_location.then(|| item.span()) })
    };
    Some(value.as_array()?.iter().map(parsed).collect())
}
