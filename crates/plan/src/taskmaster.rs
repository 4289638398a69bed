//! Parser for Task Master's tasks.json.
//!
//! If a task has subtasks, they are the work and the task itself is only their group. Fields that Task Master keeps
//! for its own use are ignored.

use std::{borrow::Cow, collections::HashSet, ops::Range};

use domain::{Priority, TaskId};

use crate::{
    dependencies::{DependencyMention, IdOrRange, IdReference, MentionTarget},
    diagnostic::DiagnosticSink,
    draft::{CONTEXT_BYTES_MAX, PlanDraft, StatusMark, TaskDraft},
    line_index::LineIndex,
    plan::Task,
    problem::{Problem, ValueField},
    text::{join_lines, normalize_criterion, normalize_text, truncate_for_message},
    values::{self, TaskStatus},
};

mod json;
mod unread;

pub(crate) use unread::find_nearest_object;

use json::{SpannedJson, TaskFields, TasksDocument};

pub(crate) fn parse<'a>(text: &'a str, tag: Option<&str>, diagnostics: &mut DiagnosticSink) -> PlanDraft<'a> {
    let Some(document) = TasksDocument::parse(text, tag, diagnostics) else { return PlanDraft::default() };
    let plan = PlanDraft { title: document.title, ..PlanDraft::default() };
    let read = HashSet::new();
    let mut reader = TaskmasterParser { text, diagnostics, plan, group_spans: Vec::new(), n_copied: 0, read };
    for task in document.tasks {
        reader.add_task(task);
    }
    let TaskmasterParser { plan, read, .. } = reader;
    if !plan.tasks.is_empty() {
        unread::report_unread_objects(text, &read, &document.other_tags, diagnostics);
    }
    plan
}

struct TaskmasterParser<'a, 'd> {
    text: &'a str,
    diagnostics: &'d mut DiagnosticSink,
    plan: PlanDraft<'a>,
    /// Ids of tasks with subtasks.
    group_spans: Vec<(TaskId, Range<usize>)>,
    /// Bytes of parents' texts that were copied to subtasks.
    n_copied: usize,
    /// Where the objects of the tasks start.
    read: HashSet<usize>,
}

