//! Parser for dependency lists: `T1, T3-T5 and Epic 3`.
//!
//! Reports what a list mentions and where; `resolve` decides whether a mentioned id exists in the plan.

use std::{borrow::Cow, ops::Range};

use crate::text::{means_none, span_of_slice, strip_bullet, trim, unquote_code};

mod id_reference;
mod quoted_name;

pub(crate) use id_reference::{IdReference, IdShape, is_requirement_id};
pub(crate) use quoted_name::quote_name_if_needed;

use quoted_name::{quoted_length, unquote_name};

/// One dependency as written in a list.
#[derive(Debug, Clone)]
pub(crate) struct DependencyMention<'a> {
    pub(crate) target: MentionTarget<'a>,
    pub(crate) span: Range<usize>,
}

#[derive(Debug, Clone)]
pub(crate) enum MentionTarget<'a> {
    /// Something outside the plan.
    Name(Cow<'a, str>),
    /// One or more tasks of the plan.
    Ids(IdOrRange<'a>),
}

/// A single id, or all ids from `first` to `last`.
#[derive(Debug, Clone)]
pub(crate) struct IdOrRange<'a> {
    pub(crate) first: IdReference<'a>,
    /// Boxed because ranges are rare.
    pub(crate) last: Option<Box<IdReference<'a>>>,
    /// The whole part, if it has other words too: `T1.1 must be done`.
    pub(crate) part: Option<&'a str>,
}

/// Parses a list that starts at byte `base` of the file, and appends its mentions.
pub(crate) fn parse_list<'a>(list: &'a str, base: usize, to: &mut Vec<DependencyMention<'a>>) {
    // Most lists are one line, and many are empty.
    if means_none(list) {
        return;
    }
    for (at, line) in list.lines().enumerate() {
        let line = trim(line);
        // Behind the first line, which is that of the key, a number may be one of a list.
        let line = if at > 0 { strip_list_number(line) } else { line };
        let mut rest = strip_brackets(strip_bullet(line).trim_end_matches('.'));
        while !rest.is_empty() {
            let (part, next) = split_first_part(rest);
            parse_list_part(trim(part), list, base, to);
            rest = next.trim_start();
        }
    }
}

/// Removes the number of `1. T1.2`.
fn strip_list_number(line: &str) -> &str {
    let after = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = after.strip_prefix(". ").or_else(|| after.strip_prefix(") "));
    rest.filter(|rest| after.len() < line.len() && !rest.trim().is_empty()).map_or(line, str::trim_start)
}

/// Removes the brackets of `[T1, T2]`, which is not a link.
fn strip_brackets(list: &str) -> &str {
    let inside = list.strip_prefix('[').and_then(|list| list.strip_suffix(']'));
    inside.filter(|inside| memchr::memchr2(b'[', b']', inside.as_bytes()).is_none()).map_or(list, str::trim)
}

fn parse_list_part<'a>(part: &'a str, list: &'a str, base: usize, to: &mut Vec<DependencyMention<'a>>) {
    let span = span_of_slice(list, part, base);
    if let Some(name) = unquote_name(part) {
        to.push(DependencyMention { target: MentionTarget::Name(Cow::Owned(name)), span });
        return;
    }
    if means_none(part) || starts_with_none(part) {
        return;
    }
    let n_before = to.len();
    if !push_id_mentions(part, span.start, to) {
        to.truncate(n_before);
        let name = unquote_code(part).unwrap_or(part);
        to.push(DependencyMention { target: MentionTarget::Name(Cow::Borrowed(name)), span });
    }
}

/// Tells whether a part says that there is no dependency, with a comment: `없음 (T2와 병렬 가능)`, `None - starts at once`.
fn starts_with_none(part: &str) -> bool {
    let end = part.find([' ', '(', '（', '.', ';', ':', '/']).unwrap_or(part.len());
    let (word, rest) = part.split_at(end);
    let rest = rest.trim_start();
    let is_comment = rest.starts_with(|first: char| !first.is_alphanumeric());
    is_comment && means_none(word) && word.chars().any(char::is_alphanumeric)
}

