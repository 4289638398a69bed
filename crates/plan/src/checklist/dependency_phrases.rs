//! Finds dependencies written in a task's text: `(depends on T008-T015)`, `**Depends on T009, T010**`.

use memchr::{memchr, memchr2_iter, memrchr};

use crate::dependencies::{self, DependencyMention, IdOrRange, IdReference, MentionTarget};

/// Appends the dependencies that a text mentions.
///
/// A phrase in bold is a key and may mention ids and names. Elsewhere only ids count, so that "(depends on T002, same
/// file)" and "it depends on the weather" invent nothing to wait for. "(dependencies: fastapi)" lists packages.
pub(super) fn find_mentions<'a>(text: &'a str, base: usize, mentions: &mut Vec<DependencyMention<'a>>) {
    let mut end_of_last = 0;
    // Span of the current line. Searching for it at every phrase would be quadratic on a long line.
    let mut line_span = 0..0;
    for at in memchr2_iter(b'd', b'D', text.as_bytes()) {
        // Three letters rule out almost every position cheaply.
        let is_word = text.as_bytes().get(at + 1..at + 3).is_some_and(|two| two.eq_ignore_ascii_case(b"ep"));
        if !is_word || at < end_of_last {
            continue;
        }
        if at >= line_span.end {
            let before = memrchr(b'\n', &text.as_bytes()[line_span.end..at]);
            let start = before.map_or(line_span.end, |newline| line_span.end + newline + 1);
            line_span = start..memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end);
        }
        let start = line_span.start;
        let line = &text[line_span.clone()];
        let Some((phrase, list_at)) = match_phrase_at(line, at - start) else { continue };
        let list = &line[list_at..list_at + dependency_list_length(&line[list_at..])];
        end_of_last = start + list_at + list.len();
        let accepts_names = phrase.starts_with("depends") && is_key(&line[..at - start]);
        let mut listed = Vec::new();
        dependencies::parse_list(list, base + start + list_at, &mut listed);
        for mention in listed {
            push_mention(mention, line, base + start, accepts_names, mentions);
        }
    }
}

fn push_mention<'a>(
    mention: DependencyMention<'a>,
    line: &'a str,
    line_start: usize,
    accepts_names: bool,
    to: &mut Vec<DependencyMention<'a>>,
) {
    if let MentionTarget::Ids(ids) = &mention.target
        && (accepts_names || ids.first.has_letter_prefix())
    {
        to.push(mention);
        return;
    }
    let part = line.get(mention.span.start - line_start..mention.span.end - line_start).unwrap_or_default();
    let before = to.len();
    let mut at = mention.span.start;
    for word in part.split(' ') {
        let id = word.trim_end_matches([',', '.']);
        if let Some((from, length)) = IdReference::parse_prefix(id)
            && length == id.len()
            && from.has_letter_prefix()
        {
            let span = at..at + id.len();
            to.push(DependencyMention {
                target: MentionTarget::Ids(IdOrRange { first: from, last: None, part: None }),
                span,
            });
        }
        at += word.len() + 1;
    }
    if to.len() == before && accepts_names {
        to.push(mention);
    }
}

/// Returns the phrase that starts at `at`, if any, and the position of the list behind it.
fn match_phrase_at(line: &str, at: usize) -> Option<(&'static str, usize)> {
    let is_word_start = !line[..at].ends_with(char::is_alphanumeric);
    let phrase =
        ["depends on", "dependencies:", "dependencies**:", "depends upon"].into_iter().find(|phrase| {
            line.get(at..at + phrase.len()).is_some_and(|start| start.eq_ignore_ascii_case(phrase))
        })?;
    let rest = &line[at + phrase.len()..];
    let list = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '*' | '_'));
    (is_word_start && !rest.starts_with(char::is_alphanumeric)).then_some((phrase, line.len() - list.len()))
}

/// Tells whether a phrase behind this text is a key in bold: `- **Depends on** Epic 3`.
fn is_key(before: &str) -> bool {
    matches!(before.trim_end().chars().next_back(), Some('*' | '_'))
}

fn dependency_list_length(text: &str) -> usize {
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let ends = match character {
            ')' | ']' | ';' | '*' | '\n' | '\r' => true,
            '.' => characters.peek().is_none_or(|(_, next)| next.is_whitespace()),
            _ => false,
        };
        if ends {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::find_mentions;

    fn assert_mentions(text: &str, expected: &[&str]) {
        let mut mentions = Vec::new();
        find_mentions(text, 0, &mut mentions);
        let found: Vec<&str> = mentions.iter().map(|mention| &text[mention.span.clone()]).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn separate_phrases_name_dependencies() {
        assert_mentions("Build it (depends on T012, T013)", &["T012", "T013"]);
        assert_mentions("Build it (depends on T008-T015).", &["T008-T015"]);
        assert_mentions("- **Depends on T009, T010**\n", &["T009", "T010"]);
        assert_mentions("- **Depends on**: T009 and T010\r\n", &["T009", "T010"]);
        assert_mentions("Dependencies: T009", &["T009"]);
        assert_mentions("**Depends on** Epic 3", &["Epic 3"]);
        assert_mentions("(depends on Epic 3)", &[]);
        assert_mentions("(depends on T002, same file)", &["T002"]);
        assert_mentions("(depends on completion of T012)", &["T012"]);
    }

    #[test]
    fn within_a_sentence_only_ids_are_dependencies() {
        assert_mentions("It depends on T003. Then more.", &["T003"]);
        assert_mentions("It depends on the weather, and on T003", &["T003"]);
        assert_mentions("Install dependencies", &[]);
        assert_mentions("(dependencies: fastapi, T003)", &["T003"]);
        assert_mentions("It depends on 2.0", &[]);
        assert_mentions("independs on T003", &[]);
    }
}
