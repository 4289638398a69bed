//! One line of a check list: `- [ ] T012 [P] [US1] text`, `- [ ]* 2.3 text`.

use std::{borrow::Cow, ops::Range};

use crate::{
    dependencies::Reference,
    item::Item,
    text::{check_box, is_ticked, span_in, trim},
};

/// Which of the two tools wrote the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    SpecKit,
    Kiro,
}

/// A box with an id.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub(super) item: Item<'a>,
    pub(super) id: &'a str,
    pub(super) id_span: Range<usize>,
    pub(super) is_done: bool,
    /// Where the box's mark is.
    pub(super) mark: Range<usize>,
    pub(super) is_optional: bool,
    /// Whether it may run beside its neighbours: `[P]`.
    pub(super) is_parallel: bool,
    /// The user stories it belongs to: `[US1]`.
    pub(super) stories: Vec<&'a str>,
    pub(super) title: Cow<'a, str>,
}

impl<'a> Entry<'a> {
    pub(super) fn new(item: Item<'a>) -> Option<Self> {
        let (mark, mark_span, rest) = check_box(item.first)?;
        let after_star = rest.strip_prefix('*');
        let rest = after_star.unwrap_or(rest);
        if !rest.starts_with(char::is_whitespace) {
            return None;
        }
        let rest = rest.trim_start();
        let after_strong = rest.strip_prefix("**");
        let is_bold = after_strong.is_some();
        let plain = after_strong.unwrap_or(rest);
        let (reference, length) = Reference::prefix(plain).filter(|(reference, _)| reference.is_id())?;
        let after = title_after(&reference, &plain[length..], is_bold)?;
        let id_start = span_in(item.first, plain, item.start).start;
        let mut entry = Self {
            mark: item.start + mark_span.start..item.start + mark_span.end,
            item,
            id: &plain[length - reference.id.len()..length],
            id_span: id_start..id_start + length,
            is_done: is_ticked(mark),
            is_optional: after_star.is_some(),
            is_parallel: false,
            stories: Vec::new(),
            title: Cow::Borrowed(after),
        };
        let title = if entry.dialect() == Dialect::SpecKit { entry.take_labels(after) } else { after };
        entry.title = if is_bold { close_strong(title) } else { Cow::Borrowed(title) };
        Some(entry)
    }

    pub(super) fn dialect(&self) -> Dialect {
        if self.id.starts_with('T') { Dialect::SpecKit } else { Dialect::Kiro }
    }

    /// Takes `[P]` and `[US1]` from before the title.
    fn take_labels(&mut self, title: &'a str) -> &'a str {
        let mut title = title;
        while let Some((label, rest)) = title.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            if label == "P" {
                self.is_parallel = true;
            } else if is_story(label) {
                self.stories.push(label);
            } else {
                break;
            }
            title = rest.trim_start();
        }
        title
    }
}

/// Returns the title behind an id, where the id ends there.
fn title_after<'a>(reference: &Reference<'_>, after: &'a str, is_bold: bool) -> Option<&'a str> {
    let after_dot = after.strip_prefix('.');
    let after = after_dot.unwrap_or(after);
    let after = if is_bold { after.strip_prefix("**").unwrap_or(after) } else { after };
    let after_colon = after.strip_prefix([':', '：']);
    let after = after_colon.unwrap_or(after);
    if !after.is_empty() && !after.starts_with(char::is_whitespace) {
        return None;
    }
    // `- [ ] 3 apples` is no task, `- [ ] 3. apples` and `- [ ] 3.1 apples` are.
    let is_marked = after_dot.is_some() || after_colon.is_some() || reference.id.contains('.');
    (reference.is_lettered() || is_marked).then(|| trim(after))
}

/// Takes the sign away that ends what was bold from the id on; what is bold within the title has two.
fn close_strong(title: &str) -> Cow<'_, str> {
    let is_open = title.matches("**").count() % 2 == 1;
    match title.split_once("**").filter(|_| is_open) {
        Some(("", rest)) => Cow::Borrowed(rest.trim_start()),
        Some((bold, rest)) => Cow::Owned(format!("{bold}{rest}")),
        None => Cow::Borrowed(title),
    }
}

/// Tells whether a label names a user story: `US1`, `US-001`.
fn is_story(label: &str) -> bool {
    label.strip_prefix("US").is_some_and(|number| {
        number.bytes().any(|byte| byte.is_ascii_digit())
            && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
    })
}

#[cfg(test)]
mod tests {
    use super::{Dialect, Entry};
    use crate::item::Item;

    fn check(line: &str, expected: Option<(&str, &str)>) {
        let entry = Entry::new(Item::new(line, 0..line.len()));
        let found = entry.as_ref().map(|entry| (&line[entry.id_span.clone()], entry.title.as_ref()));
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn a_box_with_an_id_is_a_task() {
        check("- [ ] T012 [P] [US1] Write it", Some(("T012", "Write it")));
        check("- [x] **T012** [US-001][P] Write it", Some(("T012", "Write it")));
        check("* [ ] T012: Write it", Some(("T012", "Write it")));
        check("- [ ] T012 [UI] Write it", Some(("T012", "[UI] Write it")));
        check("- [ ]* 2.3 Test it", Some(("2.3", "Test it")));
        check("- [-] 2. Test it", Some(("2", "Test it")));
        check("- [] 2.1. Test it", Some(("2.1", "Test it")));
    }

    #[test]
    fn other_boxes_are_none() {
        for line in
            ["- [ ] 3 apples", "- [ ] T01x", "- [ ] TXXX later", "- [ ]T1", "- T1 x", "- [?] T1 x", "- [ ] "]
        {
            check(line, None);
        }
    }

    #[test]
    fn the_ids_tell_the_dialects_apart() {
        let dialect = |line: &str| Entry::new(Item::new(line, 0..line.len())).map(|entry| entry.dialect());
        assert_eq!(dialect("- [ ] T1 x"), Some(Dialect::SpecKit));
        assert_eq!(dialect("- [ ] 1. x"), Some(Dialect::Kiro));
    }
}
