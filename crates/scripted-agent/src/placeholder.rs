//! Replaces placeholders such as `{key}`, `{line}` and `{n}` in texts of a script.
//!
//! Unknown names are left alone, so texts may contain other braces; `{{key}}` becomes `{key}`.

use std::{env, process};

use serde_json::Value;

/// Values of the placeholders that change while the script runs.
#[derive(Debug, Default)]
pub(crate) struct PlaceholderValues {
    /// Last line, prompt or answer received.
    pub line: String,
    /// Current iteration of the innermost `repeat`, from 1.
    pub n: u64,
    /// Command-line arguments of the agent.
    pub arguments: Vec<String>,
}

impl PlaceholderValues {
    /// Returns the text with all placeholders replaced.
    pub(crate) fn substitute(&self, text: &str) -> String {
        let mut result = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            let (before, from) = rest.split_at(at);
            result.push_str(before);
            if let Some((name, rest_after)) = from.strip_prefix("{{").and_then(|inner| inner.split_once("}}"))
                && self.value(name).is_some()
            {
                result.extend(["{", name, "}"]);
                rest = rest_after;
            } else if let Some((name, rest_after)) =
                from.strip_prefix('{').and_then(|inner| inner.split_once('}'))
                && let Some(value) = self.value(name)
            {
                result.push_str(&value);
                rest = rest_after;
            } else {
                result.push('{');
                rest = from.get(1..).unwrap_or_default();
            }
        }
        result.push_str(rest);
        result
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
                ("field", name) => Some(self.last_line_field(name)),
                _ => None,
            },
        }
    }

    /// Returns a field of the last line if that is a JSON object.
    fn last_line_field(&self, name: &str) -> String {
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
        let values = PlaceholderValues {
            line: r#"{"answer":"postgres","n":2}"#.to_owned(),
            n: 3,
            arguments: Vec::new(),
        };
        for (text, result) in [
            ("{n} of {field:answer}/{field:n}{field:none}", "3 of postgres/2"),
            ("{\"type\":\"x\"} {} { {unknown} {{n}} {{x}}", "{\"type\":\"x\"} {} { {unknown} {n} {{x}}"),
            ("{line", "{line"),
        ] {
            assert_eq!(values.substitute(text), result);
        }
    }
}
