//! Resolves dependency mentions to tasks of the plan.

use std::{collections::HashSet, ops::Range};

use domain::TaskId;

use crate::{
    dependencies::{DependencyMention, IdOrRange, IdReference, MentionTarget},
    diagnostic::{Diagnostic, DiagnosticCode, DiagnosticSink},
    draft::PlanDraft,
    ids::IndexById,
    text::{means_none, truncate_for_message},
};

mod id_index;

use id_index::IdIndex;

/// Limit for dependencies that come from ranges and groups, which name many tasks in a few bytes: 10,000 tasks that
/// all depend on `T1-T9999` would otherwise produce a hundred million edges.
pub(crate) const EXPANDED_DEPENDENCIES_MAX: usize = 1 << 18;

/// Resolves the dependencies of one task after another.
pub(crate) struct DependencyResolver<'p, 'a> {
    draft: &'p PlanDraft<'a>,
    index: IdIndex<'p>,
    /// Cache of resolved `PlanDraft::shared_lists`.
    resolved_lists: Vec<Option<TaskDependencies>>,
    n_expanded: usize,
}

/// The dependencies of one task.
#[derive(Debug, Default)]
pub(crate) struct TaskDependencies {
    /// Indices into `PlanDraft::tasks`, sorted by id.
    pub(crate) task_indices: Vec<usize>,
    pub(crate) external: Vec<String>,
}

impl<'p, 'a> DependencyResolver<'p, 'a> {
    /// Indexes all ids and reports duplicates.
    pub(crate) fn new(
        draft: &'p PlanDraft<'a>,
        index_by_id: IndexById<'p>,
        diagnostics: &mut DiagnosticSink,
    ) -> Self {
        let index = IdIndex::new(draft, index_by_id, diagnostics);
        let shared = draft.shared_lists.iter().map(|_| None).collect();
        Self { draft, index, resolved_lists: shared, n_expanded: 0 }
    }

    /// Returns for each task whether it stays in the plan, and the indices of those tasks sorted by id.
    pub(crate) fn into_kept_flags_and_order(self) -> (Vec<bool>, Vec<usize>) {
        (self.index.is_kept, self.index.by_id)
    }

    /// Resolves the dependencies of one task into `resolved`, replacing its previous content.
    pub(crate) fn resolve_task(
        &mut self,
        index: usize,
        resolved: &mut TaskDependencies,
        diagnostics: &mut DiagnosticSink,
    ) {
        resolved.task_indices.clear();
        resolved.external.clear();
        let Some(draft) = self.draft.task_drafts.get(index) else { return };
        if !self.index.is_kept[index] {
            return;
        }
        for &implied in self.draft.implied.get(draft.implied.clone()).unwrap_or_default() {
            self.add_task_dependency(implied, resolved);
        }
        self.resolve_mentions(draft.mentions.clone(), resolved, diagnostics);
        if let Some(shared) = draft.shared_list {
            self.add_shared_dependencies(shared, &draft.id_span, resolved, diagnostics);
        }
        if resolved.task_indices.len() > 1 {
            resolved.task_indices.sort_unstable_by_key(|&index| self.index.rank[index]);
            resolved.task_indices.dedup();
        }
        dedup_names(&mut resolved.external);
    }

    fn resolve_mentions(
        &mut self,
        mentions: Range<usize>,
        resolved: &mut TaskDependencies,
        diagnostics: &mut DiagnosticSink,
    ) {
        let draft = self.draft;
        for mention in draft.mentions.get(mentions).unwrap_or_default() {
            match &mention.target {
                MentionTarget::Ids(ids) => match &ids.last {
                    None => self.resolve_id(ids, &mention.span, resolved, diagnostics),
                    Some(to) => self.resolve_range(ids, to, &mention.span, resolved, diagnostics),
                },
                MentionTarget::Name(name) => {
                    self.add_external_dependency(name, mention, resolved, diagnostics)
                }
            }
        }
    }

    /// Adds a dependency list that several tasks share; it is resolved only once.
    fn add_shared_dependencies(
        &mut self,
        list: usize,
        span: &Range<usize>,
        resolved: &mut TaskDependencies,
        diagnostics: &mut DiagnosticSink,
    ) {
        let Some(cached) = self.resolved_lists.get_mut(list) else { return };
        let shared = cached.take().unwrap_or_else(|| {
            let mut shared = TaskDependencies::default();
            self.resolve_mentions(self.draft.shared_lists[list].clone(), &mut shared, diagnostics);
            shared.task_indices.sort_unstable();
            shared.task_indices.dedup();
            shared
        });
        if self.n_expanded + shared.task_indices.len() <= EXPANDED_DEPENDENCIES_MAX {
            self.n_expanded += shared.task_indices.len();
            resolved.task_indices.extend(&shared.task_indices);
            resolved.external.extend(shared.external.iter().cloned());
        } else {
            self.report_expansion_limit(shared.task_indices.len(), span.clone(), diagnostics);
        }
        self.resolved_lists[list] = Some(shared);
    }

