//! Task Master's tasks.json.
//!
//! Its subtasks are the work where a task has some. Never looks at fields that Task Master keeps for itself.

use std::{borrow::Cow, collections::HashSet, ops::Range};

use domain::{Priority, TaskId};

use crate::{
    dependencies::{Ids, Mention, Reference, What},
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    draft::{Draft, DraftPlan, Mark},
    plan::Task,
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
        let Some((task, mut draft)) = self.draft(value, &fields, None) else { return };
        let subtasks = fields.list(fields.subtasks, "subtasks", self.diagnostics);
        let mentions = self.mentions(&fields, None);
        if subtasks.is_empty() {
            draft.mentions = mentions;
            self.plan.push(task, draft);
            return;
        }
        let shared = self.plan.shared.len();
        self.plan.shared.push(mentions);
        self.subtasks(subtasks, &(task, draft), shared);
    }

    /// Reads the subtasks of a task, which wait for what the task waits for.
    fn subtasks(&mut self, values: Vec<Spanned<'a>>, parent: &(Task, Draft), shared: usize) {
        let subtasks: Vec<_> = values
            .into_iter()
            .filter_map(|value| {
                let fields = Fields::read(value, self.diagnostics)?;
                let (task, draft) = self.draft(value, &fields, Some(parent))?;
                Some((fields, task, draft))
            })
            .collect();
        let siblings: HashSet<TaskId> = subtasks.iter().map(|(_, task, _)| task.id.clone()).collect();
        let parent_id = &parent.0.id;
        let first = self.plan.tasks.len();
        for (fields, task, draft) in subtasks {
            if let Some(nested) = fields.subtasks {
                let message = "subtasks of a subtask are not read";
                self.diagnostics.push(
                    Diagnostic::warning(nested.span(self.text), message)
                        .hint("make them subtasks of the task"),
                );
            }
            let mentions = self.mentions(&fields, Some((parent_id, &siblings)));
            self.plan.push(task, Draft { mentions, shared: Some(shared), ..draft });
        }
        let members = first..self.plan.tasks.len();
        if self.plan.groups.insert(parent_id.as_str().to_owned(), members).is_some() {
            let message = format!("there is a task {parent_id} already");
            self.diagnostics.push(
                Diagnostic::error(DiagnosticCode::ParseFail, parent.1.id_span.clone(), message)
                    .hint("give one of the two another id"),
            );
        }
    }

    /// Reads all of a task but its dependencies.
    fn draft(
        &mut self,
        value: Spanned<'a>,
        fields: &Fields<'a>,
        parent: Option<&(Task, Draft)>,
    ) -> Option<(Task, Draft)> {
        let (id, id_span) = self.id(value, fields, parent)?;
        let mut string = |value: Option<Spanned<'a>>, name| fields.string(value, name, self.diagnostics);
        let mut task = Task::new(id, one_line(&string(fields.title, "title")));
        let mut draft = Draft::new(id_span);
        let description = many_lines(&string(fields.description, "description"));
        let details = many_lines(&string(fields.details, "details"));
        let test = string(fields.test_strategy, "testStrategy");
        let gap = if description.is_empty() || details.is_empty() { "" } else { "\n\n" };
        task.text = format!("{description}{gap}{details}");
        task.acceptance = criterion(&test).into_iter().collect();
        task.priority = self.priority(fields, parent);
        self.status(fields, parent, &mut task, &mut draft);
        Some((task, draft))
    }

    fn id(
        &mut self,
        value: Spanned<'a>,
        fields: &Fields<'a>,
        parent: Option<&(Task, Draft)>,
    ) -> Option<(TaskId, Range<usize>)> {
        let Some(found) = fields.id else {
            let span = value.span(self.text);
            let span = span.start..span.end.min(span.start + 1);
            self.diagnostics.push(
                Diagnostic::error(DiagnosticCode::ParseFail, span, "this task has no id")
                    .hint("add \"id\": 1"),
            );
            return None;
        };
        let words = found.id_words();
        // Subtasks are counted within their task, but some files write the whole id.
        let whole = match parent {
            Some((parent, _)) if !words.starts_with(&format!("{}.", parent.id)) => {
                Cow::Owned(format!("{}.{words}", parent.id))
            }
            _ => words,
        };
        let id = whole.parse().ok();
        if id.is_none() {
            let message = format!("{} is no task id", shorten(found.raw));
            self.diagnostics.push(
                Diagnostic::error(DiagnosticCode::ParseFail, found.span(self.text), message)
                    .hint("write a number"),
            );
        }
        Some((id?, found.span(self.text)))
    }

    fn priority(&mut self, fields: &Fields<'a>, parent: Option<&(Task, Draft)>) -> Priority {
        let inherited = parent.map_or(Priority::Normal, |(parent, _)| parent.priority);
        let Some(value) = fields.priority else { return inherited };
        let words = fields.string(Some(value), "priority", self.diagnostics);
        match words.as_str() {
            "" => inherited,
            // Task Master's word for it.
            "medium" => Priority::Normal,
            words => words.parse().unwrap_or_else(|_| {
                let message = format!("'{}' is no priority", shorten(words));
                self.diagnostics.push(
                    Diagnostic::error(DiagnosticCode::ParseFail, value.span(self.text), message)
                        .hint("write low, medium, high or critical"),
                );
                inherited
            }),
        }
    }

    /// A task that is done or put off takes its subtasks along.
    fn status(
        &mut self,
        fields: &Fields<'a>,
        parent: Option<&(Task, Draft)>,
        task: &mut Task,
        draft: &mut Draft,
    ) {
        if let Some(value) = fields.status {
            let words = fields.string(Some(value), "status", self.diagnostics);
            let status = values::status(&words);
            task.done = status == Some(Status::Done);
            draft.is_deferred = status == Some(Status::Deferred);
            draft.mark = Some(Mark::Json(value.span(self.text)));
            if status.is_none() {
                let message = format!("'{}' is no status", shorten(&words));
                self.diagnostics.push(
                    Diagnostic::error(DiagnosticCode::ParseFail, value.span(self.text), message)
                        .hint(STATUS_HINT),
                );
            }
        }
        if let Some((parent, parent_draft)) = parent {
            task.done |= parent.done;
            draft.is_deferred |= parent_draft.is_deferred && !task.done;
        }
    }

    /// Reads the list of dependencies; a subtask may name its siblings by their number within the task.
    fn mentions(&mut self, fields: &Fields<'a>, family: Option<(&TaskId, &HashSet<TaskId>)>) -> Range<usize> {
        let start = self.plan.mentions.len();
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
                    Diagnostic::error(DiagnosticCode::ParseFail, span, message)
                        .hint("write the number of a task"),
                );
                continue;
            }
            let from = Reference { phase: None, id };
            self.plan.mentions.push(Mention { what: What::Ids(Ids { from, to: None }), span });
        }
        start..self.plan.mentions.len()
    }
}
