//! JSON on one line, in which nothing counts as a message or acts on a terminal.

use serde::Serialize;

use crate::human;

/// Writes a value as JSON on one line, with all controls escaped and no NEED_HUMAN that anybody would hear.
pub(crate) fn line(value: &impl Serialize) -> String {
    // What is written here has string keys and no failing parts, so there is always a text.
    let text = serde_json::to_string(value).unwrap_or_default();
    escape(&text)
}

/// Writes a list as JSON on one line, as a person would.
pub(crate) fn list(items: &[String]) -> String {
    // A closing tag in an item would end the body that the list stands in.
    let items: Vec<String> = items.iter().map(|item| line(item).replace('[', "\\u005b")).collect();
    format!("[{}]", items.join(", "))
}

/// Escapes what JSON may hold as it is and we may not say: DEL, C1 controls, and the bracket of a question.
///
/// All of these can only stand inside a string, where an escape is the same character.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for (at, sign) in text.char_indices() {
        match sign {
            '[' if text[at + 1..].trim_start().starts_with(human::NAME) => escaped.push_str("\\u005b"),
            sign if sign.is_control() => escaped.push_str(&format!("\\u{:04x}", u32::from(sign))),
            sign => escaped.push(sign),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{line, list};

    #[test]
    fn controls_and_questions_are_escaped_and_mean_the_same() {
        for text in [
            "a\u{1b}[201~\u{9b}b\u{7f}\r\n\t",
            "[NEED_HUMAN: x]",
            "[ \u{3000}NEED_HUMAN k: x]",
            "\\[NEED_HUMAN:]",
        ] {
            let json = line(&text);
            assert!(!json.contains(char::is_control), "{json}");
            assert!(!json.replace(char::is_whitespace, "").contains("[NEED"), "{json}");
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }

    #[test]
    fn a_list_reads_as_one_writes_it() {
        assert_eq!(list(&["a".to_owned(), "b, \"c\"".to_owned()]), r#"["a", "b, \"c\""]"#);
    }
}
