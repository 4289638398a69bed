//! Every error with its position and hint.

#![expect(clippy::unwrap_used, reason = "a failed setup must fail the test")]

use std::fmt::Write;

use domain::Locale;
use plan::{FILE_BYTES_MAX, LineIndex, ParseOptions, PlanFormat, parse};

fn render_diagnostics(source: &[u8], format: Option<PlanFormat>) -> String {
    let parsed = parse(source, ParseOptions { format, ..ParseOptions::default() });
    let lines = LineIndex::new(source);
    let mut out = String::new();
    for diagnostic in &parsed.diagnostics {
        let position = lines.line_column(diagnostic.span.start);
        let text = String::from_utf8_lossy(&source[diagnostic.span.clone()]);
        writeln!(out, "{} {}:{} {text:?}", diagnostic.code().as_str(), position.line, position.column)
            .unwrap();
        for locale in [Locale::En, Locale::Ko] {
            let text = diagnostic.text(locale);
            writeln!(out, "  {}", text.message).unwrap();
            writeln!(out, "    {}", text.hint.as_deref().unwrap_or("-")).unwrap();
        }
    }
    out
}

#[test]
fn every_error_has_a_position_and_a_hint() {
    let table = "| ID | Task | Dependencies |\n|---|---|---|\n";
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("an empty file", b"".to_vec()),
        ("a file without tasks", b"# Title\n\nprose\n".to_vec()),
        ("bytes that are not UTF-8", b"### T1: a\n\xFF\xFE\n".to_vec()),
        ("utf-16", b"\xFF\xFE#\0 \0T\0\x31\0".to_vec()),
        ("a missing dependency", "### T1: 가나\n- **Dependencies**: T2, T3-T4\n".into()),
        ("a cycle", "### T1.4: b\n- **Dependencies**: T1.3\n### T1.3: a\n- **Dependencies**: T1.4\n".into()),
        ("two cycles", "### T1: a\n- **Dependencies**: T2\n### T2: b\n- **Dependencies**: T1\n### T3: c\n- **Dependencies**: T3\n".into()),
        ("a task that depends on a later phase", "### T1.5: a\n- **Dependencies**: T2.1\n### T2.1: b\n".into()),
        ("two tasks that depend on a later phase", "### T1.5: a\n- **Dependencies**: T2.1\n### T1.6: b\n- **Dependencies**: T2.2\n### T2.1: c\n### T2.2: d\n".into()),
        ("phases in a cycle", "## Phase 1\n- **After**: 2\n### T1: a\n## Phase 2\n### T2: b\n".into()),
        ("a cycle in a checklist", "- [ ] T001 a (depends on T002)\n- [ ] T002 b\n".into()),
        ("a duplicate id", format!("{table}| T1 | a | - |\n| T1 | b | - |\n").into()),
        ("a duplicate section", "### T1: a\n### T1: b\n".into()),
        ("a duplicate check box", "- [ ] T001 a\n- [ ] T001 b\n".into()),
        ("a row that is too short", format!("{table}| T1 | a |\n").into()),
        ("a row that is too long", format!("{table}| T1 | a | b | - |\n").into()),
        ("a row without an id", format!("{table}| T1 | a | - |\n| one | b | - |\n").into()),
        ("a malformed table", "| ID | Task |\n|---|\n| T1 | a |\n".into()),
        ("wrong values", "### T1: a\n- **Priority**: urgent\n- **Timeout**: 30\n- **Budget**: much\n- **Status**: nearly\n".into()),
        ("unclear values", "### T1: a\n- **Complexity**: 5\n- **Phase**: last\n### T2: b\n- **Dependencies**: T1 (schema)\n".into()),
        ("a missing phase", "## Phase 1\n- **After**: 7, x\n### T1: a\n".into()),
        ("a phase number that is too large", "### T99999999999.1: a\n".into()),
        ("boxes without ids", "- [ ] T001 a\n- [ ] b\n- [ ] c\n".into()),
        ("broken json", "{\"tasks\": [\n  {\"id\": 1,}\n]}".into()),
        ("json without tasks", "{\"name\": 1}".into()),
        ("json of the wrong shape", "{\"tasks\": [1, {\"title\": \"a\"}, {\"id\": \"x\"}, {\"id\": 2, \"title\": 3, \"status\": \"odd\", \"priority\": \"odd\", \"dependencies\": 4}, {\"id\": 3, \"dependencies\": [9, \"y\"]}]}".into()),
        ("json with two tags", "{\"a\": {\"tasks\": [{\"id\": 1}]}, \"b\": {\"tasks\": [{\"id\": 2}]}}".into()),
    ];
    let mut all = String::new();
    for (name, source) in cases {
        writeln!(all, "--- {name}\n{}", render_diagnostics(&source, None)).unwrap();
    }
    insta::assert_snapshot!(all);
}

#[test]
fn every_format_hints_at_its_own_syntax() {
    let all: String = PlanFormat::ALL.iter().map(|&format| render_diagnostics(b"{}", Some(format))).collect();
    insta::assert_snapshot!(all);
}

#[test]
fn a_file_that_is_too_large_is_rejected_unread() {
    insta::assert_snapshot!(render_diagnostics(&vec![b'#'; FILE_BYTES_MAX + 1], None));
}

#[test]
fn columns_count_characters_without_the_byte_order_mark() {
    insta::assert_snapshot!(render_diagnostics(
        "\u{feff}### T1: 가\r\n- **Dependencies**: 한글, T9\r\n".as_bytes(),
        None
    ));
}
