//! JSON as agents write it: fields of another type than expected, objects whose order matters, lines to be sent.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

use crate::{driver::OutgoingBytes, lines::repair_json};

/// Parses a line of JSON. Unpaired surrogates in its strings are replaced.
pub(crate) fn parse_line<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    serde_json::from_slice(line).ok().or_else(|| serde_json::from_slice(&repair_json(line)?).ok())
}

/// Encodes a value as a line that is sent without delay. An empty line if it cannot be serialized, which no caller's value
/// can cause.
pub(crate) fn encode_line(value: &impl Serialize) -> Vec<OutgoingBytes> {
    let bytes = serde_json::to_vec(value).map(|mut bytes| {
        bytes.push(b'\n');
        bytes
    });
    bytes.into_iter().map(|bytes| OutgoingBytes { after_ms: 0, bytes }).collect()
}

/// Reads a text; `None` if the value has another type.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct LenientText(pub(crate) Option<String>);

impl LenientText {
    pub(crate) fn text(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

impl<'de> Deserialize<'de> for LenientText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LenientTextVisitor)
    }
}

struct LenientTextVisitor;

impl<'de> Visitor<'de> for LenientTextVisitor {
    type Value = LenientText;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("anything")
    }

    fn visit_str<E>(self, text: &str) -> Result<LenientText, E> {
        Ok(LenientText(Some(text.to_owned())))
    }

    fn visit_bool<E>(self, _: bool) -> Result<LenientText, E> {
        Ok(LenientText(None))
    }

    fn visit_i64<E>(self, _: i64) -> Result<LenientText, E> {
        Ok(LenientText(None))
    }

    fn visit_u64<E>(self, _: u64) -> Result<LenientText, E> {
        Ok(LenientText(None))
    }

    fn visit_f64<E>(self, _: f64) -> Result<LenientText, E> {
        Ok(LenientText(None))
    }

    fn visit_unit<E>(self) -> Result<LenientText, E> {
        Ok(LenientText(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<LenientText, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(LenientText(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<LenientText, A::Error> {
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(LenientText(None))
    }
}

/// An object whose entries keep their order.
#[derive(Debug, Clone)]
pub(crate) struct OrderedMap<T>(pub(crate) Vec<(String, T)>);

impl<T> Default for OrderedMap<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Serialize> Serialize for OrderedMap<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OrderedMap<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OrderedMapVisitor(PhantomData))
    }
}

struct OrderedMapVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OrderedMapVisitor<T> {
    type Value = OrderedMap<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<OrderedMap<T>, A::Error> {
        let mut ordered = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            ordered.push(entry);
        }
        Ok(OrderedMap(ordered))
    }
}
