//! Parser for dependency lists: `T1, T3-T5 and Epic 3`.
//!
//! Reports what a list mentions and where; `resolve` decides whether a mentioned id exists in the plan.

use std::{borrow::Cow, ops::Range};

use crate::text::{means_none, span_of_slice, strip_bullet, trim, unquote_code};

mod id_reference;
mod quoted_name;

pub(crate) use id_reference::IdReference;
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
}

/// Parses a list that starts at byte `base` of the file, and appends its mentions.
pub(crate) fn parse_list<'a>(list: &'a str, base: usize, to: &mut Vec<DependencyMention<'a>>) {
    for line in list.lines() {
        let mut rest = strip_bullet(trim(line)).trim_end_matches('.');
        while !rest.is_empty() {
            let (part, next) = split_first_part(rest);
            parse_list_part(trim(part), list, base, to);
            rest = next.trim_start();
        }
    }
}

fn parse_list_part<'a>(part: &'a str, list: &'a str, base: usize, to: &mut Vec<DependencyMention<'a>>) {
    let span = span_of_slice(list, part, base);
    if let Some(name) = unquote_name(part) {
        to.push(DependencyMention { target: MentionTarget::Name(Cow::Owned(name)), span });
        return;
    }
    if means_none(part) {
        return;
    }
    let n_before = to.len();
    if push_id_mentions(part, span.start, to).is_none() {
        to.truncate(n_before);
        let name = unquote_code(part).unwrap_or(part);
        to.push(DependencyMention { target: MentionTarget::Name(Cow::Borrowed(name)), span });
    }
}

fn split_first_part(list: &str) -> (&str, &str) {
    let from = if list.starts_with('"') { quoted_length(list).unwrap_or(0) } else { 0 };
    let bytes = list.as_bytes();
    for (at, &byte) in bytes.iter().enumerate().skip(from) {
        // Every separator starts with one of these bytes.
        if matches!(byte, b',' | b'a' | b'A' | 0xE3 | 0xEB | 0xEF) {
            let width = separator_length(list, at);
            if width > 0 {
                return (&list[..at], &list[at + width..]);
            }
        }
    }
    (list, "")
}

/// Returns the byte length of the separator at `at`, or 0 if there is none.
fn separator_length(list: &str, at: usize) -> usize {
    let (before, rest) = list.split_at(at);
    let before = before.chars().next_back();
    let is_edge = |neighbour: Option<char>| neighbour.is_none_or(char::is_whitespace);
    match rest.chars().next() {
        Some(comma @ (',' | '，' | '、')) => comma.len_utf8(),
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

/// Parses a part that consists only of ids and ranges; returns `None` otherwise.
fn push_id_mentions<'a>(part: &'a str, base: usize, mentions: &mut Vec<DependencyMention<'a>>) -> Option<()> {
    let mut at = skip_decoration(part, 0);
    while at < part.len() {
        let start = at;
        let (from, length) =
            parse_linked_id(&part[at..]).or_else(|| IdReference::parse_prefix(&part[at..]))?;
        at += length;
        let after_id = skip_decoration(part, at);
        let n_dash = range_sign_length(&part[after_id..]);
        let mut to = None;
        if n_dash > 0 {
            let second = skip_decoration(part, after_id + n_dash);
            let (reference, length) = IdReference::parse_prefix(&part[second..])?;
            to = Some(Box::new(reference));
            at = second + length;
        }
        let span = base + start..base + at;
        mentions.push(DependencyMention {
            target: MentionTarget::Ids(IdOrRange { first: from, last: to }),
            span,
        });
        let next = skip_decoration(part, at);
        if next == at && next < part.len() {
            return None;
        }
        at = next;
    }
    Some(())
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
            MentionTarget::Ids(IdOrRange { first: from, last: Some(to) }) => {
                format!("{}..{}", from.id, to.id)
            }
            MentionTarget::Ids(IdOrRange { first: from, last: None }) => from.id.to_string(),
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
        assert_mentions("T1 T2 done", &["<T1 T2 done>"]);
        assert_mentions("T1a", &["<T1a>"]);
        assert_mentions("3rd party", &["<3rd party>"]);
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
