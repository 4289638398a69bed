//! Near misses: lines that resemble a message but are text.
//!
//! Reports only lines that can hardly be anything else: a build log full of `[error]` has none.

use domain::SessionKey;

use crate::{keyword_line::LineKeyword, need_human, tag::TagName};

/// Checks a line, from its bracket on, that is not a tag.
pub(crate) fn bracket_near_miss(rest: &str) -> Option<&'static str> {
    let inner = rest.strip_prefix('[')?.trim_start();
    if inner.starts_with('/') {
        return None;
    }
    let name = TagName::bracket_names().find(|name| begins_with_similar_name(inner, name))?;
    let after = inner.get(name.len()..).unwrap_or_default().trim_start();
    let is_upper_case = inner.starts_with(name);
    // Single words are common in other output: they must equal the tag in all but one respect.
    let is_near_miss = match name {
        "ERROR" => false,
        "INVOKE" | "DIRECT" => (after.starts_with(':') && after.contains(']')) || is_upper_case,
        "PROGRESS" => is_upper_case,
        _ => {
            after.is_empty()
                || has_possible_key(after)
                || after.starts_with(|character: char| !character.is_alphanumeric() && character != '_')
                || is_upper_case
        }
    };
    is_near_miss.then_some(name)
}

/// Returns whether a possible session key is the only word before the bracket.
fn has_possible_key(after: &str) -> bool {
    after.split_once(']').is_some_and(|(word, _)| SessionKey::looks_like_key(word.trim_end()))
}

/// Returns the name of a block tag with text after it; `[ERROR] text` is common in logs.
pub(crate) fn block_tag_near_miss(name: TagName) -> Option<&'static str> {
    (name != TagName::Error).then_some(name.text())
}

/// Checks a line, from its `=` on, that is not a phase marker.
pub(crate) fn marker_near_miss(rest: &str) -> Option<&'static str> {
    if !rest.starts_with("==") {
        return None;
    }
    let mut words = rest.trim_matches('=').split_whitespace();
    let is_near_miss = words.next()?.eq_ignore_ascii_case("phase")
        && words.next()?.bytes().all(|byte| byte.is_ascii_digit())
        && words.next()?.trim_end_matches(['=', '!', '.']).eq_ignore_ascii_case("complete");
    is_near_miss.then_some("PHASE_COMPLETE")
}

/// Checks a line, from its first letter on, that is not a keyword line.
pub(crate) fn keyword_near_miss(rest: &str) -> Option<&'static str> {
    if rest.strip_prefix(need_human::NAME).is_some_and(|after| after.trim_start().starts_with(':')) {
        return Some(need_human::NAME);
    }
    let end =
        rest.find(|character: char| character == ':' || character.is_whitespace()).unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    let keyword = LineKeyword::ALL.into_iter().find(|keyword| keyword.text().eq_ignore_ascii_case(word))?;
    let is_exact = keyword.text() == word;
    let names_task = || {
        let id = after.strip_prefix(':')?.trim_start().strip_prefix(['T', 'P'])?;
        id.starts_with(|character: char| character.is_ascii_digit()).then_some(())
    };
    match keyword {
        // These words occur only in the protocol.
        LineKeyword::ResolveNext | LineKeyword::PhaseDone | LineKeyword::AllDone => {
            is_exact.then_some(keyword.text())
        }
        // Other programs print these too, but without a task id.
        LineKeyword::Ready | LineKeyword::Done | LineKeyword::Fail => names_task().map(|()| keyword.text()),
        LineKeyword::TaskId => names_task().map(|()| "TASK"),
        LineKeyword::Error | LineKeyword::Custom => None,
    }
}

/// Compares without case, and accepts `-` and a space for `_`.
fn begins_with_similar_name(text: &str, name: &str) -> bool {
    let mut characters = text.chars();
    name.chars().all(|expected| match characters.next() {
        Some('-' | ' ') => expected == '_',
        Some(character) => character.eq_ignore_ascii_case(&expected),
        None => false,
    })
}
