//! Task Master's tasks.json.
//!
//! Its subtasks are the work where a task has some. Never looks at fields that Task Master keeps for itself.

use std::{borrow::Cow, collections::HashSet};

use domain::{Priority, TaskId};

use crate::{
    dependencies::{Ids, Mention, Reference},
    diagnostic::{Code, Diagnostic, Diagnostics},
    draft::{Draft, DraftPlan, Mark},
    text::{criterion, many_lines, one_line, shorten},
    values::{self, STATUS_HINT, Status},
};

mod json;

use json::{Document, Fields, Spanned};

/// Reads a file.
pub(crate) fn read<'a>(text: &'a str, diagnostics: &mut Diagnostics) -> DraftPlan<'a> {
    let Some(document) = Document::read(text, diagnostics) else { return DraftPlan::default() };
    let plan = DraftPlan { title: document.title, ..DraftPlan::default() };
    let mut reader = Reader { text, diagnostics, plan };
    for task in document.tasks {
        reader.task(task);
    }
    reader.plan
}

struct Reader<'a, 'd> {
    text: &'a str,
    diagnostics: &'d mut Diagnostics,
    plan: DraftPlan<'a>,
}

impl<'a> Reader<'a, '_> {
    fn task(&mut self, value: Spanned<'a>) {
        let Some(fields) = Fields::read(value, self.diagnostics) else { return };
        let Some(parent) = self.draft(value, &fields, None) else { return };
        let subtasks = fields.list(fields.subtasks, "subtasks", self.diagnostics);
        let mentions = self.mentions(&fields, None);
        if subtasks.is_empty() {
            self.plan.drafts.push(Draft { mentions, ..parent });
            return;
        }
        let shared = self.plan.shared.len();
        self.plan.shared.push(mentions);
        self.subtasks(subtasks, &parent, shared);
    }

    /// Reads the subtasks of a task, which wait for what the task waits for.
    fn subtasks(&mut self, values: Vec<Spanned<'a>>, parent: &Draft<'a>, shared: usize) {
        let subtasks: Vec<_> = values
            .into_iter()
            .filter_map(|value| {
                let fields = Fields::read(value, self.diagnostics)?;
                let draft = self.draft(value, &fields, Some(parent))?;
                Some((fields, draft))
            })
            .collect();
        let siblings: HashSet<TaskId> = subtasks.iter().map(|(_, draft)| draft.task.id.clone()).collect();
        let first = self.plan.drafts.len();
        for (fields, draft) in subtasks {
            if let Some(nested) = fields.subtasks {
                let message = "subtasks of a subtask are not read";
                self.diagnostics.push(
                    Diagnostic::warning(nested.span(self.text), message)
                        .hint("make them subtasks of the task"),
                );
            }
            let mentions = self.mentions(&fields, Some((&parent.task.id, &siblings)));
            self.plan.drafts.push(Draft { mentions, shared: Some(shared), ..draft });
        }
        let members = (first..self.plan.drafts.len()).collect();
        if self.plan.groups.insert(parent.task.id.clone(), members).is_some() {
            let message = format!("there is a task {} already", parent.task.id);
            self.diagnostics.push(
                Diagnostic::error(Code::ParseFail, parent.id_span.clone(), message)
                    .hint("give one of the two another id"),
            );
        }
    }

    /// Reads all of a task but its dependencies.
    fn draft(
        &mut self,
        value: Spanned<'a>,
        fields: &Fields<'a>,
        parent: Option<&Draft<'_>>,
    ) -> Option<Draft<'a>> {
        let (id, id_span) = self.id(value, fields, parent)?;
        let mut draft = Draft::new(id, id_span);
        let mut string = |value: Option<Spanned<'a>>, name| fields.string(value, name, self.diagnostics);
        draft.task.title = one_line(&string(fields.title, "title"));
        let description = many_lines(&string(fields.description, "description"));
        let details = many_lines(&string(fields.details, "details"));
        let test = string(fields.test_strategy, "testStrategy");
        let gap = if description.is_empty() || details.is_empty() { "" } else { "\n\n" };
        draft.task.text = format!("{description}{gap}{details}");
        draft.task.acceptance = criterion(&test).into_iter().collect();
        draft.task.priority = self.priority(fields, parent);
        self.status(fields, parent, &mut draft);
        Some(draft)
    }

    fn id(
        &mut self,
        value: Spanned<'a>,
        fields: &Fields<'a>,
        parent: Option<&Draft<'_>>,
    ) -> Option<(TaskId, std::ops::Range<usize>)> {
        let Some(found) = fields.id else {
            let span = value.span(self.text);
            let span = span.start..span.end.min(span.start + 1);
            self.diagnostics
                .push(Diagnostic::error(Code::ParseFail, span, "this task has no id").hint("add \"id\": 1"));
            return None;
        };
        let words = found.id_words();
        // Subtasks are counted within their task, but some files write the whole id.
        let whole = match parent {
            Some(parent) if !words.starts_with(&format!("{}.", parent.task.id)) => {
                Cow::Owned(format!("{}.{words}", parent.task.id))
            }
            _ => words,
        };
        let id = whole.parse().ok();
        if id.is_none() {
            let message = format!("{} is no task id", shorten(found.raw));
            self.diagnostics.push(
                Diagnostic::error(Code::ParseFail, found.span(self.text), message).hint("write a number"),
            );
        }
        Some((id?, found.span(self.text)))
    }

    fn priority(&mut self, fields: &Fields<'a>, parent: Option<&Draft<'_>>) -> Priority {
        let inherited = parent.map_or(Priority::Normal, |parent| parent.task.priority);
        let Some(value) = fields.priority else { return inherited };
        let words = fields.string(Some(value), "priority", self.diagnostics);
        match words.as_str() {
            "" => inherited,
            // Task Master's word for it.
            "medium" => Priority::Normal,
            words => words.parse().unwrap_or_else(|_| {
                let message = format!("'{}' is no priority", shorten(words));
                self.diagnostics.push(
                    Diagnostic::error(Code::ParseFail, value.span(self.text), message)
                        .hint("write low, medium, high or critical"),
                );
                inherited
            }),
        }
    }

    /// A task that is done or put off takes its subtasks along.
    fn status(&mut self, fields: &Fields<'a>, parent: Option<&Draft<'_>>, draft: &mut Draft<'_>) {
        if let Some(value) = fields.status {
            let words = fields.string(Some(value), "status", self.diagnostics);
            let status = values::status(&words);
            draft.task.done = status == Some(Status::Done);
            draft.is_deferred = status == Some(Status::Deferred);
            draft.mark = Some(Mark::Json(value.span(self.text)));
            if status.is_none() {
                let message = format!("'{}' is no status", shorten(&words));
                self.diagnostics.push(
                    Diagnostic::error(Code::ParseFail, value.span(self.text), message).hint(STATUS_HINT),
                );
            }
        }
        if let Some(parent) = parent {
            draft.task.done |= parent.task.done;
            draft.is_deferred |= parent.is_deferred && !draft.task.done;
        }
    }

    /// Reads the list of dependencies; a subtask may name its siblings by their number within the task.
    fn mentions(
        &mut self,
        fields: &Fields<'a>,
        family: Option<(&TaskId, &HashSet<TaskId>)>,
    ) -> Vec<Mention<'a>> {
        let mut mentions = Vec::new();
        for value in fields.list(fields.dependencies, "dependencies", self.diagnostics) {
            let words = value.id_words();
            let span = value.span(self.text);
            let as_sibling = family.filter(|_| !words.contains('.')).and_then(|(parent, siblings)| {
                format!("{parent}.{words}").parse::<TaskId>().ok().filter(|id| siblings.contains(id))
            });
            let id = as_sibling.map_or(words, |id| Cow::Owned(id.as_str().to_owned()));
            if id.parse::<TaskId>().is_err() {
                let message = format!("{} is no task id", shorten(value.raw));
                self.diagnostics.push(
                    Diagnostic::error(Code::ParseFail, span, message).hint("write the number of a task"),
                );
                continue;
            }
            let from = Reference { phase: None, id: id.clone() };
            mentions.push(Mention { name: id, ids: Some(Ids { from, to: None }), span });
        }
        mentions
    }
}
