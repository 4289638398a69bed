//! Lists as agents write them: JSON, brackets with any quotes, lines with bullets, commas.

use serde_json::Value;

/// A bracket without its closing bracket.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UnclosedBracket;

/// Parses a list and drops empty items.
pub(crate) fn parse_list(text: &str) -> Result<Vec<String>, UnclosedBracket> {
    let text = text.trim();
    let items = if text.starts_with('[') {
        match parse_json_list(text) {
            Some(items) => items,
            None => parse_bracketed_list(text)?,
        }
    } else if text_after_bullet(text).is_some() {
        parse_bulleted_list(text)
    } else {
        text.split([',', '\n']).map(unquote).collect()
    };
    Ok(items.into_iter().filter(|item| !item.is_empty()).collect())
}

/// Returns the text after a bullet.
pub(crate) fn text_after_bullet(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix(['-', '*', '+', '•'])?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim())
}

fn parse_json_list(text: &str) -> Option<Vec<String>> {
    let values: Vec<Value> = serde_json::from_str(text).ok()?;
    values
        .into_iter()
        .map(|value| match value {
            Value::String(text) => Some(text.trim().to_owned()),
            Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        })
        .collect()
}

/// Parses a list in brackets with quoted or bare items.
///
/// A quote ends an item only before `,` or `]`, so that an apostrophe does not.
fn parse_bracketed_list(text: &str) -> Result<Vec<String>, UnclosedBracket> {
    let mut rest = text.strip_prefix('[').unwrap_or(text).trim_start();
    let mut items = Vec::new();
    // A quote that is not closed from here on is not closed later either; searching again would be quadratic.
    let mut unclosed_quotes = Vec::new();
    loop {
        if rest.starts_with(']') {
            return Ok(items);
        }
        let (item, after) = match rest.chars().next() {
            Some(quote @ ('\'' | '"')) if !unclosed_quotes.contains(&quote) => {
                match split_quoted_item(&rest[1..], quote) {
                    Some(item) => item,
                    None => {
                        unclosed_quotes.push(quote);
                        split_bare_item(rest)?
                    }
                }
            }
            _ => split_bare_item(rest)?,
        };
        items.push(item.to_owned());
        rest = after.trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    }
}

fn split_quoted_item(text: &str, quote: char) -> Option<(&str, &str)> {
    text.match_indices(quote)
        .find(|(at, _)| text[at + 1..].trim_start().starts_with([',', ']']))
        .map(|(at, _)| (text[..at].trim(), &text[at + 1..]))
}

fn split_bare_item(text: &str) -> Result<(&str, &str), UnclosedBracket> {
    let end = text.find([',', ']']).ok_or(UnclosedBracket)?;
    Ok((text[..end].trim(), &text[end..]))
}

fn parse_bulleted_list(text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in text.lines() {
        match (text_after_bullet(line), items.last_mut()) {
            (Some(item), _) => items.push(unquote(item)),
            (None, Some(last)) if !line.trim().is_empty() => {
                last.push('\n');
                last.push_str(line.trim());
            }
            (None, _) => {}
        }
    }
    items
}

/// Removes a pair of quotes.
pub(crate) fn unquote(text: &str) -> String {
    let text = text.trim();
    for quote in ['\'', '"'] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner.trim().to_owned();
        }
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::{UnclosedBracket, parse_list};

    #[test]
    fn all_list_notations_are_parsed() {
        let cases: &[(&str, &[&str])] = &[
            (r#"["a", "b, c", 3]"#, &["a", "b, c", "3"]),
            ("['don't know', 'yes']", &["don't know", "yes"]),
            ("['이메일', \"SSO\"]", &["이메일", "SSO"]),
            ("[red, green, ]", &["red", "green"]),
            ("['a',\n 'b']", &["a", "b"]),
            ("['a' 'b', 'c']", &["a' 'b", "c"]),
            ("- one\n- two, too\n  and more\n", &["one", "two, too\nand more"]),
            ("a, 'b', c", &["a", "b", "c"]),
            ("[]", &[]),
            ("", &[]),
        ];
        for (text, items) in cases {
            assert_eq!(parse_list(text).unwrap(), *items, "{text}");
        }
    }

    #[test]
    fn unclosed_bracket_is_refused() {
        for text in ["['a', 'b'", "[", "[a, b", "['a"] {
            assert_eq!(parse_list(text), Err(UnclosedBracket), "{text}");
        }
    }
}