impl<'a> TaskmasterParser<'a, '_> {
    fn add_task(&mut self, value: SpannedJson<'a>) {
        let Some(fields) = TaskFields::parse(value, self.diagnostics) else { return };
        let Some((task, mut draft)) = self.parse_task(value, &fields, None) else { return };
        let subtasks = fields.list_or_empty(fields.subtasks, "subtasks", self.diagnostics);
        let mentions = self.parse_dependencies(&fields, None);
        if subtasks.is_empty() {
            draft.mentions = mentions;
            self.plan.push_task(task, draft);
            return;
        }
        let shared = self.plan.shared_lists.len();
        self.plan.shared_lists.push(mentions);
        self.add_subtasks(subtasks, &(task, draft), shared);
    }

    /// Adds the subtasks of a task, which inherit its dependencies.
    fn add_subtasks(&mut self, values: Vec<SpannedJson<'a>>, parent: &(Task, TaskDraft), shared: usize) {
        let subtasks: Vec<_> = values
            .into_iter()
            .filter_map(|value| {
                let fields = TaskFields::parse(value, self.diagnostics)?;
                let (task, draft) = self.parse_task(value, &fields, Some(parent))?;
                Some((fields, task, draft))
            })
            .collect();
        if !subtasks.is_empty() && subtasks.iter().all(|(_, _, draft)| draft.is_deferred) {
            let (id, title) = (parent.0.id.to_string(), truncate_for_message(&parent.0.title));
            self.diagnostics.push(parent.1.id_span.clone(), Problem::Deferred { id, title });
        }
        let siblings: HashSet<TaskId> = subtasks.iter().map(|(_, task, _)| task.id.clone()).collect();
        let parent_id = &parent.0.id;
        let first = self.plan.tasks.len();
        for (fields, task, draft) in subtasks {
            if let Some(nested) = fields.subtasks {
                self.diagnostics.push(nested.span(self.text), Problem::NestedSubtasks);
            }
            let mentions = self.parse_dependencies(&fields, Some((parent_id, &siblings)));
            self.plan.push_task(task, TaskDraft { mentions, shared_list: Some(shared), ..draft });
        }
        let members = first..self.plan.tasks.len();
        self.group_spans.push((parent_id.clone(), parent.1.id_span.clone()));
        if self.plan.subtask_groups.insert(parent_id.as_str().to_owned(), members).is_some() {
            self.push_duplicate_group(&parent.0, parent.1.id_span.clone());
        }
    }

    fn push_duplicate_group(&mut self, parent: &Task, span: Range<usize>) {
        let mut groups = self.group_spans.iter().filter(|(id, _)| *id == parent.id);
        let first = groups.next().map_or(0, |(_, span)| span.start);
        let first_line = LineIndex::new(self.text.as_bytes()).line_of(first);
        let problem = Problem::DuplicateId { id: parent.id.to_string(), first_line, are_done: parent.done };
        self.diagnostics.push(span, problem);
    }

    /// Parses all fields of a task except its dependencies.
    fn parse_task(
        &mut self,
        value: SpannedJson<'a>,
        fields: &TaskFields<'a>,
        parent: Option<&(Task, TaskDraft)>,
    ) -> Option<(Task, TaskDraft)> {
        let (id, id_span) = self.parse_id(value, fields, parent)?;
        self.read.insert(value.span(self.text).start);
        let mut string =
            |value: Option<SpannedJson<'a>>, name| fields.string_or_empty(value, name, self.diagnostics);
        let mut task = Task::new(id, join_lines(&string(fields.title, "title")));
        let mut draft = TaskDraft::new(id_span);
        let description = normalize_text(&string(fields.description, "description"));
        let details = normalize_text(&string(fields.details, "details"));
        let test = string(fields.test_strategy, "testStrategy");
        task.text = join_paragraphs([description, details]);
        // What the parent says is part of each subtask's work.
        if let Some((parent, _)) = parent {
            self.n_copied += parent.text.len();
            let text = if self.n_copied <= CONTEXT_BYTES_MAX { parent.text.clone() } else { String::new() };
            let above = join_paragraphs([format!("**{}. {}**", parent.id, parent.title), text]);
            let own = std::mem::take(&mut task.text);
            let own = if own.is_empty() { own } else { format!("**{}. {}**\n\n{own}", task.id, task.title) };
            task.text = join_paragraphs([above, own]);
        }
        task.acceptance = normalize_criterion(&test).into_iter().collect();
        task.priority = self.parse_priority(fields, parent);
        self.set_status(fields, parent, &mut task, &mut draft);
        Some((task, draft))
    }

    fn parse_id(
        &mut self,
        value: SpannedJson<'a>,
        fields: &TaskFields<'a>,
        parent: Option<&(Task, TaskDraft)>,
    ) -> Option<(TaskId, Range<usize>)> {
        let Some(id_value) = fields.id else {
            let span = value.span(self.text);
            let span = span.start..span.end.min(span.start + 1);
            self.diagnostics.push(span, Problem::NoId);
            return None;
        };
        let text = id_value.id_text();
        // Subtasks are numbered within their task, but some files write the full id.
        let whole = match parent {
            Some((parent, _)) if !text.starts_with(&format!("{}.", parent.id)) => {
                Cow::Owned(format!("{}.{text}", parent.id))
            }
            _ => text,
        };
        let id = whole.parse().ok();
        if id.is_none() {
            let problem = Problem::NotATaskId { text: truncate_for_message(id_value.raw) };
            self.diagnostics.push(id_value.span(self.text), problem);
        }
        Some((id?, id_value.span(self.text)))
    }

    fn parse_priority(&mut self, fields: &TaskFields<'a>, parent: Option<&(Task, TaskDraft)>) -> Priority {
        let inherited = parent.map_or(Priority::Normal, |(parent, _)| parent.priority);
        let Some(value) = fields.priority else { return inherited };
        let text = fields.string_or_empty(Some(value), "priority", self.diagnostics);
        match text.as_str() {
            "" => inherited,
            // Task Master's name for normal.
            "medium" => Priority::Normal,
            text => values::parse_priority(text).unwrap_or_else(|| {
                let problem = Problem::InvalidValue {
                    field: ValueField::TaskMasterPriority,
                    text: truncate_for_message(text),
                };
                self.diagnostics.push(value.span(self.text), problem);
                inherited
            }),
        }
    }

    /// Sets whether the task is done or deferred; subtasks inherit both from their task.
    fn set_status(
        &mut self,
        fields: &TaskFields<'a>,
        parent: Option<&(Task, TaskDraft)>,
        task: &mut Task,
        draft: &mut TaskDraft,
    ) {
        if let Some(value) = fields.status {
            let text = fields.string_or_empty(Some(value), "status", self.diagnostics);
            let status = values::parse_status(&text);
            task.done = status == Some(TaskStatus::Done);
            draft.is_deferred = status == Some(TaskStatus::Deferred);
            draft.status_mark = Some(StatusMark::JsonString(value.span(self.text)));
            if status.is_none() {
                let problem =
                    Problem::InvalidValue { field: ValueField::Status, text: truncate_for_message(&text) };
                self.diagnostics.push(value.span(self.text), problem);
            }
        }
        if let Some((parent, parent_draft)) = parent {
            task.done |= parent.done;
            // Nothing remains of a parent that is done, whatever its subtasks say.
            draft.is_deferred = (draft.is_deferred || parent_draft.is_deferred) && !task.done;
        }
    }

    /// Parses the list of dependencies; a subtask may name its siblings by their number within the task.
    fn parse_dependencies(
        &mut self,
        fields: &TaskFields<'a>,
        family: Option<(&TaskId, &HashSet<TaskId>)>,
    ) -> Range<usize> {
        let start = self.plan.mentions.len();
        for value in fields.list_or_empty(fields.dependencies, "dependencies", self.diagnostics) {
            let text = value.id_text();
            let span = value.span(self.text);
            let as_sibling = family.filter(|_| !text.contains('.')).and_then(|(parent, siblings)| {
                format!("{parent}.{text}").parse::<TaskId>().ok().filter(|id| siblings.contains(id))
            });
            let id = as_sibling.map_or(text, |id| Cow::Owned(id.as_str().to_owned()));
            if id.parse::<TaskId>().is_err() {
                self.diagnostics.push(span, Problem::NotATaskId { text: truncate_for_message(value.raw) });
                continue;
            }
            let from = IdReference { phase: None, id };
            self.plan.mentions.push(DependencyMention {
                target: MentionTarget::Ids(IdOrRange { first: from, last: None, part: None }),
                span,
            });
        }
        start..self.plan.mentions.len()
    }
}

/// Joins the texts that are not empty, with an empty line between them.
fn join_paragraphs(texts: [String; 2]) -> String {
    let [first, second] = texts;
    let gap = if first.is_empty() || second.is_empty() { "" } else { "\n\n" };
    format!("{first}{gap}{second}")
}
