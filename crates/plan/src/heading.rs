//! Parser for headings of tasks and phases.

use std::{borrow::Cow, ops::Range};

use domain::PhaseNumber;

use crate::{
    dependencies::{IdReference, IdShape},
    draft::StatusMark,
    text::{is_checked, parse_checkbox, span_of_slice},
    values::{self, TaskStatus},
};

/// The text of a heading, without `#` marks or underline, and its offset.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heading<'a> {
    pub(crate) text: &'a str,
    pub(crate) start: usize,
}

impl<'a> Heading<'a> {
    /// Extracts the heading from the bytes it covers.
    pub(crate) fn new(text: &'a str, span: Range<usize>) -> Self {
        let whole = text.get(span).unwrap_or_default();
        let trimmed = whole.trim();
        let content = match trimmed.strip_prefix('#') {
            Some(rest) => strip_closing_hashes(rest.trim_start_matches('#').trim()),
            // Setext heading: the last line is the underline.
            None => trimmed.rsplit_once('\n').map_or(trimmed, |(content, _)| content.trim()),
        };
        Self { text: content, start: span_of_slice(text, content, 0).start }
    }
}

/// A task heading: `### T1.3: title`, `### [ ] Phase 0, T0.1: title`, `## Task 2: title`.
#[derive(Debug)]
pub(crate) struct TaskHeading<'a> {
    pub(crate) reference: IdReference<'a>,
    /// The phase of `Phase 0, T0.1`.
    pub(crate) phase: Option<PhaseNumber>,
    /// With the phase of `P1-T1.3`.
    pub(crate) id_span: Range<usize>,
    /// A check box, symbol or word that says whether the task is done.
    pub(crate) status: Option<(bool, StatusMark)>,
    pub(crate) title: &'a str,
    /// A noun precedes a number, as in `Task 2`.
    pub(crate) has_noun: bool,
    /// The id is the value of an `ID` line below the heading.
    pub(crate) has_id_line: bool,
}

impl<'a> TaskHeading<'a> {
    /// Reads a heading above an `ID` line, given that id and its span. The id may also be in the heading.
    pub(crate) fn with_id_line(heading: &Heading<'a>, id: &'a str, id_span: Range<usize>) -> Self {
        let with_same_id = parse_task_heading(heading).filter(|task| task.reference.id == id);
        let read = match with_same_id {
            Some(task) => Self { phase: task.phase.or(task.reference.phase), ..task },
            None => {
                let (status, title) = split_checkbox(heading.text, heading);
                // `to_tasks_md` writes this heading above the id.
                let title = if title == "Task" { "" } else { title };
                Self {
                    reference: IdReference { phase: None, id: Cow::Borrowed(id) },
                    phase: None,
                    id_span: id_span.clone(),
                    status,
                    title,
                    has_noun: false,
                    has_id_line: true,
                }
            }
        };
        let reference = IdReference { phase: None, id: Cow::Borrowed(id) };
        Self { reference, id_span, has_noun: false, has_id_line: true, ..read }
    }
}

/// Splits a check box from the beginning of a heading.
fn split_checkbox<'a>(text: &'a str, heading: &Heading<'a>) -> (Option<(bool, StatusMark)>, &'a str) {
    let Some((mark, span, after)) = parse_checkbox(text) else { return (None, text) };
    let at = span_of_slice(heading.text, text, heading.start).start;
    let mark = (is_checked(mark), StatusMark::Checkbox(at + span.start..at + span.end));
    (Some(mark), after.trim_start())
}

