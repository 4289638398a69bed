//! A value as somebody gave it: in a file, or as the plain words of a flag or variable.

use std::{borrow::Cow, ops::Range};

use toml::{Spanned, de::DeValue};

/// A value as it was given.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Given<'a> {
    /// A value of a file.
    Toml(&'a Spanned<DeValue<'a>>),
    /// Plain words, which mean what the key takes.
    Words(&'a str),
}

/// One of several texts, and where it stands in a file.
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) span: Option<Range<usize>>,
}

impl<'a> Given<'a> {
    pub(crate) fn flag(self) -> Option<bool> {
        match self {
            Self::Toml(value) => value.get_ref().as_bool(),
            Self::Words(words) => words.trim().parse().ok(),
        }
    }

    pub(crate) fn number(self) -> Option<u64> {
        match self {
            Self::Toml(value) => {
                let number = value.get_ref().as_integer()?;
                u64::from_str_radix(number.as_str().trim_start_matches('+'), number.radix()).ok()
            }
            Self::Words(words) => words.trim().parse().ok(),
        }
    }

    /// Returns the digits of a number, whole or not.
    pub(crate) fn digits(self) -> Option<&'a str> {
        let Self::Toml(value) = self else { return None };
        match value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str()),
            DeValue::Float(number) => Some(number.as_str()),
            _ => None,
        }
    }

    pub(crate) fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Toml(value) => value.get_ref().as_str().map(Cow::Borrowed),
            Self::Words(words) if words.starts_with(['"', '\'']) => {
                // Quotes that a shell did not take are none of the text, unless they are around a part of it.
                let value = DeValue::parse(words).ok();
                let text = value.and_then(|value| value.get_ref().as_str().map(str::to_owned));
                Some(text.map_or(Cow::Borrowed(words), Cow::Owned))
            }
            Self::Words(words) => Some(Cow::Borrowed(words)),
        }
    }

    /// Returns the items of a list, or where one is that is no text; in words, one alone needs no brackets.
    pub(crate) fn texts(self) -> Option<Vec<Result<Piece, Range<usize>>>> {
        match self {
            Self::Toml(value) => pieces(value.get_ref(), true),
            Self::Words(words) if words.trim().is_empty() => Some(Vec::new()),
            Self::Words(words) if words.trim_start().starts_with('[') => {
                pieces(DeValue::parse(words.trim()).ok()?.get_ref(), false)
            }
            Self::Words(_) => Some(vec![Ok(Piece { text: self.text()?.into_owned(), span: None })]),
        }
    }

    /// Tells whether it is a text where something else was wanted.
    pub(crate) fn is_quoted(self) -> bool {
        matches!(self, Self::Toml(value) if value.get_ref().is_str())
    }
}

fn pieces(value: &DeValue<'_>, is_placed: bool) -> Option<Vec<Result<Piece, Range<usize>>>> {
    let piece = |item: &Spanned<DeValue<'_>>| {
        let text = item.get_ref().as_str().ok_or_else(|| item.span())?.to_owned();
        Ok(Piece { text, span: is_placed.then(|| item.span()) })
    };
    Some(value.as_array()?.iter().map(piece).collect())
}