fn split_first_part(list: &str) -> (&str, &str) {
    let from = if list.starts_with('"') { quoted_length(list).unwrap_or(0) } else { 0 };
    let bytes = list.as_bytes();
    let mut at = from;
    let mut closes = true;
    while let Some(&byte) = bytes.get(at) {
        // Every separator starts with one of these bytes.
        if matches!(byte, b',' | b';' | b'a' | b'A' | 0xE3 | 0xEB | 0xEF) {
            let width = separator_length(list, at);
            if width > 0 {
                return (&list[..at], &list[at + width..]);
            }
        } else if byte == b'(' && closes {
            // A comment in brackets is not split.
            match memchr::memchr(b')', &bytes[at..]) {
                Some(end) => at += end,
                None => closes = false,
            }
        }
        at += 1;
    }
    (list, "")
}

/// Returns the byte length of the separator at `at`, or 0 if there is none.
fn separator_length(list: &str, at: usize) -> usize {
    let (before, rest) = list.split_at(at);
    let before = before.chars().next_back();
    let is_edge = |neighbour: Option<char>| neighbour.is_none_or(char::is_whitespace);
    match rest.chars().next() {
        Some(comma @ (',' | ';' | '，' | '、')) => comma.len_utf8(),
        // `T1및 T2` is common, but inside a Korean word the syllable does not separate.
        Some('및') => {
            let is_free =
                |neighbour: Option<char>| neighbour.is_none_or(|c| c.is_whitespace() || c.is_ascii());
            if is_free(before) && is_free(rest.chars().nth(1)) { '및'.len_utf8() } else { 0 }
        }
        Some('a' | 'A') => {
            let is_word = rest.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("and"));
            if is_word && is_edge(before) && is_edge(rest.chars().nth(3)) { 3 } else { 0 }
        }
        _ => 0,
    }
}

/// Parses a part that begins with ids or ranges; returns false if it does not.
///
/// Other words may follow: `T0.1 완료 필요`, `T1.1 (the API)`. Ids among them count if they have a letter and are not in
/// brackets.
fn push_id_mentions<'a>(part: &'a str, base: usize, mentions: &mut Vec<DependencyMention<'a>>) -> bool {
    let n_before = mentions.len();
    let mut at = skip_noun(part, skip_decoration(part, 0));
    let mut ids_end = at;
    while let Some((mention, end)) = parse_id_or_range(part, at, base) {
        mentions.push(mention);
        ids_end = end;
        at = skip_id_separator(part, skip_decoration(part, end));
    }
    if mentions.len() == n_before {
        return false;
    }
    let words = &part[skip_decoration(part, ids_end)..];
    if words.is_empty() {
        return true;
    }
    push_ids_among_words(words, base + part.len() - words.len(), mentions);
    for mention in &mut mentions[n_before..] {
        if let MentionTarget::Ids(ids) = &mut mention.target {
            ids.part = Some(part);
        }
    }
    true
}

/// Skips the sign of `T1/T2` or `T1 + T2`.
fn skip_id_separator(part: &str, at: usize) -> usize {
    let is_sign = matches!(part.as_bytes().get(at), Some(b'/' | b'+' | b'&'));
    let next = skip_decoration(part, at + usize::from(is_sign));
    // Before other words, the sign is one of them.
    if is_sign && IdReference::parse_prefix(&part[next..]).is_some() { next } else { at }
}

