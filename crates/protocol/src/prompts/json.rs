//! JSON on one line that contains no message and no terminal control.

use serde::Serialize;

use crate::need_human;

/// Serializes a value on one line, with all controls and the opening brackets of NEED_HUMAN questions escaped.
pub(crate) fn to_line(value: &impl Serialize) -> String {
    // All serialized types have string keys, so serialization cannot fail.
    let text = serde_json::to_string(value).unwrap_or_default();
    escape(&text)
}

/// Serializes a list on one line, with spaces between its items.
pub(crate) fn to_list(items: &[String]) -> String {
    // A closing tag in an item would end the body that contains the list.
    let items: Vec<String> = items.iter().map(|item| to_line(item).replace('[', "\\u005b")).collect();
    format!("[{}]", items.join(", "))
}

/// Escapes characters that are valid in JSON but not in our output: DEL, C1 controls, and the bracket of a question.
///
/// They occur only inside strings, where an escape sequence has the same meaning.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        match character {
            '[' if text[at + 1..].trim_start().starts_with(need_human::NAME) => escaped.push_str("\\u005b"),
            control if control.is_control() => escaped.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{to_line, to_list};

    #[test]
    fn escaped_controls_and_questions_parse_to_the_same_text() {
        for text in [
            "a\u{1b}[201~\u{9b}b\u{7f}\r\n\t",
            "[NEED_HUMAN: x]",
            "[ \u{3000}NEED_HUMAN k: x]",
            "\\[NEED_HUMAN:]",
        ] {
            let json = to_line(&text);
            assert!(!json.contains(char::is_control), "{json}");
            assert!(!json.replace(char::is_whitespace, "").contains("[NEED"), "{json}");
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }

    #[test]
    fn list_has_spaces_after_its_commas() {
        assert_eq!(to_list(&["a".to_owned(), "b, \"c\"".to_owned()]), r#"["a", "b, \"c\""]"#);
    }
}
