//! Puts what is known only while playing into a script's texts: `{key}`, `{line}`, `{n}` and others.
//!
//! Only these names are replaced, so that a text may hold braces of its own; `{{key}}` stays as `{key}`.

use std::{env, process};

use serde_json::Value;

/// What is known.
#[derive(Debug, Default)]
pub struct Known {
    /// The last line, prompt or answer that was heard.
    pub line: String,
    /// How often the innermost `repeat` has begun, from 1.
    pub n: u64,
    /// What the player was given on its command line.
    pub arguments: Vec<String>,
}

impl Known {
    /// Returns the text with everything put in.
    pub fn fill(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            let (before, from) = rest.split_at(at);
            filled.push_str(before);
            if let Some((name, behind)) = from.strip_prefix("{{").and_then(|inner| inner.split_once("}}"))
                && self.value(name).is_some()
            {
                filled.extend(["{", name, "}"]);
                rest = behind;
            } else if let Some((name, behind)) =
                from.strip_prefix('{').and_then(|inner| inner.split_once('}'))
                && let Some(value) = self.value(name)
            {
                filled.push_str(&value);
                rest = behind;
            } else {
                filled.push('{');
                rest = from.get(1..).unwrap_or_default();
            }
        }
        filled.push_str(rest);
        filled
    }

    fn value(&self, name: &str) -> Option<String> {
        let variable = |name: &str| Some(env::var(name).unwrap_or_default());
        match name {
            "key" => variable("JANGDAN_KEY"),
            "session" => variable("JANGDAN_SESSION"),
            "task" => variable("JANGDAN_TASK"),
            "run" => variable("JANGDAN_RUN"),
            "line" => Some(self.line.clone()),
            "n" => Some(self.n.to_string()),
            "pid" => Some(process::id().to_string()),
            "arguments" => Some(self.arguments.join(" ")),
            _ => match name.split_once(':')? {
                ("env", name) => variable(name),
                ("field", name) => Some(self.field(name)),
                _ => None,
            },
        }
    }

    /// Returns a field of the last line where that was a JSON object.
    fn field(&self, name: &str) -> String {
        let value: Value = serde_json::from_str(&self.line).unwrap_or_default();
        match value.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_names_are_replaced() {
        let known = Known { line: r#"{"answer":"postgres","n":2}"#.to_owned(), n: 3, arguments: Vec::new() };
        for (text, filled) in [
            ("{n} of {field:answer}/{field:n}{field:none}", "3 of postgres/2"),
            ("{\"type\":\"x\"} {} { {unknown} {{n}} {{x}}", "{\"type\":\"x\"} {} { {unknown} {n} {{x}}"),
            ("{line", "{line"),
        ] {
            assert_eq!(known.fill(text), filled);
        }
    }
}
