//! Finds the objects with a title that were not read as tasks.

use std::{collections::HashSet, ops::Range};

use memchr::{memchr3_iter, memmem};

use crate::{
    diagnostic::DiagnosticSink,
    problem::{NearestLine, Problem},
    text::truncate_for_message,
};

const TITLE_KEY: &str = "\"title\"";

/// An object that may be a task.
struct TitledObject<'a> {
    span: Range<usize>,
    title: &'a str,
}

/// Reports the objects with a title that start at none of the positions in `read`, except in `elsewhere`, whose content
/// is reported as a whole.
pub(super) fn report_unread_objects(
    text: &str,
    read: &HashSet<usize>,
    elsewhere: &[Range<usize>],
    diagnostics: &mut DiagnosticSink,
) {
    // Most files have nothing else.
    if memmem::find_iter(text.as_bytes(), TITLE_KEY).count() <= read.len() {
        return;
    }
    let reported = diagnostics.sorted_starts();
    for object in titled_objects(text) {
        let next = reported.partition_point(|&start| start < object.span.start);
        let is_reported = reported.get(next).is_some_and(|&start| start < object.span.end)
            || elsewhere.iter().any(|span| span.contains(&object.span.start));
        if !read.contains(&object.span.start) && !is_reported {
            let line = truncate_for_message(object.title);
            diagnostics.push(object.span.start..object.span.start + 1, Problem::NotRead { line, n_more: 0 });
        }
    }
}

/// Returns the first object with a title of a file without tasks.
pub(crate) fn find_nearest_object(text: &str) -> Option<NearestLine> {
    let object = titled_objects(text).into_iter().min_by_key(|object| object.span.start)?;
    let title = truncate_for_message(object.title);
    let line = text[..object.span.start].matches('\n').count() + 1;
    Some(NearestLine {
        line,
        text: title.clone(),
        rewritten: format!("{{\"tasks\": [{{\"id\": 1, \"title\": {title}}}]}}"),
    })
}

/// Returns the objects that have a title, with the title as written. The text must be valid JSON.
fn titled_objects(text: &str) -> Vec<TitledObject<'_>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut open: Vec<(usize, Option<&str>)> = Vec::new();
    let mut string_end = 0;
    for at in memchr3_iter(b'{', b'}', b'"', bytes) {
        if at < string_end {
            continue;
        }
        match bytes[at] {
            b'{' => open.push((at, None)),
            b'}' => {
                if let Some((start, Some(title))) = open.pop() {
                    found.push(TitledObject { span: start..at + 1, title });
                }
            }
            _ => {
                string_end = end_of_string(bytes, at);
                if text.get(at..string_end) == Some(TITLE_KEY)
                    && let Some(value) = text.get(string_end..).and_then(value_of_key)
                    && let Some((_, title)) = open.last_mut()
                {
                    *title = Some(value);
                }
            }
        }
    }
    found
}

/// Returns the string behind `:`, as written.
fn value_of_key(rest: &str) -> Option<&str> {
    let value = rest.trim_start().strip_prefix(':')?.trim_start();
    let end = value.starts_with('"').then(|| end_of_string(value.as_bytes(), 0))?;
    value.get(..end)
}

/// Returns the position behind the string that starts here.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::titled_objects;

    #[test]
    fn objects_with_a_title_are_found_at_any_depth() {
        let text = r#"{"title": "a \"}", "x": {"title" : "b"}, "y": "{\"title\": 1}", "z": [{"title": 2}]}"#;
        let found: Vec<_> = titled_objects(text).iter().map(|object| object.title.to_owned()).collect();
        assert_eq!(found, ["\"b\"", r#""a \"}""#]);
    }
}