pub(crate) fn parse_task_heading<'a>(heading: &Heading<'a>) -> Option<TaskHeading<'a>> {
    let whole = heading.text;
    let span_of = |part: &str| span_of_slice(whole, part, heading.start);
    let (mut status, mut rest) = split_checkbox(strip_bold(whole), heading);
    while let Some((symbol, after)) = split_symbol(rest) {
        if let Some(is_done) = values::is_done_symbol(symbol) {
            status = status.or(Some((is_done, StatusMark::Symbol(span_of(symbol)))));
        }
        rest = after;
    }
    if status.is_none()
        && let Some((is_done, word, after)) = split_status_label(rest)
    {
        status = Some((is_done, StatusMark::Word(span_of(word))));
        rest = after;
    }
    let mut phase = None;
    let mut has_phase_prefix = false;
    if let Some((number, after)) = split_phase_prefix(rest) {
        phase = number;
        has_phase_prefix = true;
        rest = after;
    }
    let after_noun = strip_noun(rest);
    let has_noun = after_noun.is_some();
    rest = after_noun.unwrap_or(rest);
    let marks = ["**", "`", "["].into_iter().find(|mark| rest.starts_with(mark)).unwrap_or("");
    rest = &rest[marks.len()..];
    let (reference, length) =
        IdReference::parse_prefix(rest).filter(|(reference, _)| reference.is_valid_id())?;
    let id_span = span_of(&rest[..length]);
    let closing = if marks == "[" { "]" } else { marks };
    let after = rest[length..].strip_prefix(closing).unwrap_or(&rest[length..]);
    let title = title_after_id(after, reference.shape(), has_noun || has_phase_prefix || marks == "[")?;
    let title = title.strip_prefix(closing).filter(|_| !closing.is_empty()).unwrap_or(title);
    let (title, word) = split_status_at_end(title.trim());
    if let Some((is_done, part, is_symbol)) = word {
        let span = span_of(part);
        let mark = if is_symbol { StatusMark::Symbol(span) } else { StatusMark::Word(span) };
        status = status.or(Some((is_done, mark)));
    }
    Some(TaskHeading { reference, phase, id_span, status, title, has_noun, has_id_line: false })
}

/// Parses `1. Title`, which is a task only where the lines below say so.
pub(crate) fn parse_numbered_heading<'a>(heading: &Heading<'a>) -> Option<TaskHeading<'a>> {
    let (status, rest) = split_checkbox(strip_bold(heading.text), heading);
    let (reference, length) = IdReference::parse_prefix(rest)?;
    let title = rest[length..].strip_prefix(['.', ')']).filter(|title| title.starts_with(' '))?;
    if reference.shape() != IdShape::Number || !reference.is_valid_id() {
        return None;
    }
    let id_span = span_of_slice(heading.text, &rest[..length], heading.start);
    let title = title.trim();
    Some(TaskHeading { reference, phase: None, id_span, status, title, has_noun: false, has_id_line: false })
}

/// Returns the title behind an id, or `None` if the text continues the id or the id is not certain.
fn title_after_id(after: &str, shape: IdShape, is_introduced: bool) -> Option<&str> {
    let first = after.chars().next();
    if let Some(colon @ (':' | '：')) = first {
        return Some(&after[colon.len_utf8()..]);
    }
    // Many headings begin with a number; only a colon makes it an id.
    if !is_introduced && matches!(shape, IdShape::Number | IdShape::Short) {
        return None;
    }
    match first {
        None => Some(after),
        Some(space) if space.is_whitespace() => {
            let content = after.trim_start();
            let after_dash = content.strip_prefix([':', '-', '–', '—', '·', '|']);
            Some(after_dash.filter(|content| content.starts_with(' ')).unwrap_or(content))
        }
        Some('.' | ')') if after[1..].starts_with(' ') => Some(&after[1..]),
        Some('·' | '—' | '–') => Some(after.trim_start_matches(['·', '—', '–'])),
        Some(_) => None,
    }
}

/// Splits `[InProgress]` or `[완료]` from the beginning of a heading: whether it means done, the word, and the rest.
fn split_status_label(text: &str) -> Option<(bool, &str, &str)> {
    let (word, rest) = text.strip_prefix('[')?.split_once(']')?;
    let is_word = word.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '-' | '_'))
        && word.chars().count() > 1
        && rest.starts_with(' ');
    match values::parse_status(word).filter(|_| is_word)? {
        status @ (TaskStatus::Open | TaskStatus::Done) => {
            Some((status == TaskStatus::Done, word, rest.trim_start()))
        }
        TaskStatus::Deferred => None,
    }
}

/// Splits a symbol, such as an emoji, from the beginning of a text.
pub(crate) fn split_symbol(text: &str) -> Option<(&str, &str)> {
    let first = text.chars().next().filter(|&first| values::is_symbol(first))?;
    let length = first.len_utf8();
    let n_selector = if text[length..].starts_with('\u{fe0f}') { '\u{fe0f}'.len_utf8() } else { 0 };
    let (symbol, after) = text.split_at(length + n_selector);
    Some((symbol, after.trim_start()))
}

