//! The grammar of a dependency list: `T1, T3-T5 and Epic 3`.
//!
//! Says what a list mentions and where. Whether a mentioned id is one of the plan's is `resolve`'s question.

use std::{borrow::Cow, ops::Range};

use crate::text::{is_none, span_in, unquote_code, without_bullet};

mod name;
mod reference;

pub(crate) use name::write_name;
pub(crate) use reference::Reference;

use name::{quoted_length, unquote_name};

/// One dependency of a list.
#[derive(Debug, Clone)]
pub(crate) struct Mention<'a> {
    /// The part of the list that it is in, as a name: that is what it means where it has no ids.
    pub(crate) name: Cow<'a, str>,
    /// The id, or all ids from one to another; several of them can share a part.
    pub(crate) ids: Option<Ids<'a>>,
    /// Where it is.
    pub(crate) span: Range<usize>,
}

/// An id, or all ids from one to another.
#[derive(Debug, Clone)]
pub(crate) struct Ids<'a> {
    pub(crate) from: Reference<'a>,
    pub(crate) to: Option<Reference<'a>>,
}

/// Takes a dependency list apart, given where it begins.
pub(crate) fn parse(list: &str, base: usize) -> Vec<Mention<'_>> {
    // Most lists name one task, and a plan has thousands of lists.
    let mut mentions = Vec::with_capacity(1);
    for line in list.lines() {
        let mut rest = without_bullet(line.trim()).trim_end_matches('.');
        while !rest.is_empty() {
            let (part, next) = split_part(rest);
            push_part(part.trim(), list, base, &mut mentions);
            rest = next.trim_start();
        }
    }
    mentions
}

fn push_part<'a>(part: &'a str, list: &'a str, base: usize, to: &mut Vec<Mention<'a>>) {
    let span = span_in(list, part, base);
    if let Some(name) = unquote_name(part) {
        to.push(Mention { name: Cow::Owned(name), ids: None, span });
        return;
    }
    if is_none(part) {
        return;
    }
    let name = unquote_code(part).unwrap_or(part);
    let n_before = to.len();
    if push_ids(part, name, span.start, to).is_none() {
        to.truncate(n_before);
        to.push(Mention { name: Cow::Borrowed(name), ids: None, span });
    }
}

/// Splits a list after its first part.
fn split_part(list: &str) -> (&str, &str) {
    let mut from = 0;
    if list.starts_with('"') {
        from = quoted_length(list).unwrap_or(0);
    }
    let mut before = list[..from].chars().next_back();
    for (at, character) in list[from..].char_indices() {
        let at = from + at;
        let width = separator(character, before, &list[at..]);
        if width > 0 {
            return (&list[..at], &list[at + width..]);
        }
        before = Some(character);
    }
    (list, "")
}

/// Returns the length of the separator that begins here, or 0.
fn separator(character: char, before: Option<char>, rest: &str) -> usize {
    let is_edge = |neighbour: Option<char>| neighbour.is_none_or(char::is_whitespace);
    match character {
        ',' | '，' | '、' => character.len_utf8(),
        // `T1및 T2` is written too, but inside a Korean word the syllable is no separator.
        '및' => {
            let is_free =
                |neighbour: Option<char>| neighbour.is_none_or(|c| c.is_whitespace() || c.is_ascii());
            if is_free(before) && is_free(rest.chars().nth(1)) { character.len_utf8() } else { 0 }
        }
        'a' | 'A' => {
            let is_word = rest.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("and"));
            if is_word && is_edge(before) && is_edge(rest.chars().nth(3)) { 3 } else { 0 }
        }
        _ => 0,
    }
}

/// Reads a part that holds ids and ranges and nothing else.
fn push_ids<'a>(part: &'a str, name: &'a str, base: usize, mentions: &mut Vec<Mention<'a>>) -> Option<()> {
    let mut at = skip_decoration(part, 0);
    while at < part.len() {
        let start = at;
        let (from, length) = linked(&part[at..]).or_else(|| Reference::prefix(&part[at..]))?;
        at += length;
        let after_id = skip_decoration(part, at);
        let n_dash = range_sign(&part[after_id..]);
        let mut to = None;
        if n_dash > 0 {
            let second = skip_decoration(part, after_id + n_dash);
            let (reference, length) = Reference::prefix(&part[second..])?;
            to = Some(reference);
            at = second + length;
        }
        let span = base + start..base + at;
        mentions.push(Mention { name: Cow::Borrowed(name), ids: Some(Ids { from, to }), span });
        let next = skip_decoration(part, at);
        if next == at && next < part.len() {
            return None;
        }
        at = next;
    }
    Some(())
}

/// Reads an id that is a link: `[T1](#t1-setup)`.
fn linked(text: &str) -> Option<(Reference<'_>, usize)> {
    let inside = text.strip_prefix('[')?;
    let (reference, length) = Reference::prefix(inside)?;
    let target = inside[length..].strip_prefix("](")?;
    Some((reference, 1 + length + 2 + target.find(')')? + 1))
}

fn skip_decoration(text: &str, from: usize) -> usize {
    let rest = text[from..].trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '*' | '_'));
    text.len() - rest.len()
}

fn range_sign(text: &str) -> usize {
    ["...", "..", "…", "-", "~", "–", "—", "～", "〜"]
        .iter()
        .find(|sign| text.starts_with(**sign))
        .map_or(0, |sign| sign.len())
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn check(list: &str, expected: &[&str]) {
        let show = |mention: &super::Mention<'_>| match &mention.ids {
            None => format!("<{}>", mention.name),
            Some(super::Ids { from, to: Some(to) }) => format!("{}..{}", from.id, to.id),
            Some(super::Ids { from, to: None }) => from.id.to_string(),
        };
        let found: Vec<String> = parse(list, 0).iter().map(show).collect();
        assert_eq!(found, expected, "{list}");
    }

    #[test]
    fn a_list_is_parts_between_commas_and_words() {
        check("T1, T2", &["T1", "T2"]);
        check("T1 and T2 및 T3", &["T1", "T2", "T3"]);
        check("T1및 T2", &["T1", "T2"]);
        check("T4, Epic 3", &["T4", "<Epic 3>"]);
        check("- T1\n- T2\n", &["T1", "T2"]);
        check("**T1**, `T2`, [T3](#t3)", &["T1", "T2", "T3"]);
        check("T1, T2.", &["T1", "T2"]);
    }

    #[test]
    fn a_part_of_ids_alone_may_separate_them_by_spaces() {
        check("T1 T2 P3-T4.1", &["T1", "T2", "T4.1"]);
        check("T1 T2 done", &["<T1 T2 done>"]);
        check("T1a", &["<T1a>"]);
        check("3rd party", &["<3rd party>"]);
    }

    #[test]
    fn a_range_is_written_in_many_ways() {
        for list in ["T7-T11", "T7 - T11", "T7~T11", "T7–T11", "T7..T11", "`T7` – `T11`"] {
            check(list, &["T7..T11"]);
        }
        check("1.1-1.3", &["1.1..1.3"]);
        check("P1-T1.1-P1-T1.3", &["T1.1..T1.3"]);
        check("T1-", &["<T1->"]);
    }

    #[test]
    fn nothing_is_written_in_many_ways() {
        for list in ["", "-", "none", "None", "없음", " – ", "N/A", ",", "."] {
            check(list, &[]);
        }
    }

    #[test]
    fn a_quoted_part_is_one_name() {
        check(r#""Research and Development", T1"#, &["<Research and Development>", "T1"]);
        check(r#""T1""#, &["<T1>"]);
        check(r#""T1"#, &["<\"T1>"]);
    }
}
