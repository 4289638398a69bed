//! One check box with an id: `- [ ] T012 [P] [US1] text`, `- [ ]* 2.3 text`.

use std::{borrow::Cow, ops::Range};

use crate::{
    dependencies::IdReference,
    list_item::ListItem,
    text::{is_checked, parse_checkbox, span_of_slice, trim},
};

/// The tool that wrote the checklist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChecklistDialect {
    SpecKit,
    Kiro,
}

/// A check box with an id, split into its parts.
#[derive(Debug)]
pub(super) struct ChecklistEntry<'a> {
    pub(super) item: ListItem<'a>,
    pub(super) id: &'a str,
    pub(super) id_span: Range<usize>,
    pub(super) is_done: bool,
    /// Span of the character between the brackets.
    pub(super) mark_span: Range<usize>,
    pub(super) is_optional: bool,
    /// Marked `[P]`: may run in parallel with its neighbours.
    pub(super) is_parallel: bool,
    /// User stories it belongs to: `[US1]`.
    pub(super) stories: Vec<&'a str>,
    pub(super) title: Cow<'a, str>,
}

impl<'a> ChecklistEntry<'a> {
    pub(super) fn new(item: ListItem<'a>) -> Option<Self> {
        let (mark, mark_span, rest) = parse_checkbox(item.first_line)?;
        let after_star = rest.strip_prefix('*');
        let rest = after_star.unwrap_or(rest);
        if !rest.starts_with(char::is_whitespace) {
            return None;
        }
        let rest = rest.trim_start();
        let after_strong = rest.strip_prefix("**");
        let is_bold = after_strong.is_some();
        let plain = after_strong.unwrap_or(rest);
        let (reference, length) =
            IdReference::parse_prefix(plain).filter(|(reference, _)| reference.is_valid_id())?;
        let after = title_after_id(&reference, &plain[length..], is_bold)?;
        let id_start = span_of_slice(item.first_line, plain, item.first_line_start).start;
        let mut entry = Self {
            mark_span: item.first_line_start + mark_span.start..item.first_line_start + mark_span.end,
            item,
            id: &plain[length - reference.id.len()..length],
            id_span: id_start..id_start + length,
            is_done: is_checked(mark),
            is_optional: after_star.is_some(),
            is_parallel: false,
            stories: Vec::new(),
            title: Cow::Borrowed(after),
        };
        let title = if entry.dialect() == ChecklistDialect::SpecKit {
            entry.parse_title_labels(after)
        } else {
            after
        };
        entry.title = if is_bold { remove_closing_bold(title) } else { Cow::Borrowed(title) };
        Some(entry)
    }

    pub(super) fn dialect(&self) -> ChecklistDialect {
        if self.id.starts_with('T') { ChecklistDialect::SpecKit } else { ChecklistDialect::Kiro }
    }

    /// Strips `[P]` and `[US1]` from the beginning of the title and records them.
    fn parse_title_labels(&mut self, title: &'a str) -> &'a str {
        let mut title = title;
        while let Some((label, rest)) = title.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            if label == "P" {
                self.is_parallel = true;
            } else if is_user_story(label) {
                self.stories.push(label);
            } else {
                break;
            }
            title = rest.trim_start();
        }
        title
    }
}

/// Returns the title behind an id, or `None` if the text continues the id.
fn title_after_id<'a>(reference: &IdReference<'_>, after: &'a str, is_bold: bool) -> Option<&'a str> {
    let after_dot = after.strip_prefix('.');
    let after = after_dot.unwrap_or(after);
    let after = if is_bold { after.strip_prefix("**").unwrap_or(after) } else { after };
    let after_colon = after.strip_prefix([':', '：']);
    let after = after_colon.unwrap_or(after);
    if !after.is_empty() && !after.starts_with(char::is_whitespace) {
        return None;
    }
    // `- [ ] 3 apples` is not a task, `- [ ] 3. apples` and `- [ ] 3.1 apples` are.
    let is_marked = after_dot.is_some() || after_colon.is_some() || reference.id.contains('.');
    (reference.has_letter_prefix() || is_marked).then(|| trim(after))
}

/// Removes the `**` that closes bold text opened before the id; bold text within the title has a pair of its own.
fn remove_closing_bold(title: &str) -> Cow<'_, str> {
    let is_open = title.matches("**").count() % 2 == 1;
    match title.split_once("**").filter(|_| is_open) {
        Some(("", rest)) => Cow::Borrowed(rest.trim_start()),
        Some((bold, rest)) => Cow::Owned(format!("{bold}{rest}")),
        None => Cow::Borrowed(title),
    }
}

/// Tells whether a label is a user story: `US1`, `US-001`.
fn is_user_story(label: &str) -> bool {
    label.strip_prefix("US").is_some_and(|number| {
        number.bytes().any(|byte| byte.is_ascii_digit())
            && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
    })
}

#[cfg(test)]
mod tests {
    use super::{ChecklistDialect, ChecklistEntry};
    use crate::list_item::ListItem;

    fn assert_id_and_title(line: &str, expected: Option<(&str, &str)>) {
        let entry = ChecklistEntry::new(ListItem::new(line, 0..line.len()));
        let found = entry.as_ref().map(|entry| (&line[entry.id_span.clone()], entry.title.as_ref()));
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn a_box_with_an_id_is_a_task() {
        assert_id_and_title("- [ ] T012 [P] [US1] Write it", Some(("T012", "Write it")));
        assert_id_and_title("- [x] **T012** [US-001][P] Write it", Some(("T012", "Write it")));
        assert_id_and_title("* [ ] T012: Write it", Some(("T012", "Write it")));
        assert_id_and_title("- [ ] T012 [UI] Write it", Some(("T012", "[UI] Write it")));
        assert_id_and_title("- [ ]* 2.3 Test it", Some(("2.3", "Test it")));
        assert_id_and_title("- [-] 2. Test it", Some(("2", "Test it")));
        assert_id_and_title("- [] 2.1. Test it", Some(("2.1", "Test it")));
    }

    #[test]
    fn other_boxes_are_not_tasks() {
        for line in
            ["- [ ] 3 apples", "- [ ] T01x", "- [ ] TXXX later", "- [ ]T1", "- T1 x", "- [?] T1 x", "- [ ] "]
        {
            assert_id_and_title(line, None);
        }
    }

    #[test]
    fn dialect_follows_from_the_id() {
        let dialect =
            |line: &str| ChecklistEntry::new(ListItem::new(line, 0..line.len())).map(|entry| entry.dialect());
        assert_eq!(dialect("- [ ] T1 x"), Some(ChecklistDialect::SpecKit));
        assert_eq!(dialect("- [ ] 1. x"), Some(ChecklistDialect::Kiro));
    }
}