/// Splits `Phase 0, `, `Phase N+1, ` or `0단계 / ` from the beginning of a task heading.
fn split_phase_prefix(text: &str) -> Option<(Option<PhaseNumber>, &str)> {
    const SIGNS: [char; 7] = [',', '/', '·', '|', '-', '–', '—'];
    let (number, after) = match strip_word(text, "phase") {
        Some(rest) => {
            let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let after = &rest[n_digits..];
            let n_fraction = after.bytes().take_while(|byte| *byte == b'.' || byte.is_ascii_digit()).count();
            match rest.strip_prefix('N') {
                Some(after) => (None, after.trim_start_matches(|c: char| c == '+' || c.is_ascii_digit())),
                None => (Some(rest[..n_digits].parse().ok()?), &after[n_fraction..]),
            }
        }
        None => {
            let n_digits = text.bytes().take_while(u8::is_ascii_digit).count();
            (Some(text[..n_digits].parse().ok()?), text[n_digits..].trim_start().strip_prefix("단계")?)
        }
    };
    let rest = after.trim_start().strip_prefix(SIGNS)?.trim_start();
    let (reference, _) = IdReference::parse_prefix(strip_noun(rest).unwrap_or(rest))?;
    (reference.shape() != IdShape::Number || strip_noun(rest).is_some()).then_some((number, rest))
}

/// Removes the noun of `Task 2: title`.
fn strip_noun(text: &str) -> Option<&str> {
    let rest = strip_word(text, "task").or_else(|| {
        ["태스크", "작업"]
            .iter()
            .find_map(|noun| text.strip_prefix(noun))
            .filter(|rest| rest.starts_with(' '))
    })?;
    let rest = rest.trim_start().trim_start_matches('#');
    rest.starts_with(|first: char| first.is_ascii_digit() || first.is_ascii_uppercase()).then_some(rest)
}

/// Splits `✅`, `(완료)` or `[done]` from the end of a title: whether it means done, the part, whether it is a symbol.
pub(crate) fn split_status_at_end(title: &str) -> (&str, Option<(bool, &str, bool)>) {
    let without_selector = title.strip_suffix('\u{fe0f}').unwrap_or(title);
    if let Some(last) = without_selector.chars().next_back().filter(|last| !last.is_ascii()) {
        let at = without_selector.len() - last.len_utf8();
        if let Some(is_done) = values::is_done_symbol(&without_selector[at..]) {
            return (title[..at].trim_end(), Some((is_done, &title[at..], true)));
        }
    }
    let brackets = [('(', ')'), ('[', ']')].into_iter().find(|(_, close)| title.ends_with(*close));
    if let Some((open, _)) = brackets
        && let Some(at) = title.rfind(open)
    {
        let word = &title[at + 1..title.len() - 1];
        let status = values::parse_status(word).filter(|_| word.chars().any(char::is_alphanumeric));
        if let Some(status @ (TaskStatus::Open | TaskStatus::Done)) = status
            && word.len() > 1
            && at > 0
        {
            return (title[..at].trim_end(), Some((status == TaskStatus::Done, word, false)));
        }
    }
    (title, None)
}

/// A phase heading: `## Phase 2: Design`, `## 2단계: 설계`, `## M2 Design`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PhaseHeading<'a> {
    pub(crate) number: PhaseHeadingNumber,
    pub(crate) name: &'a str,
}

/// The number in a phase heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PhaseHeadingNumber {
    /// For example `Phase 2`.
    Whole(PhaseNumber),
    /// `Phase 3.1`; only the first number is kept.
    Dotted(PhaseNumber),
    /// Without a number: `Phase N`, `Phase A`, `Final Phase`. It follows the phase before it.
    Letter,
}

/// Parses a heading, or the value of a key or column, as a phase.
pub(crate) fn parse_phase_heading(content: &str) -> Option<PhaseHeading<'_>> {
    let content = strip_bold(content).trim_start_matches(|c: char| !c.is_alphanumeric());
    if let Some(rest) = strip_word(content, "final phase").or_else(|| strip_word(content, "last phase")) {
        return Some(PhaseHeading { number: PhaseHeadingNumber::Letter, name: name_after_number(rest)? });
    }
    let other_words = ["단계", "フェーズ", "阶段"];
    let after_word = strip_word(content, "phase")
        .or_else(|| other_words.iter().find_map(|word| content.strip_prefix(word)).map(str::trim_start));
    if let Some(rest) = after_word {
        let after_letter = rest.strip_prefix(|first: char| first.is_ascii_uppercase());
        if let Some(name) = after_letter.and_then(name_after_number) {
            return Some(PhaseHeading { number: PhaseHeadingNumber::Letter, name });
        }
        return parse_numbered_phase(rest);
    }
    if let Some(rest) = content.strip_prefix('M') {
        return parse_numbered_phase(rest);
    }
    if let Some(rest) = content.strip_prefix('P') {
        return parse_numbered_phase(rest).filter(|_| ends_short_phase(rest));
    }
    let n_digits = content.bytes().take_while(u8::is_ascii_digit).count();
    let rest = content[n_digits..].trim_start().strip_prefix("단계")?;
    Some(PhaseHeading {
        number: PhaseHeadingNumber::Whole(content[..n_digits].parse().ok()?),
        name: name_after_number(rest)?,
    })
}