    /// Adds a dependency on a task. A deferred task is not in the plan, so it becomes an external dependency.
    fn add_task_dependency(&self, index: usize, resolved: &mut TaskDependencies) {
        if self.index.is_kept.get(index).copied().unwrap_or(false) {
            resolved.task_indices.push(index);
        } else if self.is_deferred(index) {
            resolved.external.push(self.draft.tasks[index].id.as_str().to_owned());
        }
    }

    fn is_deferred(&self, index: usize) -> bool {
        self.draft.task_drafts.get(index).is_some_and(|draft| draft.is_deferred)
    }

    fn add_external_dependency(
        &mut self,
        name: &str,
        mention: &DependencyMention<'_>,
        resolved: &mut TaskDependencies,
        diagnostics: &mut DiagnosticSink,
    ) {
        let is_quoted = mention.span.len() > name.len();
        let word = name.split([' ', '(']).next().unwrap_or_default();
        let id = word.to_ascii_uppercase().parse::<TaskId>().ok();
        let id = id.filter(|id| id.has_letter_prefix() && self.index.index_of(id.as_str()).is_some());
        let meant = id.map(|id| format!("{id} alone to depend on that task"));
        let meant = meant.or_else(|| {
            (!word.is_empty() && means_none(word)).then(|| "- alone for no dependencies".to_owned())
        });
        if let Some(meant) = meant.filter(|_| !is_quoted) {
            let message = format!("'{}' is read as an external dependency", truncate_for_message(name));
            diagnostics.push(
                Diagnostic::warning(mention.span.clone(), message)
                    .with_hint(format!("write {meant}, or put the name in double quotes")),
            );
        }
        resolved.external.push(name.to_owned());
    }

    fn resolve_id(
        &mut self,
        ids: &IdOrRange<'_>,
        span: &Range<usize>,
        resolved: &mut TaskDependencies,
        diagnostics: &mut DiagnosticSink,
    ) {
        let id = ids.first.id.as_ref();
        if let Some(members) = self.draft.subtask_groups.get(id).cloned() {
            if members.clone().all(|member| self.is_deferred(member)) {
                resolved.external.push(id.to_owned());
            } else if self.n_expanded + members.len() <= EXPANDED_DEPENDENCIES_MAX {
                self.n_expanded += members.len();
                members.for_each(|member| self.add_task_dependency(member, resolved));
            } else {
                self.report_expansion_limit(members.len(), span.clone(), diagnostics);
            }
            return;
        }
        let Some(index) = self.index.index_of(id) else {
            diagnostics.push(self.index.missing_dependency_error(ids, span.clone()));
            return;
        };
        let phase = self.draft.tasks[index].phase;
        if let Some(written) = ids.first.phase.filter(|&written| written != phase) {
            let message = format!("{id} is in phase {phase}, not phase {written}");
            diagnostics.push(
                Diagnostic::error(DiagnosticCode::MissingDep, span.clone(), message)
                    .with_hint(format!("write P{phase}-{id}, or {id} alone")),
            );
            return;
        }
        self.add_task_dependency(index, resolved);
    }

    fn resolve_range(
        &mut self,
        ids: &IdOrRange<'_>,
        to: &IdReference<'_>,
        span: &Range<usize>,
        resolved: &mut TaskDependencies,
        diagnostics: &mut DiagnosticSink,
    ) {
        let (Some(from), Some(to)) = (ids.first.task_id(), to.task_id()) else {
            diagnostics.push(self.index.missing_dependency_error(ids, span.clone()));
            return;
        };
        let members = self.index.indices_in_range(&from, &to);
        if members.is_empty() {
            diagnostics.push(self.index.missing_dependency_error(ids, span.clone()));
        } else if self.n_expanded + members.len() <= EXPANDED_DEPENDENCIES_MAX {
            let is_alike =
                |index: &&usize| self.draft.tasks[**index].id.has_letter_prefix() == from.has_letter_prefix();
            resolved.task_indices.extend(members.iter().filter(is_alike));
            self.n_expanded += members.len();
        } else {
            self.report_expansion_limit(members.len(), span.clone(), diagnostics);
        }
    }

    /// Reports the limit once; every later list would exceed it too.
    fn report_expansion_limit(
        &mut self,
        n_members: usize,
        span: Range<usize>,
        diagnostics: &mut DiagnosticSink,
    ) {
        if self.n_expanded <= EXPANDED_DEPENDENCIES_MAX {
            let message = format!(
                "ranges and groups expand to more than {EXPANDED_DEPENDENCIES_MAX} dependencies here"
            );
            diagnostics.push(
                Diagnostic::error(DiagnosticCode::ParseFail, span, message)
                    .with_hint("use phases instead: a phase waits for all tasks of the phase before it"),
            );
        }
        self.n_expanded = self.n_expanded.saturating_add(n_members).max(EXPANDED_DEPENDENCIES_MAX + 1);
    }
}

fn dedup_names(names: &mut Vec<String>) {
    if names.len() > 1 {
        let mut cached = HashSet::with_capacity(names.len());
        names.retain(|name| cached.insert(name.clone()));
    }
}
