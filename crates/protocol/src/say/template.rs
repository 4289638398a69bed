//! Templates: a text with named places, `{title}`, that values are put into.
//!
//! A place alone on its line takes several lines, any other takes one. A line whose places are all empty is left out,
//! and so is a paragraph that lost all of its places: labels need no conditions.

use super::words::Words;

/// The value of a place: its parts, each of which stands by itself. Without parts it is empty.
pub(super) type Value = Vec<String>;

/// Says a template with the values of its places; `None` is a place that does not exist, and stays as it is written.
pub(super) fn say(template: &str, value: impl Fn(&str) -> Option<Value>, words: &mut Words) {
    let mut is_first = true;
    for paragraph in paragraphs(template) {
        let lines: Vec<FilledLine> = paragraph.iter().map(|line| fill(line, &value)).collect();
        let has_values = lines.iter().any(|line| matches!(line, FilledLine::Line(_) | FilledLine::Parts(_)));
        let has_places = has_values || lines.iter().any(|line| matches!(line, FilledLine::Empty));
        if has_places && !has_values {
            continue;
        }
        if !std::mem::take(&mut is_first) {
            words.blank();
        }
        for line in lines {
            match line {
                FilledLine::Plain(text) | FilledLine::Line(text) => words.line(&text),
                FilledLine::Parts(parts) => parts.iter().for_each(|part| words.lines(part)),
                FilledLine::Empty => {}
            }
        }
    }
}

/// A line of a template with its values.
enum FilledLine {
    /// It has no places.
    Plain(String),
    /// It has places among other words.
    Line(String),
    /// It is a place.
    Parts(Value),
    /// All of its places are empty.
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

fn fill(line: &str, value: &impl Fn(&str) -> Option<Value>) -> FilledLine {
    let (mut text, mut rest) = (String::new(), line);
    let (mut n_places, mut n_empty) = (0, 0);
    while let Some((before, name, behind)) = next_place(rest) {
        text.push_str(before);
        match value(name) {
            Some(parts) if before.trim().is_empty() && behind.trim().is_empty() && n_places == 0 => {
                return if parts.is_empty() { FilledLine::Empty } else { FilledLine::Parts(parts) };
            }
            Some(parts) => {
                n_places += 1;
                n_empty += usize::from(parts.is_empty());
                text.push_str(&parts.join(", "));
            }
            None => text.push_str(&format!("{{{name}}}")),
        }
        rest = behind;
    }
    text.push_str(rest);
    match n_places {
        0 => FilledLine::Plain(text),
        _ if n_empty == n_places => FilledLine::Empty,
        _ => FilledLine::Line(text),
    }
}

/// Splits a line around its first place.
fn next_place(line: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(at) = line[from..].find('{').map(|at| from + at) {
        let inner = &line[at + 1..];
        let end = inner.find(|sign: char| !(sign.is_ascii_lowercase() || sign == '_')).unwrap_or(inner.len());
        if end > 0 && inner[end..].starts_with('}') {
            return Some((&line[..at], &inner[..end], &inner[end + 1..]));
        }
        from = at + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Words, say};

    fn check(template: &str, expected: &str) {
        let mut words = Words::default();
        let value = |name: &str| match name {
            "list" => Some(vec!["- a\n  more".to_owned(), "- b".to_owned()]),
            "title" => Some(vec!["Log\nin".to_owned()]),
            "empty" => Some(Vec::new()),
            _ => None,
        };
        say(template, value, &mut words);
        assert_eq!(words.finish(), expected, "{template}");
    }

    #[test]
    fn a_place_alone_takes_lines_and_one_among_words_takes_one() {
        check("{title}\nIt is {title}.", "Log\nin\nIt is Log in.");
        check("Items:\n{list}\n\nEnd", "Items:\n- a\n  more\n- b\n\nEnd");
    }

    #[test]
    fn what_lost_its_places_is_left_out() {
        check("Hi\n\nList:\n{empty}\n\nIn {empty}\nTitle {title}{empty}", "Hi\n\nTitle Log in");
    }

    #[test]
    fn braces_that_are_no_place_stay() {
        check("{unknown} {\"a\":1} {} {title", "{unknown} {\"a\":1} {} {title");
    }
}
