//! One check box with an id: `- [ ] T012 [P] [US1] text`, `- [ ]* 2.3 text`.

use std::{borrow::Cow, ops::Range};

use crate::{
    dependencies::{IdReference, IdShape},
    list_item::ListItem,
    text::{is_checked, parse_checkbox, span_of_slice, trim, trim_start},
};

/// The tool that wrote the checklist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChecklistDialect {
    SpecKit,
    Kiro,
    /// No line has an id: every check box is a task.
    Plain,
}

/// A check box with an id, split into its parts.
#[derive(Debug)]
pub(super) struct ChecklistEntry<'a> {
    pub(super) item: ListItem<'a>,
    pub(super) id: Cow<'a, str>,
    shape: IdShape,
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
        // Formatters escape the star.
        let after_star = rest.strip_prefix('*').or_else(|| rest.strip_prefix("\\*"));
        let rest = after_star.unwrap_or(rest);
        if !rest.starts_with(char::is_whitespace) {
            return None;
        }
        let rest = trim_start(rest);
        let after_strong = rest.strip_prefix("**");
        let is_bold = after_strong.is_some();
        let plain = after_strong.unwrap_or(rest);
        let (reference, length) =
            IdReference::parse_prefix(plain).filter(|(reference, _)| reference.is_valid_id())?;
        let after = &plain[length..];
        let after_id_star = after.strip_prefix('*').filter(|after| after.starts_with(' '));
        let after = title_after_id(&reference, after_id_star.unwrap_or(after), is_bold)?;
        let id_start = span_of_slice(item.first_line, plain, item.first_line_start).start;
        let mut entry = Self {
            mark_span: item.first_line_start + mark_span.start..item.first_line_start + mark_span.end,
            item,
            id: Cow::Borrowed(&plain[..length]),
            shape: reference.shape(),
            id_span: id_start..id_start + length,
            is_done: is_checked(mark),
            is_optional: after_star.is_some() || after_id_star.is_some(),
            is_parallel: false,
            stories: Vec::new(),
            title: Cow::Borrowed(after),
        };
        let title = entry.parse_title_labels(after);
        entry.title = if is_bold { remove_closing_bold(title) } else { Cow::Borrowed(title) };
        Some(entry)
    }

    /// Reads a check box without an id as the task with this number.
    pub(super) fn new_without_id(item: ListItem<'a>, number: usize) -> Option<Self> {
        let (mark, mark_span, rest) = parse_checkbox(item.first_line)?;
        let title = trim(rest.strip_prefix(char::is_whitespace)?);
        let start = span_of_slice(item.first_line, title, item.first_line_start).start;
        Some(Self {
            mark_span: item.first_line_start + mark_span.start..item.first_line_start + mark_span.end,
            id: Cow::Owned(format!("T{number}")),
            shape: IdShape::Letter,
            id_span: start..start + title.len(),
            is_done: is_checked(mark),
            is_optional: false,
            is_parallel: false,
            stories: Vec::new(),
            title: Cow::Borrowed(title),
            item,
        })
    }

    /// Tells whether the id alone makes the check box a task.
    pub(super) fn has_certain_id(&self) -> bool {
        matches!(self.shape, IdShape::Letter | IdShape::Number)
    }

    pub(super) fn dialect(&self) -> ChecklistDialect {
        if self.shape == IdShape::Number { ChecklistDialect::Kiro } else { ChecklistDialect::SpecKit }
    }

    /// Strips `[P]`, `(P)` and `[US1]` from the beginning of the title, and `(P)` from its end, and records them.
    fn parse_title_labels(&mut self, title: &'a str) -> &'a str {
        let mut title = title;
        loop {
            if let Some(rest) = title.strip_prefix("(P)") {
                self.is_parallel = true;
                title = rest.trim_start();
                continue;
            }
            let Some((label, rest)) = title.strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
                break;
            };
            let mut stories = label.split(['/', '+', ',', '&']).map(str::trim);
            if label == "P" {
                self.is_parallel = true;
            } else if stories.clone().all(is_user_story) {
                self.stories.extend(&mut stories);
            } else {
                break;
            }
            title = trim_start(rest);
        }
        if let Some(rest) = title.strip_suffix("(P)") {
            self.is_parallel = true;
            title = rest.trim_end();
        }
        title
    }
}

/// Returns the title behind an id, or `None` if the text continues the id.
fn title_after_id<'a>(reference: &IdReference<'_>, after: &'a str, is_bold: bool) -> Option<&'a str> {
    let after_dot = after.strip_prefix(['.', ')']);
    let after = after_dot.unwrap_or(after);
    let after = if is_bold { after.strip_prefix("**").unwrap_or(after) } else { after };
    let after_colon = after.strip_prefix([':', '：']);
    let after = after_colon.unwrap_or(after);
    if !after.is_empty() && !after.starts_with(char::is_whitespace) {
        return None;
    }
    // `- [ ] 3 apples` is not a task, `- [ ] 3. apples` and `- [ ] 3.1 apples` are.
    let is_marked = after_dot.is_some() || after_colon.is_some() || reference.id.contains('.');
    let is_certain = match reference.shape() {
        IdShape::Letter | IdShape::Compound => true,
        IdShape::Number | IdShape::Short => is_marked,
    };
    is_certain.then(|| trim(after))
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
        assert_id_and_title("- [ ]\\* 2.3 Test it", Some(("2.3", "Test it")));
        assert_id_and_title("- [ ] 7.9* (P) Test it", Some(("7.9", "Test it")));
        assert_id_and_title("- [ ] 1.4a Test it (P)", Some(("1.4a", "Test it")));
        assert_id_and_title("- [ ] T020a [US4/US5] Test it", Some(("T020a", "Test it")));
        assert_id_and_title("- [ ] T021 [US3+US4] Test it", Some(("T021", "Test it")));
        assert_id_and_title("- [ ] ST-001 Test it", Some(("ST-001", "Test it")));
        assert_id_and_title("- [ ] P1-R1-T1: Test it", Some(("P1-R1-T1", "Test it")));
        assert_id_and_title("- [ ] S3: Test it", Some(("S3", "Test it")));
    }

    #[test]
    fn other_boxes_are_not_tasks() {
        for line in [
            "- [ ] 3 apples",
            "- [ ] T01xy",
            "- [ ] TXXX later",
            "- [ ] S3 bucket",
            "- [ ]T1",
            "- T1 x",
            "- [?] T1 x",
            "- [ ] ",
        ] {
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
