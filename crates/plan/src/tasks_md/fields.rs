//! What a row and a section say about one task, and what both mean together.

use std::ops::Range;

use domain::{PhaseNumber, TaskId};

use crate::{
    dependencies,
    diagnostic::{Code, Diagnostic, Diagnostics},
    draft::{Draft, DraftPhase, Mark},
    heading::{self, HeadingNumber},
    item::Item,
    keys::Key,
    text::{self, check_box, is_none, is_ticked, many_lines, one_line, scalar, shorten},
    values::{self, STATUS_HINT, Status, TIMEOUT_HINT},
};

use super::{table::unescape, without_layer};

/// What a row or a section says.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    pub(super) id: TaskId,
    pub(super) id_span: Range<usize>,
    /// The phase that `P1-T1.3` names.
    pub(super) phase: Option<PhaseNumber>,
    /// The phase whose heading it is below.
    pub(super) scope: Option<PhaseNumber>,
    /// The heading's title; a row's is a value like others.
    pub(super) title: String,
    /// A box before the id: whether it is ticked, and where its mark is.
    pub(super) check: Option<(bool, Range<usize>)>,
    /// The section's text apart from its key lines.
    pub(super) prose: String,
    values: Vec<(Key, Value<'a>)>,
}

/// The value of a key or a cell.
#[derive(Debug, Clone)]
pub(super) struct Value<'a> {
    pub(super) text: &'a str,
    pub(super) start: usize,
    /// The item whose lines below the key continue the value.
    pub(super) below: Option<Item<'a>>,
    /// The values of a key that has a list.
    pub(super) list: Vec<String>,
    pub(super) is_cell: bool,
}

impl<'a> Value<'a> {
    pub(super) fn inline(text: &'a str, start: usize) -> Self {
        Self { text, start, below: None, list: Vec::new(), is_cell: false }
    }

    fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// Returns the whole value, with the lines below the key.
    fn whole(&self, source: &str) -> String {
        let mut whole = if self.is_cell { unescape(self.text) } else { self.text.to_owned() };
        if let Some(item) = &self.below {
            whole.push('\n');
            item.push_below(source, item.below.clone(), &mut whole);
        }
        whole
    }
}

impl<'a> Fields<'a> {
    pub(super) fn new(id: TaskId, id_span: Range<usize>) -> Self {
        Self {
            id,
            id_span,
            phase: None,
            scope: None,
            title: String::new(),
            check: None,
            prose: String::new(),
            values: Vec::new(),
        }
    }

    /// Keeps a value; what is said first counts.
    pub(super) fn set(&mut self, key: Key, value: Value<'a>) {
        if self.get(key).is_none() {
            self.values.push((key, value));
        }
    }

    fn get(&self, key: Key) -> Option<&Value<'a>> {
        self.values.iter().find(|(known, _)| *known == key).map(|(_, value)| value)
    }
}

/// A task: its row, its section, or both.
#[derive(Debug)]
pub(super) struct Found<'a> {
    pub(super) row: Option<Fields<'a>>,
    pub(super) section: Option<Fields<'a>>,
    id: TaskId,
}

impl<'a> Found<'a> {
    pub(super) fn new(fields: Fields<'a>, is_section: bool) -> Self {
        let id = fields.id.clone();
        if is_section {
            Self { row: None, section: Some(fields), id }
        } else {
            Self { row: Some(fields), section: None, id }
        }
    }

    pub(super) fn id(&self) -> &TaskId {
        &self.id
    }

