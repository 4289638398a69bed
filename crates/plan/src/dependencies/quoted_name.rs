//! Names of external dependencies in double quotes; a quoted part is never read as an id or a separator.

use super::{DependencyMention, MentionTarget, parse_list, push_ids_among_words};
use crate::heading;

/// Returns the content of a part that is completely quoted, or `None`.
pub(super) fn unquote_name(part: &str) -> Option<String> {
    if !part.starts_with('"') || quoted_length(part)? != part.len() {
        return None;
    }
    let mut name = String::new();
    let mut characters = part[1..part.len() - 1].chars();
    while let Some(character) = characters.next() {
        name.push(if character == '\\' { characters.next()? } else { character });
    }
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// Returns the byte length of the quoted name at the beginning of a text.
pub(super) fn quoted_length(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return text.starts_with('"').then_some(at + 1),
            _ => {}
        }
    }
    None
}

/// Returns the name in a form that `parse_list` reads back as the same single name.
pub(crate) fn quote_name_if_needed(name: &str) -> String {
    let mut plain = Vec::new();
    parse_list(name, 0, &mut plain);
    if let [DependencyMention { target: MentionTarget::Name(found), span }] = plain.as_slice()
        && found == name
        && *span == (0..name.len())
        && !name.starts_with('"')
        && !names_part_of_plan(name)
        && !has_open_bracket(name)
    {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Tells whether a bracket of the name would be closed by a later part of the list.
fn has_open_bracket(name: &str) -> bool {
    name.rfind('(').is_some_and(|at| !name[at..].contains(')'))
}

/// Tells whether a name without quotes could be read as a task or a phase.
fn names_part_of_plan(name: &str) -> bool {
    let mut inside = Vec::new();
    let without_brackets = name.replace(['(', ')'], " ");
    push_ids_among_words(&without_brackets, 0, &mut inside);
    let is_short = name.strip_prefix('P').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    !inside.is_empty() || is_short || heading::parse_phase_heading(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::{DependencyMention, MentionTarget, parse_list, quote_name_if_needed};

    #[test]
    fn a_quoted_name_parses_back_to_itself() {
        for name in ["Epic 3", "T1", "a, b", "Tom and Ann", "-", "say \"x\"", "a\\", "`x`", "x.", "- y", "및"]
        {
            let written = quote_name_if_needed(name);
            let mut found = Vec::new();
            parse_list(&written, 0, &mut found);
            let [DependencyMention { target: MentionTarget::Name(read), .. }] = found.as_slice() else {
                panic!("{written}")
            };
            assert_eq!(read, name, "{written}");
        }
    }

    #[test]
    fn an_open_bracket_does_not_swallow_the_next_name() {
        let list = ["(a", "b (c)", "d)"].map(quote_name_if_needed).join(", ");
        let mut found = Vec::new();
        parse_list(&list, 0, &mut found);
        assert_eq!(found.len(), 3, "{list}: {found:?}");
    }
}
