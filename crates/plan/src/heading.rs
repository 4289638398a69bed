//! Parser for headings of tasks and phases.

use std::ops::Range;

use domain::PhaseNumber;

use crate::{
    dependencies::IdReference,
    text::{is_checked, parse_checkbox, span_of_slice},
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

/// A task heading: `### T1.3: title`.
#[derive(Debug)]
pub(crate) struct TaskHeading<'a> {
    pub(crate) id: &'a str,
    /// The phase of `P1-T1.3`.
    pub(crate) phase: Option<PhaseNumber>,
    pub(crate) id_span: Range<usize>,
    /// A check box before the id: whether it is checked, and the span of its mark.
    pub(crate) checkbox: Option<(bool, Range<usize>)>,
    pub(crate) title: &'a str,
}

pub(crate) fn parse_task_heading<'a>(heading: &Heading<'a>) -> Option<TaskHeading<'a>> {
    let mut rest = strip_bold(heading.text);
    let mut at = span_of_slice(heading.text, rest, heading.start).start;
    let mut check = None;
    if let Some((mark, span, after)) = parse_checkbox(rest) {
        check = Some((is_checked(mark), at + span.start..at + span.end));
        let trimmed = after.trim_start();
        at += rest.len() - trimmed.len();
        rest = trimmed;
    }
    let (reference, length) =
        IdReference::parse_prefix(rest).filter(|(reference, _)| reference.is_valid_id())?;
    let id_span = at..at + length;
    let after = &rest[length..];
    let title = match after.chars().next() {
        Some(colon @ (':' | '：')) => &after[colon.len_utf8()..],
        // Many headings begin with a number; only a colon makes it an id.
        _ if !reference.has_letter_prefix() => return None,
        None => after,
        Some(space) if space.is_whitespace() => {
            let content = after.trim_start();
            content
                .strip_prefix([':', '-', '–', '—'])
                .filter(|content| content.starts_with(' '))
                .unwrap_or(content)
        }
        Some('.') if after[1..].starts_with(' ') => &after[1..],
        Some(_) => return None,
    };
    Some(TaskHeading {
        id: &rest[length - reference.id.len()..length],
        phase: reference.phase,
        id_span,
        checkbox: check,
        title: title.trim(),
    })
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
    /// `Phase N`, as in templates.
    Letter,
}

/// Parses a heading, or the value of a key or column, as a phase.
pub(crate) fn parse_phase_heading(content: &str) -> Option<PhaseHeading<'_>> {
    let content = strip_bold(content).trim_start_matches(|c: char| !c.is_alphanumeric());
    let after_word =
        strip_word(content, "phase").or_else(|| content.strip_prefix("단계").map(str::trim_start));
    if let Some(rest) = after_word {
        if let Some(rest) = rest.strip_prefix('N') {
            return Some(PhaseHeading { number: PhaseHeadingNumber::Letter, name: name_after_number(rest)? });
        }
        return parse_numbered_phase(rest);
    }
    if let Some(rest) = content.strip_prefix('M') {
        return parse_numbered_phase(rest);
    }
    let n_digits = content.bytes().take_while(u8::is_ascii_digit).count();
    let rest = content[n_digits..].trim_start().strip_prefix("단계")?;
    Some(PhaseHeading {
        number: PhaseHeadingNumber::Whole(content[..n_digits].parse().ok()?),
        name: name_after_number(rest)?,
    })
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
    (head.eq_ignore_ascii_case(word) && rest.starts_with(char::is_whitespace)).then(|| rest.trim_start())
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
        parse_task_heading(&heading).map(|found| (found.id.to_string(), found.title.to_owned()))
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
        assert_eq!(parse_id_and_title("### 1.2: a"), Some(("1.2".to_owned(), "a".to_owned())));
        assert_eq!(parse_id_and_title("### T1"), Some(("T1".to_owned(), String::new())));
    }

    #[test]
    fn other_headings_are_not_tasks() {
        for heading in
            ["## 1. Introduction", "### 1.2 Scope", "## T1-T3 in parallel", "## T1a: x", "## Title", "#"]
        {
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
