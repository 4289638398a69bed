//! Templates: texts with named placeholders such as `{title}`.
//!
//! A placeholder alone on its line may expand to several lines: a list to bullets. One at the end of a line expands to the
//! lines below if its value has several, any other to one line. A line whose placeholders are all empty is omitted, and so
//! is a paragraph without a filled placeholder: labels need no conditions.

use super::prompt_text::PromptText;

/// The value of a placeholder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PlaceholderValue {
    Empty,
    Text(String),
    Items(Vec<String>),
}

impl PlaceholderValue {
    fn is_empty(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Text(_) | Self::Items(_) => false,
        }
    }

    fn has_several_lines(&self) -> bool {
        match self {
            Self::Empty => false,
            Self::Text(text) => text.contains('\n'),
            Self::Items(items) => items.iter().any(|item| item.contains('\n')),
        }
    }

    /// Returns the value within a line.
    fn inline(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) => text.clone(),
            Self::Items(items) => items.join(", "),
        }
    }

    /// Returns the value on lines of its own.
    fn lines(&self) -> Vec<String> {
        match self {
            Self::Empty => Vec::new(),
            Self::Text(text) => vec![text.clone()],
            Self::Items(items) => items.iter().map(|item| format_bullet(item)).collect(),
        }
    }
}

/// Writes a template with the values of its placeholders; a name for which `value` returns `None` is kept as written.
pub(super) fn render(
    template: &str,
    value: impl Fn(&str) -> Option<PlaceholderValue>,
    output: &mut PromptText,
) {
    let mut is_first = true;
    for paragraph in paragraphs(template) {
        let lines: Vec<FilledLine> = paragraph.iter().map(|line| fill_line(line, &value)).collect();
        let has_values = lines.iter().any(|line| matches!(line, FilledLine::Filled { .. }));
        let has_placeholders = has_values || lines.iter().any(|line| matches!(line, FilledLine::Empty));
        if has_placeholders && !has_values {
            continue;
        }
        if !std::mem::take(&mut is_first) {
            output.push_blank();
        }
        for line in lines {
            match line {
                FilledLine::Plain(text) => output.push_line(&text),
                FilledLine::Filled { text, below } => {
                    if !text.is_empty() {
                        output.push_line(&text);
                    }
                    below.iter().for_each(|part| output.push_lines(part));
                }
                FilledLine::Empty => {}
            }
        }
    }
}

/// Returns the names of the placeholders of a line.
#[cfg(test)]
pub(super) fn placeholder_names(line: &str) -> Vec<&str> {
    let (mut names, mut rest) = (Vec::new(), line);
    while let Some((_, name, after)) = next_placeholder(rest) {
        names.push(name);
        rest = after;
    }
    names
}

/// A line of a template with its values.
enum FilledLine {
    /// Has no placeholders.
    Plain(String),
    /// Has a line, values of several lines below it, or both.
    Filled { text: String, below: Vec<String> },
    /// All of its placeholders are empty.
    Empty,
}

fn paragraphs(template: &str) -> Vec<Vec<&str>> {
    let mut paragraphs = vec![Vec::new()];
    for line in template.lines() {
        match paragraphs.last_mut() {
            Some(paragraph) if !line.trim().is_empty() => paragraph.push(line),
            _ => paragraphs.push(Vec::new()),
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs
}

fn fill_line(line: &str, value: &impl Fn(&str) -> Option<PlaceholderValue>) -> FilledLine {
    let (mut text, mut rest, mut below) = (String::new(), line, Vec::new());
    let (mut n_placeholders, mut n_empty) = (0, 0);
    while let Some((before, name, after)) = next_placeholder(rest) {
        text.push_str(before);
        match value(name) {
            Some(value) => {
                n_placeholders += 1;
                n_empty += usize::from(value.is_empty());
                let is_alone = text.trim().is_empty();
                if after.trim().is_empty() && (is_alone || value.has_several_lines()) {
                    below = value.lines();
                    text.truncate(text.trim_end().len());
                } else {
                    text.push_str(&value.inline());
                }
            }
            None => text.push_str(&format!("{{{name}}}")),
        }
        rest = after;
    }
    text.push_str(rest);
    match n_placeholders {
        0 => FilledLine::Plain(text),
        _ if n_empty == n_placeholders => FilledLine::Empty,
        _ => FilledLine::Filled { text: text.trim_end().to_owned(), below },
    }
}

/// Formats an item of a list, with its further lines indented.
fn format_bullet(text: &str) -> String {
    format!("- {}", text.trim().replace('\n', "\n  "))
}

/// Splits a line around its first placeholder.
fn next_placeholder(line: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(at) = line[from..].find('{').map(|at| from + at) {
        let inner = &line[at + 1..];
        let end = inner
            .find(|character: char| !(character.is_ascii_lowercase() || character == '_'))
            .unwrap_or(inner.len());
        if end > 0 && inner[end..].starts_with('}') {
            return Some((&line[..at], &inner[..end], &inner[end + 1..]));
        }
        from = at + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{PlaceholderValue, PromptText, render};

    fn assert_renders_to(template: &str, expected: &str) {
        let mut text = PromptText::default();
        let value = |name: &str| match name {
            "list" => Some(PlaceholderValue::Items(vec!["a\nmore".to_owned(), "b".to_owned()])),
            "paths" => Some(PlaceholderValue::Items(vec!["src/".to_owned(), "docs/".to_owned()])),
            "title" => Some(PlaceholderValue::Text("Log\nin".to_owned())),
            "id" => Some(PlaceholderValue::Text("T1".to_owned())),
            "empty" => Some(PlaceholderValue::Empty),
            _ => None,
        };
        render(template, value, &mut text);
        assert_eq!(text.finish(), expected, "{template}");
    }

    #[test]
    fn placeholder_alone_on_a_line_may_expand_to_several() {
        assert_renders_to("{title}\nIt is {title}.", "Log\nin\nIt is Log in.");
        assert_renders_to("Items:\n{list}\n\nEnd", "Items:\n- a\n  more\n- b\n\nEnd");
        assert_renders_to("{paths}\nOnly {paths}", "- src/\n- docs/\nOnly src/, docs/");
    }

    #[test]
    fn value_of_several_lines_continues_below_its_label() {
        assert_renders_to("trace: {title}\nof {id}", "trace:\nLog\nin\nof T1");
        assert_renders_to("{id}: {list}", "T1:\n- a\n  more\n- b");
    }

    #[test]
    fn lines_and_paragraphs_without_values_are_omitted() {
        assert_renders_to("Hi\n\nList:\n{empty}\n\nIn {empty}\nTitle {title}{empty}", "Hi\n\nTitle Log in");
        assert_renders_to("{id} {empty}", "T1");
    }

    #[test]
    fn other_braces_are_kept() {
        assert_renders_to("{unknown} {\"a\":1} {} {title", "{unknown} {\"a\":1} {} {title");
    }
}