/// Tells whether the number of `P1 — Name` ends like that of a phase: `P1-R1-T1` is an id, and `P1 bugs` a priority.
fn ends_short_phase(text: &str) -> bool {
    const SIGNS: [char; 5] = [':', '：', '-', '–', '—'];
    let after = text.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    after.is_empty()
        || after
            .strip_prefix(SIGNS)
            .is_some_and(|name| name.is_empty() || name.starts_with(char::is_whitespace))
}

/// Like [`parse_phase_heading`], but accepts a bare number, as in keys and columns.
pub(crate) fn parse_phase_value(value: &str) -> Option<PhaseHeading<'_>> {
    parse_numbered_phase(value.strip_prefix('P').unwrap_or(value)).or_else(|| parse_phase_heading(value))
}

fn parse_numbered_phase(text: &str) -> Option<PhaseHeading<'_>> {
    let n_digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = text[..n_digits].parse().ok()?;
    let rest = &text[n_digits..];
    let n_fraction = rest
        .strip_prefix('.')
        .map_or(0, |rest| rest.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count());
    if n_fraction > 0 {
        let number = PhaseHeadingNumber::Dotted(number);
        return Some(PhaseHeading { number, name: name_after_number(&rest[1 + n_fraction..])? });
    }
    Some(PhaseHeading { number: PhaseHeadingNumber::Whole(number), name: name_after_number(rest)? })
}

fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let head = text.get(..word.len())?;
    let rest = &text[word.len()..];
    let ends = rest.starts_with(|next: char| next.is_whitespace() || next == ':') || rest.is_empty();
    (head.eq_ignore_ascii_case(word) && ends).then(|| rest.trim_start())
}

/// Returns the name behind a number, or `None` if the text continues the number.
fn name_after_number(rest: &str) -> Option<&str> {
    const SIGNS: [char; 7] = [':', '：', '.', '-', '–', '—', ')'];
    let trimmed = rest.trim_start();
    match rest.chars().next() {
        None => Some(""),
        Some(first) if first.is_whitespace() || SIGNS.contains(&first) => {
            Some(trimmed.strip_prefix(SIGNS).unwrap_or(trimmed).trim())
        }
        Some(_) => None,
    }
}

/// Removes bold marks that enclose the whole heading.
fn strip_bold(content: &str) -> &str {
    let inside = content.strip_prefix("**").and_then(|content| content.strip_suffix("**"));
    inside.filter(|inside| !inside.contains("**")).map_or(content, str::trim)
}

/// Removes the closing `#` marks, which Markdown does not count as text.
fn strip_closing_hashes(content: &str) -> &str {
    let open = content.trim_end_matches('#');
    if open.is_empty() || open.ends_with([' ', '\t']) { open.trim_end() } else { content }
}

/// Resolves the backslash that protects `#` marks at the end of a heading.
pub(crate) fn unescape_heading(content: &str) -> String {
    match trailing_hashes_start(content) {
        Some(at) if content[at..].starts_with('\\') => format!("{}{}", &content[..at], &content[at + 1..]),
        _ => content.to_owned(),
    }
}

/// Escapes a text for use as a heading; [`unescape_heading`] reverses it.
pub(crate) fn escape_heading(content: &str) -> String {
    match trailing_hashes_start(content) {
        Some(at) => format!("{}\\{}", &content[..at], &content[at..]),
        None => content.to_owned(),
    }
}

/// Returns where a trailing word of `#` marks begins, including backslashes before it.
fn trailing_hashes_start(content: &str) -> Option<usize> {
    let without_signs = content.trim_end_matches('#');
    if without_signs.len() == content.len() {
        return None;
    }
    let open = without_signs.trim_end_matches('\\');
    (open.is_empty() || open.ends_with(char::is_whitespace)).then_some(open.len())
}

#[cfg(test)]
mod tests {
    use super::{
        Heading, PhaseHeading, PhaseHeadingNumber, escape_heading, parse_phase_heading, parse_phase_value,
        parse_task_heading, unescape_heading,
    };

    fn parse_id_and_title(heading: &str) -> Option<(String, String)> {
        let heading = Heading::new(heading, 0..heading.len());
        parse_task_heading(&heading).map(|found| (found.reference.id.to_string(), found.title.to_owned()))
    }

