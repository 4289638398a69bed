//! Patterns for events, inputs and effects: a name and words that must occur in the fields.
//!
//! `word` is the value of any field, `field=word` of that field, `~word` and `field~word` are a part of it, and `-field`
//! means that the field is absent. Words with spaces are in double quotes; `@09:05` is a time on the first day.

use serde_json::Value;

use crate::clock;

#[derive(Debug)]
pub(crate) struct Pattern {
    pub name: String,
    conditions: Vec<FieldCondition>,
}

#[derive(Debug)]
enum FieldCondition {
    Equal { field: Option<String>, word: String },
    Part { field: Option<String>, word: String },
    Absent { field: String },
}

impl Pattern {
    /// Parses a pattern: the name first, then the words.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut words = split_words(text)?.into_iter();
        let name = words.next().ok_or("a name is missing")?;
        let conditions = words.map(|word| FieldCondition::parse(&word)).collect::<Result<_, String>>()?;
        Ok(Self { name, conditions })
    }

    /// Returns whether a value matches; `is_called` tells whether an id has a name.
    pub(crate) fn matches(&self, name: &str, value: &Value, is_called: &dyn Fn(&str, &str) -> bool) -> bool {
        let mut leaves = Vec::new();
        collect_leaves("", value, &mut leaves);
        let is_at = |field: &Option<String>, key: &str| field.as_deref().is_none_or(|field| field == key);
        let is_word = |leaf: &str, word: &str| leaf.eq_ignore_ascii_case(word) || is_called(leaf, word);
        self.name.eq_ignore_ascii_case(name)
            && self.conditions.iter().all(|condition| match condition {
                FieldCondition::Equal { field, word } => {
                    leaves.iter().any(|(key, leaf)| is_at(field, key) && is_word(leaf, word))
                }
                FieldCondition::Part { field, word } => {
                    leaves.iter().any(|(key, leaf)| is_at(field, key) && leaf.contains(word.as_str()))
                }
                FieldCondition::Absent { field } => !leaves.iter().any(|(key, _)| key == field),
            })
    }
}

impl FieldCondition {
    fn parse(word: &str) -> Result<Self, String> {
        if let Some(field) = word.strip_prefix('-') {
            return Ok(Self::Absent { field: field.to_owned() });
        }
        let is_field = |field: &str| field.chars().all(|c| c.is_ascii_alphabetic());
        let (field, sign, word) = match word.find(['=', '~']) {
            Some(at) if is_field(&word[..at]) => (&word[..at], &word[at..=at], &word[at + 1..]),
            _ => ("", "=", word),
        };
        let field = (!field.is_empty()).then(|| field.to_owned());
        let word = match word.strip_prefix('@') {
            Some(time) => clock::parse_time(time)?.0.to_string(),
            None => word.to_owned(),
        };
        Ok(if sign == "=" { Self::Equal { field, word } } else { Self::Part { field, word } })
    }
}

/// Collects the fields with single values; items of a list have the name of the list.
fn collect_leaves(key: &str, value: &Value, leaves: &mut Vec<(String, String)>) {
    match value {
        Value::Null => {}
        Value::String(text) => leaves.push((key.to_owned(), text.clone())),
        Value::Bool(_) | Value::Number(_) => leaves.push((key.to_owned(), value.to_string())),
        Value::Array(items) => items.iter().for_each(|item| collect_leaves(key, item, leaves)),
        Value::Object(fields) => fields.iter().for_each(|(key, value)| collect_leaves(key, value, leaves)),
    }
}

/// Splits a text at spaces outside of double quotes, and removes the quotes.
fn split_words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut is_quoted = false;
    for c in text.chars() {
        match c {
            '"' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            ' ' if !is_quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    if is_quoted {
        return Err("a quote is not closed".to_owned());
    }
    words.extend(word);
    Ok(words)
}
