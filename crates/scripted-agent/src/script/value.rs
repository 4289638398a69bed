//! Values in scripts: durations, signals, bytes and line conditions.

use std::{fmt, marker::PhantomData, time::Duration};

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::{Map, Value};

use super::step::RepeatCount;

/// A value that can be written as a plain text instead of a table.
pub(super) trait FromText: Sized {
    fn from_text(text: String) -> Result<Self, String>;
}

/// Deserializes a text or a table; error positions refer to the value.
pub(super) fn deserialize_text_or_table<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: FromText + Deserialize<'de>,
    D: Deserializer<'de>,
{
    struct TextOrTable<T>(PhantomData<T>);
    impl<'de, T: FromText + Deserialize<'de>> Visitor<'de> for TextOrTable<T> {
        type Value = T;
        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a text or a table")
        }
        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            T::from_text(text.to_owned()).map_err(E::custom)
        }
        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }
    deserializer.deserialize_any(TextOrTable(PhantomData))
}

/// A duration with its unit: `"200ms"`, `"2s"`, `"1m"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScriptDuration(pub Duration);

impl<'de> Deserialize<'de> for ScriptDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_parsed_text(deserializer, |text| {
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
                _ => Err(format!("`{text}` is not a duration")),
            }
        })
    }
}

/// Deserializes a text with a custom parser. The error must be created inside a visitor to get a position.
fn deserialize_parsed_text<'de, T, D>(
    deserializer: D,
    parse: fn(&str) -> Result<T, String>,
) -> Result<T, D::Error>
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

/// A signal, named without `SIG`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Signal {
    Hup,
    Int,
    Term,
    Tstp,
    Stop,
    Kill,
    Abrt,
    Segv,
    Pipe,
    Winch,
}

/// Bytes in hexadecimal, optionally separated by spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HexBytes(pub Vec<u8>);

impl<'de> Deserialize<'de> for HexBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_parsed_text(deserializer, |text| {
            let digits: Option<Vec<u32>> =
                text.chars().filter(|sign| !sign.is_whitespace()).map(|sign| sign.to_digit(16)).collect();
            match digits {
                Some(digits) if digits.len() % 2 == 0 => {
                    let byte = |pair: &[u32]| pair.iter().fold(0, |byte, digit| byte * 16 + digit);
                    Ok(Self(digits.chunks(2).filter_map(|pair| u8::try_from(byte(pair)).ok()).collect()))
                }
                _ => Err("invalid bytes: expected two hexadecimal digits per byte".to_owned()),
            }
        })
    }
}

/// A condition for a line. All given parts must match; an empty condition matches everything.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LineMatcher {
    contains: Option<String>,
    begins: Option<String>,
    equals: Option<String>,
    json: Option<Map<String, Value>>,
}

impl LineMatcher {
    pub fn matches(&self, line: &str) -> bool {
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

impl FromText for LineMatcher {
    fn from_text(text: String) -> Result<Self, String> {
        Ok(Self { contains: Some(text), ..Self::default() })
    }
}

/// A condition written as a table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MatcherTable {
    contains: Option<String>,
    begins: Option<String>,
    equals: Option<String>,
    json: Option<Map<String, Value>>,
}

impl<'de> Deserialize<'de> for LineMatcher {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Table(LineMatcher);
        impl FromText for Table {
            fn from_text(text: String) -> Result<Self, String> {
                LineMatcher::from_text(text).map(Table)
            }
        }
        impl<'de> Deserialize<'de> for Table {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let MatcherTable { contains, begins, equals, json } =
                    MatcherTable::deserialize(deserializer)?;
                Ok(Self(LineMatcher { contains, begins, equals, json }))
            }
        }
        deserialize_text_or_table::<Table, D>(deserializer).map(|table| table.0)
    }
}

impl<'de> Deserialize<'de> for RepeatCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CountOrWord;
        impl Visitor<'_> for CountOrWord {
            type Value = RepeatCount;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a number or \"forever\"")
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<RepeatCount, E> {
                u64::try_from(number)
                    .map(RepeatCount::Count)
                    .map_err(|_| E::custom("the number of repetitions must not be negative"))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<RepeatCount, E> {
                match text {
                    "forever" => Ok(RepeatCount::Forever),
                    other => Err(E::custom(format!("`{other}` is not a number or \"forever\""))),
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
    fn all_given_conditions_must_match() {
        let all = LineMatcher::default();
        assert!(all.matches("") && all.matches("anything"));
        let answer = r#"{"type":"question_answer","answer":"postgres"}"#;
        let table = |text: &str| toml::from_str::<std::collections::BTreeMap<String, LineMatcher>>(text);
        for (text, fits) in [
            ("m = 'postgres'", true),
            ("m = { json = { type = 'question_answer' } }", true),
            ("m = { json = { type = 'question_answer', answer = 'sqlite' } }", false),
            ("m = { begins = '{', contains = 'answer' }", true),
            ("m = { equals = 'postgres' }", false),
        ] {
            assert_eq!(table(text).unwrap()["m"].matches(answer), fits, "{text}");
        }
        assert!(table("m = { ends = 'x' }").is_err());
    }
}
