//! Well-formed messages of every dialect, as agents print them: coloured, after a bullet, in a box.

use super::{
    Writer,
    lines::{fill_template, write_line},
    paint::Paint,
};

/// The lines of one message, with the same placeholders as other lines.
struct MessageTemplate {
    lines: &'static [&'static str],
    /// Whether its lines may be in a box; not if the first character of a line matters.
    boxable: bool,
}

const SHAPES: [MessageTemplate; 22] = [
    // Open tags, in both languages, with their closing tag.
    prefixable_template(&[
        "[ASK_USER]",
        "질문: {w} 방식은 어떤 것으로 할까요?",
        "타입: selection",
        "옵션: ['이메일', 'SSO', 'don't know']",
        "컨텍스트: {p} 의 로그인 기능",
        "[/ASK_USER]",
    ]),
    prefixable_template(&[
        "[INVOKE:PO]",
        "{w} 요구사항을 분석해 주세요.",
        "컨텍스트: 로그인 기능, {p}",
        "그리고 {w} 화면",
        "[/INVOKE]",
    ]),
    prefixable_template(&[
        "[DELIVER_RESULT:PO]",
        "타입: markdown",
        "내용: # 결과",
        "- {w}: {n}건",
        "- {w}: {n}건",
        "[/DELIVER_RESULT]",
    ]),
    prefixable_template(&[
        "[ASK_USER] Which {w} should the {w} use?",
        "options:",
        "- PostgreSQL",
        "- SQLite",
        "default: SQLite",
        "required: no",
        "[/ASK_USER]",
    ]),
    prefixable_template(&["[STEP_COMPLETE]", "The {w} is done, {n} tests pass.", "[/STEP_COMPLETE]"]),
    prefixable_template(&["[PROGRESS]", "progress: 0.4", "task: moving the {w} to {p}", "[/PROGRESS]"]),
    prefixable_template(&[
        "[DIRECT:backend-specialist]",
        "type: feedback",
        "content: the {w} of {p} still fails {n} tests",
        "[/DIRECT]",
    ]),
    // Blocks.
    prefixable_template(&[
        "[DEPENDENCY_REQUEST]",
        "type: api_key",
        "name: OPENAI_API_KEY",
        "description: needed for the {w} of the {w}",
        "required: true",
        "[/DEPENDENCY_REQUEST]",
    ]),
    prefixable_template(&[
        "[USER_QUESTION]",
        "category: choice",
        "question: Which {w} model fits the {w}?",
        "options:",
        "  - Subscription",
        "  - One-time",
        "default: Subscription",
        "required: true",
        "[/USER_QUESTION]",
    ]),
    prefixable_template(&[
        "[ERROR]",
        "type: recoverable",
        "message: Rate limit exceeded by the {w}",
        "details: {n} requests in a minute",
        "recovery: pause_and_retry",
        "[/ERROR]",
    ]),
    // The marker, ended by a line that is not one of its details.
    unprefixable_template(&[
        "=== PHASE 1 COMPLETE ===",
        "Phase: Planning",
        "Documents created:",
        "- docs/planning/{n}_{w}.md",
        "- docs/planning/{n}_{w}.md",
        "",
        "",
        "The {w} is next.",
    ]),
    // The orchestrator's question, in a sentence and over two lines.
    unprefixable_template(&["I can't decide this alone: [NEED_HUMAN: should the {w} [of {p}] be kept?]"]),
    unprefixable_template(&["[NEED_HUMAN: the {w} and the {w} differ,", "which of them is right?]"]),
    // Thin lines.
    unprefixable_template(&["RESOLVE_NEXT"]),
    unprefixable_template(&["RESOLVE_NEXT:PHASE:2:FORCE"]),
    unprefixable_template(&["READY:T1.3,T1.4|T2.1"]),
    unprefixable_template(&["PHASE_DONE:1"]),
    unprefixable_template(&[
        "TASK_ID:T1.{n}",
        "WORKTREE:worktrees/{w}",
        "META:{\"priority\":\"high\",\"timeout\":{n}}",
    ]),
    unprefixable_template(&["DONE:T1.{n}:tests={n}:files={n}"]),
    unprefixable_template(&["FAIL:T2.{n}:the {w} of the {w} can't be reached"]),
    unprefixable_template(&["ERROR:CIRCULAR_DEP:T1.3->T1.4->T1.3"]),
    unprefixable_template(&["CUSTOM:PRIORITY:T1.{n}"]),
];

const fn prefixable_template(lines: &'static [&'static str]) -> MessageTemplate {
    MessageTemplate { lines, boxable: true }
}

const fn unprefixable_template(lines: &'static [&'static str]) -> MessageTemplate {
    MessageTemplate { lines, boxable: false }
}

/// Writes the `n`th message of a corpus, and returns how many it wrote.
pub(super) fn write_message(writer: &mut Writer, n: usize) -> usize {
    let shape = &SHAPES[n % SHAPES.len()];
    let prefix = match writer.random.below(4) {
        0 if shape.boxable => "│ ",
        1 if shape.boxable => "> ",
        _ => "",
    };
    let is_coloured = writer.random.once_in(2);
    for (at, template) in shape.lines.iter().enumerate() {
        let text = format!("{prefix}{}", fill_template(writer, template));
        let paint = match at {
            0 if is_coloured => Paint::EveryWord,
            _ if is_coloured => Paint::Words,
            _ => Paint::Plain,
        };
        write_line(writer, text.trim_end(), paint);
    }
    1
}
