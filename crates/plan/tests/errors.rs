//! Every error, with its place and what to write instead.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fmt::Write;

use plan::{FILE_BYTES_MAX, LineIndex, ParseOptions, PlanFormat, parse};

fn render(source: &[u8], format: Option<PlanFormat>) -> String {
    let reading = parse(source, ParseOptions { format });
    let places = LineIndex::new(source);
    let mut out = String::new();
    for found in &reading.diagnostics {
        let place = places.line_column(found.span.start);
        let text = String::from_utf8_lossy(&source[found.span.clone()]);
        writeln!(out, "{} {}:{} {text:?}", found.code.as_str(), place.line, place.column).unwrap();
        writeln!(out, "  {}", found.message).unwrap();
        writeln!(out, "  hint: {}", found.hint.as_deref().unwrap_or("-")).unwrap();
    }
    out
}

#[test]
fn every_error_says_where_it_is_and_what_to_write() {
    let table = "| ID | Task | Dependencies |\n|---|---|---|\n";
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("an empty file", b"".to_vec()),
        ("a file without tasks", b"# Title\n\nprose\n".to_vec()),
        ("bytes that are no text", b"### T1: a\n\xFF\xFE\n".to_vec()),
        ("utf-16", b"\xFF\xFE#\0 \0T\0\x31\0".to_vec()),
        ("a missing dependency", "### T1: 가나\n- **Dependencies**: T2, T3-T4\n".into()),
        ("a cycle", "### T1.4: b\n- **Dependencies**: T1.3\n### T1.3: a\n- **Dependencies**: T1.4\n".into()),
        ("two cycles", "### T1: a\n- **Dependencies**: T2\n### T2: b\n- **Dependencies**: T1\n### T3: c\n- **Dependencies**: T3\n".into()),
        ("a task that waits for a later phase", "### T1.5: a\n- **Dependencies**: T2.1\n### T2.1: b\n".into()),
        ("two tasks that wait for a later phase", "### T1.5: a\n- **Dependencies**: T2.1\n### T1.6: b\n- **Dependencies**: T2.2\n### T2.1: c\n### T2.2: d\n".into()),
        ("phases that wait for each other", "## Phase 1\n- **After**: 2\n### T1: a\n## Phase 2\n### T2: b\n".into()),
        ("a cycle of a check list", "- [ ] T001 a (depends on T002)\n- [ ] T002 b\n".into()),
        ("an id twice", format!("{table}| T1 | a | - |\n| T1 | b | - |\n").into()),
        ("a section twice", "### T1: a\n### T1: b\n".into()),
        ("a box twice", "- [ ] T001 a\n- [ ] T001 b\n".into()),
        ("a row that is too short", format!("{table}| T1 | a |\n").into()),
        ("a row that is too long", format!("{table}| T1 | a | b | - |\n").into()),
        ("a row without an id", format!("{table}| T1 | a | - |\n| one | b | - |\n").into()),
        ("a table that is none", "| ID | Task |\n|---|\n| T1 | a |\n".into()),
        ("wrong values", "### T1: a\n- **Priority**: urgent\n- **Timeout**: 30\n- **Budget**: much\n- **Status**: nearly\n".into()),
        ("unclear values", "### T1: a\n- **Complexity**: 5\n- **Phase**: last\n### T2: b\n- **Dependencies**: T1 (schema)\n".into()),
        ("a phase that is not there", "## Phase 1\n- **After**: 7, x\n### T1: a\n".into()),
        ("a phase number that is too large", "### T99999999999.1: a\n".into()),
        ("boxes without ids", "- [ ] T001 a\n- [ ] b\n- [ ] c\n".into()),
        ("broken json", "{\"tasks\": [\n  {\"id\": 1,}\n]}".into()),
        ("json without tasks", "{\"name\": 1}".into()),
        ("json of the wrong shape", "{\"tasks\": [1, {\"title\": \"a\"}, {\"id\": \"x\"}, {\"id\": 2, \"title\": 3, \"status\": \"odd\", \"priority\": \"odd\", \"dependencies\": 4}, {\"id\": 3, \"dependencies\": [9, \"y\"]}]}".into()),
        ("json with two tags", "{\"a\": {\"tasks\": [{\"id\": 1}]}, \"b\": {\"tasks\": [{\"id\": 2}]}}".into()),
    ];
    let mut all = String::new();
    for (name, source) in cases {
        writeln!(all, "--- {name}\n{}", render(&source, None)).unwrap();
    }
    insta::assert_snapshot!(all);
}

#[test]
fn every_format_says_what_it_wants() {
    let all: String = PlanFormat::ALL.iter().map(|&format| render(b"{}", Some(format))).collect();
    insta::assert_snapshot!(all);
}

#[test]
fn a_file_that_is_too_large_is_not_even_looked_at() {
    insta::assert_snapshot!(render(&vec![b'#'; FILE_BYTES_MAX + 1], None));
}

#[test]
fn the_column_counts_characters_and_no_byte_order_mark() {
    insta::assert_snapshot!(render(
        "\u{feff}### T1: 가\r\n- **Dependencies**: 한글, T9\r\n".as_bytes(),
        None
    ));
}
