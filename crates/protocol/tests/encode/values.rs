//! Strategies for the texts of messages: hostile ones, most of which cannot be encoded, and ordinary ones.

use proptest::{collection::vec, prelude::*, sample::select};

use crate::KEY;

/// Texts of which most cannot be encoded, for different reasons.
pub(crate) fn hostile_text() -> BoxedStrategy<String> {
    const PIECES: &[&str] = &[
        "",
        " ",
        "\n",
        "\n\n",
        "\t",
        "\r",
        "word",
        "two words",
        "가나다",
        "뛰",
        "🙂",
        "[ASK_USER]",
        "[/ASK_USER]",
        "[/INVOKE]",
        "[/DELIVER_RESULT]",
        "[/STEP_COMPLETE]",
        "[/DEPENDENCY_REQUEST]",
        "[/ERROR k3f9]",
        "[INVOKE:PO]",
        "[ERROR]",
        "type: x",
        "question: y",
        "옵션: a",
        "context: c",
        "content: d",
        "task: t",
        "Phase: p",
        "DONE:T1.3",
        "FAIL:1.2",
        "ALL_DONE",
        "=== PHASE 1 COMPLETE ===",
        "[NEED_HUMAN: x]",
        "[NEED_HUMAN",
        "```",
        "~~~~",
        "`",
        "``",
        "- ",
        "  - item",
        "* ",
        "> ",
        "│ ",
        "'",
        "\"",
        "[",
        "]",
        "{",
        ",",
        ":",
        "：",
        "|",
        "=",
        "a=b",
        "a=b:",
        "+",
        "-",
        "**",
        "\u{1b}[31m",
        "\u{9b}2K",
        "\u{7f}",
        "\u{85}",
        "\u{3000}",
        "\u{200d}",
        "\\",
        "other",
        "T1.3",
        "2026-01-21T10:00:00Z",
        "WORKTREE:x",
        "META:{}",
        "META:[",
        "#",
        "%",
        "예",
    ];
    prop_oneof![
        3 => vec(select(PIECES), 0..6).prop_map(|pieces| pieces.concat()),
        1 => "[a-z]{1,8}",
        1 => any::<String>(),
    ]
    .prop_filter("a session's own key is removed from free text", |text| {
        !text.contains(KEY) || text.contains("[/ERROR")
    })
    .boxed()
}

/// Ordinary text on one line. The first and last words are plain, the others have special characters.
pub(crate) fn ordinary_line() -> BoxedStrategy<String> {
    const FIRST: &[&str] = &["Which", "로그인", "please", "x", "2", "(see", "Ändern", "データ"];
    const MIDDLE: &[&str] = &[
        "don't",
        "방식은?",
        "docs/a.md)",
        "a=b",
        "50%",
        "T1.3",
        "–",
        "🙂",
        "note:",
        "https://x.y/z?q=1#f",
        "\"quoted\"",
        "'single'",
        "[1]",
        "C++",
        "`code`",
        "foo_bar",
        "a,b;c",
        "<b>",
        "{}",
        "*",
        "#3",
        "DONE",
        "[ASK_USER]",
        "\\n",
        "|",
        "…",
    ];
    const LAST: &[&str] = &["end", "끝", "done.", "why?", "it!", "(ok)", "\"x\"", "42"];
    (select(FIRST), vec(select(MIDDLE), 0..5), select(LAST))
        .prop_map(|(first, middle, last)| [&[first], middle.as_slice(), &[last]].concat().join(" "))
        .boxed()
}

/// Several lines without a blank one.
pub(crate) fn ordinary_paragraph() -> BoxedStrategy<String> {
    (ordinary_line(), vec(ordinary_line(), 0..3))
        .prop_map(|(first, more)| [vec![first], more].concat().join("\n"))
        .boxed()
}

/// A text with paragraphs, lists, indentation and code.
pub(crate) fn ordinary_text() -> BoxedStrategy<String> {
    let part = prop_oneof![
        4 => ordinary_line(),
        1 => Just(String::new()),
        1 => ordinary_line().prop_map(|line| format!("- {line}")),
        1 => ordinary_line().prop_map(|line| format!("    {line}")),
        1 => Just("```sh\ncargo test\n\n[ASK_USER]\n```".to_owned()),
        1 => Just("# Title".to_owned()),
        1 => Just("| a | b |".to_owned()),
    ];
    (ordinary_line(), vec(part, 0..5), ordinary_line())
        .prop_map(|(first, parts, last)| [vec![first], parts, vec![last]].concat().join("\n"))
        .boxed()
}