/// Parses an id or a range at a position; returns its end too. The text must not continue the id.
fn parse_id_or_range(part: &str, at: usize, base: usize) -> Option<(DependencyMention<'_>, usize)> {
    let (first, length) = parse_linked_id(&part[at..]).or_else(|| IdReference::parse_prefix(&part[at..]))?;
    let mut end = at + length;
    let after_id = skip_decoration(part, end);
    let n_dash = range_sign_length(&part[after_id..]);
    let mut last = None;
    if n_dash > 0 {
        let second = skip_decoration(part, after_id + n_dash);
        if let Some((reference, length)) = IdReference::parse_prefix(&part[second..]) {
            last = Some(Box::new(reference));
            end = second + length;
        }
    }
    let continues = |next: char| next.is_ascii_alphanumeric() || matches!(next, '-' | '%' | '@' | '$');
    if part[end..].starts_with(continues) {
        return None;
    }
    let target = MentionTarget::Ids(IdOrRange { first, last, part: None });
    Some((DependencyMention { target, span: base + at..base + end }, end))
}

/// Appends the ids with a letter among words, except in brackets.
pub(crate) fn push_ids_among_words<'a>(words: &'a str, base: usize, to: &mut Vec<DependencyMention<'a>>) {
    let bytes = words.as_bytes();
    let mut at = 0;
    let mut closes = true;
    while let Some(&byte) = bytes.get(at) {
        let is_word_start = at == 0
            || !matches!(bytes[at - 1], b'.' | b'-' | b'_' | b'/' | b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9');
        if byte == b'(' && closes {
            match memchr::memchr(b')', &bytes[at..]) {
                Some(end) => at += end,
                None => closes = false,
            }
        } else if byte.is_ascii_uppercase()
            && is_word_start
            && let Some((mention, end)) = parse_id_or_range(words, at, base)
            && is_certain_id(&mention)
        {
            to.push(mention);
            at = end;
            continue;
        }
        at += 1;
    }
}

/// Tells whether an id in the middle of words must be one: `T1` and `ST-001`, but not `S3`.
fn is_certain_id(mention: &DependencyMention<'_>) -> bool {
    match &mention.target {
        MentionTarget::Ids(ids) => matches!(ids.first.shape(), IdShape::Letter | IdShape::Compound),
        MentionTarget::Name(_) => false,
    }
}

/// Skips a noun before ids: `Task 1.1`, `태스크 T1`.
fn skip_noun(part: &str, at: usize) -> usize {
    let rest = &part[at..];
    let nouns = ["tasks", "task", "태스크", "작업"];
    let is_noun = |noun: &&&str| {
        rest.get(..noun.len()).is_some_and(|head| head.eq_ignore_ascii_case(noun))
            && rest[noun.len()..].starts_with([' ', '#'])
    };
    match nouns.iter().find(is_noun) {
        Some(noun) => rest.len() - rest[noun.len()..].trim_start_matches([' ', '#']).len() + at,
        None => at,
    }
}

/// Parses an id written as a link: `[T1](#t1-setup)`.
fn parse_linked_id(text: &str) -> Option<(IdReference<'_>, usize)> {
    let inside = text.strip_prefix('[')?;
    let (reference, length) = IdReference::parse_prefix(inside)?;
    let target = inside[length..].strip_prefix("](")?;
    Some((reference, 1 + length + 2 + target.find(')')? + 1))
}

fn skip_decoration(text: &str, from: usize) -> usize {
    let mut at = from;
    while let Some(b' ' | b'\t' | b'`' | b'*' | b'_') = text.as_bytes().get(at) {
        at += 1;
    }
    match text[at..].chars().next() {
        Some(space) if space.is_whitespace() => skip_decoration(text, at + space.len_utf8()),
        _ => at,
    }
}

fn range_sign_length(text: &str) -> usize {
    let Some(b'.' | b'-' | b'~' | 0xE2 | 0xE3 | 0xEF) = text.as_bytes().first() else { return 0 };
    ["...", "..", "…", "-", "~", "–", "—", "～", "〜"]
        .iter()
        .find(|sign| text.starts_with(**sign))
        .map_or(0, |sign| sign.len())
}

#[cfg(test)]
mod tests {
    use super::{DependencyMention, IdOrRange, MentionTarget, parse_list};