    /// Both, the one that wins first.
    fn both(&self) -> impl Iterator<Item = &Fields<'a>> {
        self.section.iter().chain(&self.row)
    }

    fn value(&self, key: Key) -> Option<&Value<'a>> {
        self.both().find_map(|fields| fields.get(key))
    }

    /// Returns the task, and its phase where the file says one.
    pub(super) fn draft(
        self,
        source: &'a str,
        diagnostics: &mut Diagnostics,
    ) -> (Draft<'a>, Option<DraftPhase>) {
        let id_span = self.both().next().map_or(0..0, |fields| fields.id_span.clone());
        let mut draft = Draft::new(self.id.clone(), id_span);
        let scalar_of = |key| self.value(key).and_then(|value| scalar(&value.whole(source)));
        let list_of = |key| self.value(key).map_or_else(Vec::new, |value| text::values(&value.whole(source)));

        let task = &mut draft.task;
        task.agent = scalar_of(Key::Agent);
        task.tester = scalar_of(Key::Tester);
        task.layer = scalar_of(Key::Layer);
        task.verify = scalar_of(Key::Verify);
        task.worktree = scalar_of(Key::Worktree);
        task.touches = list_of(Key::Touches);
        task.references = list_of(Key::References);
        task.acceptance = self.value(Key::Acceptance).map_or_else(Vec::new, |value| value.list.clone());
        task.title = self.title(task.layer.as_deref());
        task.text = self.text(source);
        task.optional = self.value(Key::Optional).is_some_and(|value| is_yes(value.text));

        let wrong = &mut |value: &Value<'_>, what: &str, hint: &str| {
            let message = format!("'{}' is no {what}", shorten(value.text));
            diagnostics.push(Diagnostic::error(Code::ParseFail, value.span(), message).hint(hint));
        };
        if let Some(value) = self.given(Key::Priority) {
            match text::scalar(value.text).unwrap_or_default().parse() {
                Ok(priority) => task.priority = priority,
                Err(_) => wrong(value, "priority", "write low, normal, high or critical"),
            }
        }
        if let Some(value) = self.given(Key::Timeout) {
            task.timeout_seconds = values::timeout_seconds(&text::scalar(value.text).unwrap_or_default());
            if task.timeout_seconds.is_none() {
                wrong(value, "timeout", TIMEOUT_HINT);
            }
        }
        if let Some(value) = self.given(Key::Budget) {
            task.budget = text::scalar(value.text).and_then(|budget| budget.parse().ok());
            if task.budget.is_none() {
                wrong(value, "budget", "write 200k or 1m for tokens, $2 for money");
            }
        }
        self.status(&mut draft, wrong);
        if let Some(value) = self.given(Key::Complexity) {
            draft.task.complexity = values::complexity(&text::scalar(value.text).unwrap_or_default());
            if draft.task.complexity.is_none() {
                let message =
                    format!("complexity '{}' is not S, M, L or XL, and is left out", shorten(value.text));
                diagnostics.push(Diagnostic::warning(value.span(), message).hint("write S, M, L or XL"));
            }
        }
        draft.mentions = self.mentions(source);
        let phase = self.phase(diagnostics);
        (draft, phase)
    }

    /// Returns a value that says something.
    fn given(&self, key: Key) -> Option<&Value<'a>> {
        self.value(key).filter(|value| !is_none(value.text))
    }

    fn title(&self, layer: Option<&str>) -> String {
        let of_heading =
            self.section.as_ref().map(|section| section.title.clone()).filter(|title| !title.is_empty());
        let title = of_heading.unwrap_or_else(|| {
            self.value(Key::Title).map_or_else(String::new, |value| {
                one_line(&if value.is_cell { unescape(value.text) } else { value.text.to_owned() })
            })
        });
        without_layer(&title, layer).map(str::to_owned).unwrap_or(title)
    }

    fn text(&self, source: &str) -> String {
        let mut text = match self.value(Key::Description) {
            // A description that says nothing is written with a dash, too.
            Some(value) if value.below.is_none() && is_none(value.text) => String::new(),
            Some(value) if value.is_cell => many_lines(&value.whole(source).replace("<br>", "\n")),
            Some(value) => many_lines(&value.whole(source)),
            None => String::new(),
        };
        let prose = self.section.as_ref().map_or("", |section| section.prose.as_str());
        if !text.is_empty() && !prose.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(prose);
        text
    }

    fn mentions(&self, source: &'a str) -> Vec<dependencies::Mention<'a>> {
        let Some(value) = self.value(Key::Dependencies) else { return Vec::new() };
        let end = value.below.as_ref().map_or(value.span().end, |item| item.below.end);
        dependencies::parse(source.get(value.start..end).unwrap_or_default(), value.start)
    }

    /// A task is done when its box is ticked or its status says so; the box is what gets ticked, if there is one.
    fn status(&self, draft: &mut Draft<'_>, wrong: &mut impl FnMut(&Value<'_>, &str, &str)) {
        if let Some((is_ticked, mark)) = self.both().find_map(|fields| fields.check.clone()) {
            draft.task.done = is_ticked;
            draft.mark = Some(Mark::Box(mark));
        }
        let Some(value) = self.value(Key::Status) else { return };
        if let Some((mark, span, _)) = check_box(value.text) {
            draft.task.done |= is_ticked(mark);
            draft.mark.get_or_insert(Mark::Box(value.start + span.start..value.start + span.end));
            return;
        }
        let word = text::unquote_code(value.text).unwrap_or(value.text);
        let status = if is_none(word) { Some(Status::Open) } else { values::status(word) };
        draft.task.done |= status == Some(Status::Done) || values::is_done_sign(word);
        draft.is_deferred = status == Some(Status::Deferred);
        draft.mark.get_or_insert(Mark::Word(value.span()));
        if status.is_none() {
            wrong(value, "status", STATUS_HINT);
        }
    }

    fn phase(&self, diagnostics: &mut Diagnostics) -> Option<DraftPhase> {
        let unnamed = |number| DraftPhase { number, name: String::new(), after: None, is_story: false };
        for fields in self.both() {
            if let Some(value) = fields.get(Key::Phase).filter(|value| !is_none(value.text)) {
                let found = heading::phase_value(value.text);
                if let Some((name, HeadingNumber::Whole(number) | HeadingNumber::Dotted(number))) =
                    found.map(|phase| (phase.name, phase.number))
                {
                    return Some(DraftPhase { name: one_line(name), ..unnamed(number) });
                }
                let message = format!("phase '{}' has no number, and is left out", shorten(value.text));
                diagnostics
                    .push(Diagnostic::warning(value.span(), message).hint("write 2, or Phase 2: name"));
            }
            if let Some(number) = fields.phase.or(fields.scope) {
                return Some(unnamed(number));
            }
        }
        None
    }
}

fn is_yes(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "yes" | "true" | "optional" | "예")
        || value.eq_ignore_ascii_case("[x]")
}
