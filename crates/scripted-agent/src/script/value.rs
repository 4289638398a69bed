//! The values that steps are made of: pauses, signals, bytes, and what a line must look like.

use std::{fmt, marker::PhantomData, time::Duration};

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::{Map, Value};

use super::step::Times;

/// A thing that can be written as one text instead of a table.
pub trait Short: Sized {
    /// Makes it of that text.
    fn of(text: String) -> Result<Self, String>;
}

/// Reads a text or a table; the place of an error stays that of the value.
pub fn short<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Short + Deserialize<'de>,
    D: Deserializer<'de>,
{
    struct TextOrTable<T>(PhantomData<T>);
    impl<'de, T: Short + Deserialize<'de>> Visitor<'de> for TextOrTable<T> {
        type Value = T;
        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a text or a table")
        }
        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            T::of(text.to_owned()).map_err(E::custom)
        }
        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }
    deserializer.deserialize_any(TextOrTable(PhantomData))
}

/// A time, written with its unit: `"200ms"`, `"2s"`, `"1m"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pause(pub Duration);

impl<'de> Deserialize<'de> for Pause {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        parsed(deserializer, |text| {
            let at = text.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(text.len());
            let (number, unit) = text.split_at(at);
            let milliseconds = match unit.trim() {
                "ms" => 1,
                "s" => 1_000,
                "m" => 60_000,
                _ => 0,
            };
            match number.parse::<u64>().ok().and_then(|number| number.checked_mul(milliseconds)) {
                Some(total) if milliseconds > 0 => Ok(Self(Duration::from_millis(total))),
                _ => Err(format!("`{text}` is no time")),
            }
        })
    }
}

/// Reads a text with a form of its own. The reader places the error only where it is made inside of a visitor.
fn parsed<'de, T, D>(deserializer: D, parse: fn(&str) -> Result<T, String>) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
{
    struct Text<T>(fn(&str) -> Result<T, String>);
    impl<T> Visitor<'_> for Text<T> {
        type Value = T;
        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a text")
        }
        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            self.0(text).map_err(E::custom)
        }
    }
    deserializer.deserialize_str(Text(parse))
}

/// A signal, by its name without `SIG`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Signal {
    /// The line is gone.
    Hup,
    /// Interrupted by a person.
    Int,
    /// Asked to end.
    Term,
    /// Stopped from the terminal.
    Tstp,
    /// Stopped, and cannot refuse.
    Stop,
    /// Ended, and cannot refuse.
    Kill,
    /// Has failed an assertion.
    Abrt,
    /// Touched memory that is not its own.
    Segv,
    /// The reader is gone.
    Pipe,
    /// The window changed.
    Winch,
}

/// Bytes in hexadecimal, with spaces where one likes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hex(pub Vec<u8>);

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        parsed(deserializer, |text| {
            let digits: Option<Vec<u32>> =
                text.chars().filter(|sign| !sign.is_whitespace()).map(|sign| sign.to_digit(16)).collect();
            match digits {
                Some(digits) if digits.len() % 2 == 0 => {
                    let byte = |pair: &[u32]| pair.iter().fold(0, |byte, digit| byte * 16 + digit);
                    Ok(Self(digits.chunks(2).filter_map(|pair| u8::try_from(byte(pair)).ok()).collect()))
                }
                _ => Err("these are no bytes: two hexadecimal digits make one".to_owned()),
            }
        })
    }
}

/// What a line must look like. Everything that is named must fit; nothing named fits everything.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matcher {
    contains: Option<String>,
    begins: Option<String>,
    equals: Option<String>,
    json: Option<Map<String, Value>>,
}

impl Matcher {
    /// Tells whether a line looks like that.
    pub fn fits(&self, line: &str) -> bool {
        let json = |wanted: &Map<String, Value>| {
            let Ok(Value::Object(found)) = serde_json::from_str(line) else { return false };
            wanted.iter().all(|(key, value)| found.get(key) == Some(value))
        };
        self.contains.as_ref().is_none_or(|text| line.contains(text))
            && self.begins.as_ref().is_none_or(|text| line.starts_with(text))
            && self.equals.as_ref().is_none_or(|text| line == text)
            && self.json.as_ref().is_none_or(json)
    }
}

impl Short for Matcher {
    fn of(text: String) -> Result<Self, String> {
        Ok(Self { contains: Some(text), ..Self::default() })
    }
}

/// A matcher as a table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MatcherTable {
    contains: Option<String>,
    begins: Option<String>,
    equals: Option<String>,
    json: Option<Map<String, Value>>,
}

impl<'de> Deserialize<'de> for Matcher {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Table(Matcher);
        impl Short for Table {
            fn of(text: String) -> Result<Self, String> {
                Matcher::of(text).map(Table)
            }
        }
        impl<'de> Deserialize<'de> for Table {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let MatcherTable { contains, begins, equals, json } =
                    MatcherTable::deserialize(deserializer)?;
                Ok(Self(Matcher { contains, begins, equals, json }))
            }
        }
        short::<Table, D>(deserializer).map(|table| table.0)
    }
}

impl<'de> Deserialize<'de> for Times {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CountOrWord;
        impl Visitor<'_> for CountOrWord {
            type Value = Times;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a number or \"forever\"")
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Times, E> {
                u64::try_from(number)
                    .map(Times::Count)
                    .map_err(|_| E::custom("nothing is done less than no time"))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Times, E> {
                match text {
                    "forever" => Ok(Times::Forever),
                    other => Err(E::custom(format!("`{other}` is no number of times"))),
                }
            }
        }
        deserializer.deserialize_any(CountOrWord)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_must_fit() {
        let all = Matcher::default();
        assert!(all.fits("") && all.fits("anything"));
        let answer = r#"{"type":"question_answer","answer":"postgres"}"#;
        let table = |text: &str| toml::from_str::<std::collections::BTreeMap<String, Matcher>>(text);
        for (text, fits) in [
            ("m = 'postgres'", true),
            ("m = { json = { type = 'question_answer' } }", true),
            ("m = { json = { type = 'question_answer', answer = 'sqlite' } }", false),
            ("m = { begins = '{', contains = 'answer' }", true),
            ("m = { equals = 'postgres' }", false),
        ] {
            assert_eq!(table(text).unwrap()["m"].fits(answer), fits, "{text}");
        }
        assert!(table("m = { ends = 'x' }").is_err());
    }
}