    fn assert_mentions(list: &str, expected: &[&str]) {
        let show = |mention: &DependencyMention<'_>| match &mention.target {
            MentionTarget::Name(name) => format!("<{name}>"),
            MentionTarget::Ids(IdOrRange { first: from, last: Some(to), .. }) => {
                format!("{}..{}", from.id, to.id)
            }
            MentionTarget::Ids(IdOrRange { first: from, last: None, .. }) => from.id.to_string(),
        };
        let mut mentions = Vec::new();
        parse_list(list, 0, &mut mentions);
        let found: Vec<String> = mentions.iter().map(show).collect();
        assert_eq!(found, expected, "{list}");
    }

    #[test]
    fn a_list_is_split_at_commas_and_conjunctions() {
        assert_mentions("T1, T2", &["T1", "T2"]);
        assert_mentions("T1 and T2 및 T3", &["T1", "T2", "T3"]);
        assert_mentions("T1및 T2", &["T1", "T2"]);
        assert_mentions("T4, Epic 3", &["T4", "<Epic 3>"]);
        assert_mentions("- T1\n- T2\n", &["T1", "T2"]);
        assert_mentions("**T1**, `T2`, [T3](#t3)", &["T1", "T2", "T3"]);
        assert_mentions("T1, T2.", &["T1", "T2"]);
    }

    #[test]
    fn ids_may_be_separated_by_spaces() {
        assert_mentions("T1 T2 P3-T4.1", &["T1", "T2", "T4.1"]);
        assert_mentions("T1 T2 done", &["T1", "T2"]);
        assert_mentions("T1a", &["T1a"]);
        assert_mentions("T1/T2, T3 + T4 & T5", &["T1", "T2", "T3", "T4", "T5"]);
        assert_mentions("T1 + staging", &["T1"]);
        assert_mentions("FE/T1, P5/T1.1 and web/T2", &["FE/T1", "P5/T1.1", "web/T2"]);
        assert_mentions("FE/T1-FE/T3", &["FE/T1..FE/T3"]);
        assert_mentions("src/T1.rs", &["<src/T1.rs>"]);
        assert_mentions("T1abc", &["<T1abc>"]);
        assert_mentions("3rd party", &["<3rd party>"]);
    }

    #[test]
    fn words_around_an_id_do_not_make_it_a_name() {
        assert_mentions("T0.1 완료 필요", &["T0.1"]);
        assert_mentions("T1.1 (인증 API, T9와 병렬), T1.2", &["T1.1", "T1.2"]);
        assert_mentions("T1.1 완료 후 T1.2도", &["T1.1", "T1.2"]);
        assert_mentions("T1.1과 T1.2", &["T1.1", "T1.2"]);
        assert_mentions("Task 1.1, tasks 1.2 and 1.3", &["1.1", "1.2", "1.3"]);
        assert_mentions("[P0-T0.1, P1-R1-T1]", &["T0.1", "P1-R1-T1"]);
        assert_mentions("[]", &[]);
        assert_mentions("없음 (T12.1과 병렬 가능)", &[]);
        assert_mentions("None - can start at once", &[]);
        assert_mentions("None of the above", &["<None of the above>"]);
    }

    #[test]
    fn ranges_accept_several_signs() {
        for list in ["T7-T11", "T7 - T11", "T7~T11", "T7–T11", "T7..T11", "`T7` – `T11`"] {
            assert_mentions(list, &["T7..T11"]);
        }
        assert_mentions("1.1-1.3", &["1.1..1.3"]);
        assert_mentions("P1-T1.1-P1-T1.3", &["T1.1..T1.3"]);
        assert_mentions("T1-", &["<T1->"]);
    }

    #[test]
    fn several_words_mean_no_dependency() {
        for list in ["", "-", "none", "None", "없음", " – ", "N/A", ",", "."] {
            assert_mentions(list, &[]);
        }
    }

    #[test]
    fn a_quoted_part_is_one_name() {
        assert_mentions(r#""Research and Development", T1"#, &["<Research and Development>", "T1"]);
        assert_mentions(r#""T1""#, &["<T1>"]);
        assert_mentions(r#""T1"#, &["<\"T1>"]);
    }
}
