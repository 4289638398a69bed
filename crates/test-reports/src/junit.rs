//! JUnit XML, which most test tools can write.

use domain::{TestCounts, TestFailure, TestTool};
use quick_xml::{
    Reader, XmlVersion,
    events::{BytesStart, Event},
};

use crate::{draft::ReportDraft, panic_text::failure_from_output};

/// Bytes that are kept of the text of an element.
const TEXT_BYTES_MAX: usize = 64 * 1024;

/// The test that is being read.
#[derive(Default)]
struct TestCase {
    name: String,
    class: String,
    file: Option<String>,
    line: Option<u32>,
    failure: Option<FailureElement>,
    is_skipped: bool,
}

/// `<failure>` or `<error>`.
#[derive(Default)]
struct FailureElement {
    message: Option<String>,
    text: String,
}

/// Reads the documents in an output, each from its first tag to its last.
pub(crate) fn read_output(lines: &[&str], draft: &mut ReportDraft<'_>) {
    for root in ["testsuites", "testsuite"] {
        let is_start = |line: &&str| {
            let tag = line.trim_start();
            let tag =
                tag.strip_prefix("<?xml").and_then(|rest| rest.split_once("?>")).map_or(tag, |(_, tag)| tag);
            tag.strip_prefix('<')
                .and_then(|tag| tag.strip_prefix(root))
                .is_some_and(|rest| rest.starts_with([' ', '>']))
        };
        let end = format!("</{root}>");
        let Some(first) = lines.iter().position(is_start) else { continue };
        let Some(last) = lines.iter().rposition(|line| line.contains(&end)) else { continue };
        if let Some(document) = lines.get(first..=last)
            && read_document(&document.join("\n"), draft)
        {
            return;
        }
    }
}

/// Reads a document, and returns whether it is one. What precedes an error in it counts.
pub(crate) fn read_document(text: &str, draft: &mut ReportDraft<'_>) -> bool {
    if !text.trim_start_matches('\u{feff}').trim_start().starts_with('<') || !text.contains("<testsuite") {
        return false;
    }
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    let (mut case, mut is_in_failure, mut is_report) = (None::<TestCase>, false, false);
    // An error ends the reading, as does the end of the text.
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Eof => break,
            Event::Start(tag) => match tag.local_name().as_ref() {
                b"testsuites" | b"testsuite" => is_report = true,
                b"testcase" => case = Some(TestCase::new(&tag)),
                b"failure" | b"error" => {
                    is_in_failure = true;
                    add_failure(&mut case, &tag);
                }
                b"skipped" => set_skipped(&mut case),
                _ => {}
            },
            Event::Empty(tag) => match tag.local_name().as_ref() {
                b"testsuites" | b"testsuite" => is_report = true,
                b"testcase" => finish(Some(TestCase::new(&tag)), draft),
                b"failure" | b"error" => add_failure(&mut case, &tag),
                b"skipped" => set_skipped(&mut case),
                _ => {}
            },
            Event::End(tag) => match tag.local_name().as_ref() {
                b"testcase" => finish(case.take(), draft),
                b"failure" | b"error" => is_in_failure = false,
                _ => {}
            },
            Event::Text(text) if is_in_failure => {
                push_text(&mut case, &String::from_utf8_lossy(&text));
            }
            Event::CData(text) if is_in_failure => {
                push_text(&mut case, &String::from_utf8_lossy(&text));
            }
            Event::GeneralRef(name) if is_in_failure => {
                push_text(&mut case, &resolved(&String::from_utf8_lossy(&name)));
            }
            Event::Text(_)
            | Event::CData(_)
            | Event::GeneralRef(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_) => {}
        }
    }
    if is_report {
        draft.recognize(TestTool::Junit);
    }
    is_report
}

impl TestCase {
    fn new(tag: &BytesStart<'_>) -> Self {
        Self {
            name: attribute(tag, "name").unwrap_or_default(),
            class: attribute(tag, "classname").unwrap_or_default(),
            file: attribute(tag, "file"),
            line: attribute(tag, "line").and_then(|line| line.parse().ok()),
            failure: None,
            is_skipped: false,
        }
    }
}

fn add_failure(case: &mut Option<TestCase>, tag: &BytesStart<'_>) {
    if let Some(case) = case {
        let message = attribute(tag, "message").or_else(|| attribute(tag, "type"));
        case.failure.get_or_insert_with(|| FailureElement { message, text: String::new() });
    }
}

fn set_skipped(case: &mut Option<TestCase>) {
    if let Some(case) = case {
        case.is_skipped = true;
    }
}

fn push_text(case: &mut Option<TestCase>, text: &str) {
    if let Some(failure) = case.as_mut().and_then(|case| case.failure.as_mut()) {
        let left = TEXT_BYTES_MAX.saturating_sub(failure.text.len());
        failure.text.push_str(text.get(..text.floor_char_boundary(left)).unwrap_or_default());
    }
}

fn finish(case: Option<TestCase>, draft: &mut ReportDraft<'_>) {
    let Some(TestCase { name, class, file, line, failure, is_skipped }) = case else { return };
    let Some(FailureElement { message, text }) = failure else {
        let (passed, skipped) = if is_skipped { (0, 1) } else { (1, 0) };
        return draft.count(TestCounts { passed, skipped, failed: 0 });
    };
    draft.count(TestCounts { failed: 1, ..TestCounts::default() });
    let name = if class.is_empty() || name.starts_with(&class) { name } else { format!("{class} {name}") };
    if text.contains("' panicked at ") || text.contains(") panicked at ") {
        // The attribute has the first line of the panic only.
        let lines: Vec<&str> = text.lines().collect();
        return draft.add(failure_from_output(&name, &lines));
    }
    let body = text.trim().to_owned();
    let is_beginning = |message: &String| body.trim_start().starts_with(message.trim());
    let message = message.filter(|message| !is_beginning(message)).unwrap_or(body);
    draft.add(TestFailure {
        name,
        file,
        line,
        message: Some(message),
        trace: Some(text),
        ..TestFailure::default()
    });
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = tag.try_get_attribute(name).ok()??;
    let value = attribute.normalized_value(XmlVersion::Implicit1_0);
    Some(
        value.map_or_else(
            |_| String::from_utf8_lossy(&attribute.value).into_owned(),
            |value| value.into_owned(),
        ),
    )
}

/// Returns the character that `&name;` stands for.
fn resolved(name: &str) -> String {
    let number = name.strip_prefix('#').and_then(|number| match number.strip_prefix(['x', 'X']) {
        Some(number) => u32::from_str_radix(number, 16).ok(),
        None => number.parse().ok(),
    });
    match (name, number.and_then(char::from_u32)) {
        ("lt", _) => "<".to_owned(),
        ("gt", _) => ">".to_owned(),
        ("amp", _) => "&".to_owned(),
        ("quot", _) => "\"".to_owned(),
        ("apos", _) => "'".to_owned(),
        (_, Some(char)) => char.to_string(),
        _ => format!("&{name};"),
    }
}
