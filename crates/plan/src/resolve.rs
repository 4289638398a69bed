//! Resolves dependency mentions to tasks of the plan.

use std::{collections::HashSet, ops::Range};

use domain::PhaseNumber;

use crate::{
    dependencies::{DependencyMention, IdOrRange, IdReference, MentionTarget, push_ids_among_words},
    diagnostic::DiagnosticSink,
    draft::PlanDraft,
    heading::{self, PhaseHeadingNumber},
    ids::IndexById,
    problem::Problem,
    text::truncate_for_message,
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
        text: &str,
        diagnostics: &mut DiagnosticSink,
    ) -> Self {
        let index = IdIndex::new(draft, index_by_id, text, diagnostics);
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
        if !self.draft.distant.is_empty() {
            let start = self.draft.distant.partition_point(|&(task, _)| task < index);
            let own = self.draft.distant.iter().skip(start).take_while(|&&(task, _)| task == index);
            own.for_each(|&(_, dependency)| self.add_task_dependency(dependency, resolved));
        }
        self.resolve_mentions(draft.mentions.clone(), Some(index), resolved, diagnostics);
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
        of: Option<usize>,
        resolved: &mut TaskDependencies,
        diagnostics: &mut DiagnosticSink,
    ) {
        let draft = self.draft;
        for mention in draft.mentions.get(mentions).unwrap_or_default() {
            match &mention.target {
                MentionTarget::Ids(ids) => self.resolve_ids(ids, &mention.span, of, resolved, diagnostics),
                MentionTarget::Name(name) => self.resolve_name(name, mention, resolved, diagnostics),
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
            self.resolve_mentions(self.draft.shared_lists[list].clone(), None, &mut shared, diagnostics);
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

    /// Adds a part of a list that is not an id: a phase, words around an id, or else an external dependency.
    fn resolve_name(
        &mut self,
        name: &str,
        mention: &DependencyMention<'_>,
        resolved: &mut TaskDependencies,
        diagnostics: &mut DiagnosticSink,
    ) {
        let is_quoted = mention.span.len() > name.len();
        if is_quoted {
            resolved.external.push(name.to_owned());
            return;
        }
        if let Some(members) = self.members_of_phase(name) {
            self.add_group_members(&members, mention.span.clone(), resolved, diagnostics);
            return;
        }
        let mut inside = Vec::new();
        push_ids_among_words(name, mention.span.start, &mut inside);
        if inside.is_empty() {
            let comments = name.split('(').skip(1).filter_map(|rest| rest.split(')').next());
            comments.for_each(|comment| push_ids_among_words(comment, mention.span.start, &mut inside));
        }
        let is_known = |mention: &DependencyMention<'_>| match &mention.target {
            MentionTarget::Ids(ids) => self.index.contains(&ids.first),
            MentionTarget::Name(_) => false,
        };
        inside.retain(is_known);
        let Some(first) = inside.first() else {
            resolved.external.push(name.to_owned());
            return;
        };
        if let MentionTarget::Ids(ids) = &first.target {
            let problem = Problem::ReadAsDependency {
                text: truncate_for_message(name),
                id: ids.first.with_phase().into_owned(),
            };
            diagnostics.push(mention.span.clone(), problem);
        }
        for DependencyMention { target, span } in &inside {
            if let MentionTarget::Ids(ids) = target {
                self.resolve_ids(ids, span, None, resolved, diagnostics);
            }
        }
    }

    /// Returns the tasks of a phase that a text names: `Phase 1`, `2단계 완료`, `P1`.
    fn members_of_phase(&mut self, name: &str) -> Option<Vec<usize>> {
        let is_short = name.strip_prefix('P').is_some_and(|rest| rest.parse::<PhaseNumber>().is_ok());
        let phase = match is_short {
            true => heading::parse_phase_value(name),
            false => heading::parse_phase_heading(name),
        };
        let PhaseHeadingNumber::Whole(number) = phase?.number else { return None };
        let tasks = self.draft.tasks.iter().enumerate();
        let members: Vec<_> =
            tasks.filter(|(_, task)| task.phase == number).map(|(index, _)| index).collect();
        (!members.is_empty()).then_some(members)
    }

    fn add_group_members(
        &mut self,
        members: &[usize],
        span: Range<usize>,
        resolved: &mut TaskDependencies,
        diagnostics: &mut DiagnosticSink,
    ) {
        if self.n_expanded + members.len() <= EXPANDED_DEPENDENCIES_MAX {
            self.n_expanded += members.len();
            members.iter().for_each(|&member| self.add_task_dependency(member, resolved));
        } else {
            self.report_expansion_limit(members.len(), span, diagnostics);
        }
    }

    fn resolve_ids(
        &mut self,
        ids: &IdOrRange<'_>,
        span: &Range<usize>,
        of: Option<usize>,
        resolved: &mut TaskDependencies,
        diagnostics: &mut DiagnosticSink,
    ) {
        match &ids.last {
            None => self.resolve_id(ids, span, of, resolved, diagnostics),
            Some(to) => self.resolve_range(ids, to, span, resolved, diagnostics),
        }
    }

    fn resolve_id(
        &mut self,
        ids: &IdOrRange<'_>,
        span: &Range<usize>,
        of: Option<usize>,
        resolved: &mut TaskDependencies,
        diagnostics: &mut DiagnosticSink,
    ) {
        let id = ids.first.id.as_ref();
        if ids.first.phase.is_some()
            && let Some(index) = self.index.index_of(&ids.first.with_phase())
        {
            self.add_task_dependency(index, resolved);
            return;
        }
        if let Some(members) = self.draft.subtask_groups.get(id).cloned() {
            let members: Vec<usize> = members.filter(|&member| Some(member) != of).collect();
            if members.iter().all(|&member| self.is_deferred(member)) {
                resolved.external.push(id.to_owned());
            } else {
                self.add_group_members(&members, span.clone(), resolved, diagnostics);
            }
            return;
        }
        let Some(index) = self.index.index_of(id) else {
            self.resolve_unknown_id(ids, span, of, resolved, diagnostics);
            return;
        };
        let phase = self.draft.tasks[index].phase;
        if let Some(written) = ids.first.phase.filter(|&written| written != phase) {
            diagnostics.push(span.clone(), Problem::WrongPhase { id: id.to_owned(), phase, written });
            return;
        }
        self.add_task_dependency(index, resolved);
    }

    /// Resolves an id that no task has as a whole: the part behind `P1-`, or the common part of several ids.
    fn resolve_unknown_id(
        &mut self,
        ids: &IdOrRange<'_>,
        span: &Range<usize>,
        of: Option<usize>,
        resolved: &mut TaskDependencies,
        diagnostics: &mut DiagnosticSink,
    ) {
        let id = ids.first.id.as_ref();
        let phase = ids.first.phase;
        let candidates = match phase {
            None => self.draft.tasks_by_bare_id.get(id).map_or(&[][..], Vec::as_slice),
            Some(_) => &[],
        };
        let phase_of = |index: usize| self.draft.tasks.get(index).map(|task| task.phase);
        let of_phase = of.and_then(phase_of);
        let nearest = candidates.iter().find(|&&index| of.is_some() && phase_of(index) == of_phase);
        if let Some(&index) = nearest.or(candidates.first().filter(|_| candidates.len() == 1)) {
            self.add_task_dependency(index, resolved);
            return;
        }
        if !candidates.is_empty() {
            let names = candidates.iter().filter_map(|&index| self.draft.tasks.get(index));
            let candidates = names.map(|task| task.id.to_string()).collect();
            diagnostics.push(span.clone(), Problem::AmbiguousId { id: id.to_owned(), candidates });
            return;
        }
        let whole = ids.first.with_phase();
        let members = self.index.members_of_group(&whole);
        if !members.is_empty() {
            let members: Vec<usize> = members.into_iter().filter(|&member| Some(member) != of).collect();
            self.add_group_members(&members, span.clone(), resolved, diagnostics);
            return;
        }
        if let Some((first, last)) = self.split_compound_range(&ids.first) {
            self.resolve_range(
                &IdOrRange { first, last: None, part: None },
                &last,
                span,
                resolved,
                diagnostics,
            );
            return;
        }
        match ids.part.filter(|_| !ids.first.has_letter_prefix()) {
            // `2.0 release` names something else.
            Some(words) => resolved.external.push(words.to_owned()),
            None => diagnostics.push(span.clone(), self.index.missing_dependency(ids)),
        }
    }

    /// Splits `WP01-WP05` where both ends are tasks.
    fn split_compound_range<'r>(
        &mut self,
        id: &'r IdReference<'_>,
    ) -> Option<(IdReference<'r>, IdReference<'r>)> {
        let whole = id.id.as_ref();
        whole.match_indices('-').find_map(|(at, _)| {
            let ends = [&whole[..at], &whole[at + 1..]];
            let [first, last] =
                ends.map(|end| self.index.index_of(end).and_then(|_| IdReference::parse_whole(end)));
            first.zip(last)
        })
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
            diagnostics.push(span.clone(), self.index.missing_dependency(ids));
            return;
        };
        let members = self.index.indices_in_range(&from, &to);
        if members.is_empty() {
            diagnostics.push(span.clone(), self.index.missing_dependency(ids));
        } else if self.n_expanded + members.len() <= EXPANDED_DEPENDENCIES_MAX {
            let is_alike = |index: &&usize| {
                let id = self.draft.tasks[**index].id.as_str();
                has_same_letters(id, from.as_str()) || has_same_letters(id, to.as_str())
            };
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
            diagnostics.push(span, Problem::TooManyDependencies { limit: EXPANDED_DEPENDENCIES_MAX });
        }
        self.n_expanded = self.n_expanded.saturating_add(n_members).max(EXPANDED_DEPENDENCIES_MAX + 1);
    }
}

/// Tells whether two ids differ only in their numbers.
fn has_same_letters(id: &str, other: &str) -> bool {
    let is_letter = |byte: &u8| !byte.is_ascii_digit() && *byte != b'.';
    id.bytes().filter(is_letter).eq(other.bytes().filter(is_letter))
}

fn dedup_names(names: &mut Vec<String>) {
    if names.len() > 1 {
        let mut cached = HashSet::with_capacity(names.len());
        names.retain(|name| cached.insert(name.clone()));
    }
}