    #[test]
    fn an_id_and_a_title_make_a_heading_a_task() {
        for heading in [
            "### T1.3: a title",
            "# T1.3：a title ##",
            "## P1-T1.3: a title",
            "### [x] T1.3: a title",
            "### T1.3 - a title",
            "### T1.3 a title",
            "### T1.3. a title",
            "### **T1.3: a title**",
            "T1.3: a title\n---",
        ] {
            assert_eq!(
                parse_id_and_title(heading),
                Some(("T1.3".to_owned(), "a title".to_owned())),
                "{heading}"
            );
        }
        for (heading, id) in [
            ("### [ ] Phase 0, T0.1: 제목", "T0.1"),
            ("### [] Phase N+1, T3.1: 제목", "T3.1"),
            ("### [x] Phase 1, T1.1-BE: 제목", "T1.1-BE"),
            ("### ✅ T0.1: 제목", "T0.1"),
            ("### T0.1: 제목 ✅", "T0.1"),
            ("### T0.1: 제목 (완료)", "T0.1"),
            ("### [x] P1-R1-T1: 제목", "P1-R1-T1"),
            ("### P0-T0.4 · 제목", "T0.4"),
            ("### Task 1.1: 제목", "1.1"),
            ("### Task 8 - 제목", "8"),
            ("## ST-001 제목", "ST-001"),
            ("### **T0.1**: 제목", "T0.1"),
            ("### [T0.1] 제목", "T0.1"),
            ("### 1단계, T1.1: 제목", "T1.1"),
        ] {
            assert_eq!(parse_id_and_title(heading), Some((id.to_owned(), "제목".to_owned())), "{heading}");
        }
        assert_eq!(parse_id_and_title("### 1.2: a"), Some(("1.2".to_owned(), "a".to_owned())));
        assert_eq!(parse_id_and_title("### T1"), Some(("T1".to_owned(), String::new())));
    }

    #[test]
    fn other_headings_are_not_tasks() {
        for heading in [
            "## 1. Introduction",
            "### 1.2 Scope",
            "## T1-T3 in parallel",
            "## T1abc: x",
            "## Title",
            "#",
            "## Phase 1: T1 and T2",
            "## S3 buckets",
            "## Task Dependency Graph",
        ] {
            assert_eq!(parse_id_and_title(heading), None, "{heading}");
        }
    }

    #[test]
    fn phase_headings_accept_several_forms() {
        use PhaseHeadingNumber::{Dotted, Letter, Whole};
        for (content, number, name) in [
            ("Phase 2: Design", Whole(2), "Design"),
            ("PHASE 2 - Design", Whole(2), "Design"),
            ("🚀 Phase 2 Design", Whole(2), "Design"),
            ("2단계: 설계", Whole(2), "설계"),
            ("단계 2: 설계", Whole(2), "설계"),
            ("M2 Beta", Whole(2), "Beta"),
            ("M2", Whole(2), ""),
            ("Phase 3.1: Setup", Dotted(3), "Setup"),
            ("Phase N: Polish", Letter, "Polish"),
            ("Phase A: Setup", Letter, "Setup"),
            ("P1 — Setup", Whole(1), "Setup"),
            ("P12: Setup", Whole(12), "Setup"),
            ("P1 - Setup", Whole(1), "Setup"),
            ("P0", Whole(0), ""),
            ("Final Phase: Polish", Letter, "Polish"),
            ("フェーズ 2: 設計", Whole(2), "設計"),
            ("フェーズ2: 設計", Whole(2), "設計"),
        ] {
            assert_eq!(parse_phase_heading(content), Some(PhaseHeading { number, name }), "{content}");
        }
        for content in [
            "Phases",
            "Phase two",
            "Phase Dependencies",
            "M2M transport",
            "Models",
            "2 단어",
            "Phase 99999999999",
            "P1-R1-T1: Screen",
            "P1-T1.3: Screen",
            "P1 bugs",
            "P1.2: Screen",
            "P2P: Network",
            "Plan",
        ] {
            assert_eq!(parse_phase_heading(content), None, "{content}");
        }
        assert_eq!(parse_phase_value("2"), Some(PhaseHeading { number: Whole(2), name: "" }));
        assert_eq!(parse_phase_value("P2"), Some(PhaseHeading { number: Whole(2), name: "" }));
    }

    #[test]
    fn trailing_hashes_survive_escaping() {
        for content in ["C #", "#", "a ##", "C#", r"a \#", r"\\#", "plain"] {
            let heading = format!("## {}", escape_heading(content));
            assert_eq!(unescape_heading(Heading::new(&heading, 0..heading.len()).text), content, "{heading}");
        }
    }
}
