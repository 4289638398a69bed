//! Templates: texts with named placeholders such as `{title}`.
//!
//! A placeholder alone on its line may expand to several lines, any other to one. A line whose placeholders are all
//! empty is omitted, and so is a paragraph without a filled placeholder: labels need no conditions.

use super::prompt_text::PromptText;

/// The parts of a placeholder's value, each on lines of its own. No parts: the placeholder is empty.
pub(super) type PlaceholderValue = Vec<String>;

/// Writes a template with the values of its placeholders; a name for which `value` returns `None` is kept as written.
pub(super) fn render(
    template: &str,
    value: impl Fn(&str) -> Option<PlaceholderValue>,
    output: &mut PromptText,
) {
    let mut is_first = true;
    for paragraph in paragraphs(template) {
        let lines: Vec<FilledLine> = paragraph.iter().map(|line| fill_line(line, &value)).collect();
        let has_values = lines.iter().any(|line| matches!(line, FilledLine::Line(_) | FilledLine::Parts(_)));
        let has_placeholders = has_values || lines.iter().any(|line| matches!(line, FilledLine::Empty));
        if has_placeholders && !has_values {
            continue;
        }
        if !std::mem::take(&mut is_first) {
            output.push_blank();
        }
        for line in lines {
            match line {
                FilledLine::Plain(text) | FilledLine::Line(text) => output.push_line(&text),
                FilledLine::Parts(parts) => parts.iter().for_each(|part| output.push_lines(part)),
                FilledLine::Empty => {}
            }
        }
    }
}

/// A line of a template with its values.
enum FilledLine {
    /// Has no placeholders.
    Plain(String),
    /// Has placeholders and other text.
    Line(String),
    /// Consists of one placeholder.
    Parts(PlaceholderValue),
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
    let (mut text, mut rest) = (String::new(), line);
    let (mut n_placeholders, mut n_empty) = (0, 0);
    while let Some((before, name, after)) = next_placeholder(rest) {
        text.push_str(before);
        match value(name) {
            Some(parts) if before.trim().is_empty() && after.trim().is_empty() && n_placeholders == 0 => {
                return if parts.is_empty() { FilledLine::Empty } else { FilledLine::Parts(parts) };
            }
            Some(parts) => {
                n_placeholders += 1;
                n_empty += usize::from(parts.is_empty());
                text.push_str(&parts.join(", "));
            }
            None => text.push_str(&format!("{{{name}}}")),
        }
        rest = after;
    }
    text.push_str(rest);
    match n_placeholders {
        0 => FilledLine::Plain(text),
        _ if n_empty == n_placeholders => FilledLine::Empty,
        _ => FilledLine::Line(text),
    }
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
    use super::{PromptText, render};

    fn assert_renders_to(template: &str, expected: &str) {
        let mut text = PromptText::default();
        let value = |name: &str| match name {
            "list" => Some(vec!["- a\n  more".to_owned(), "- b".to_owned()]),
            "title" => Some(vec!["Log\nin".to_owned()]),
            "empty" => Some(Vec::new()),
            _ => None,
        };
        render(template, value, &mut text);
        assert_eq!(text.finish(), expected, "{template}");
    }

    #[test]
    fn placeholder_alone_on_a_line_may_expand_to_several() {
        assert_renders_to("{title}\nIt is {title}.", "Log\nin\nIt is Log in.");
        assert_renders_to("Items:\n{list}\n\nEnd", "Items:\n- a\n  more\n- b\n\nEnd");
    }

    #[test]
    fn lines_and_paragraphs_without_values_are_omitted() {
        assert_renders_to("Hi\n\nList:\n{empty}\n\nIn {empty}\nTitle {title}{empty}", "Hi\n\nTitle Log in");
    }

    #[test]
    fn other_braces_are_kept() {
        assert_renders_to("{unknown} {\"a\":1} {} {title", "{unknown} {\"a\":1} {} {title");
    }
}
