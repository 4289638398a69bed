//! Mentions → tasks of the plan.

use std::{collections::HashSet, ops::Range};

use domain::TaskId;

use crate::{
    dependencies::{Ids, Mention, Reference, What},
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    draft::DraftPlan,
    ids::IdMap,
    text::{is_none, shorten},
};

mod index;

use index::Index;

/// So many dependencies may come from ranges and groups, which name many with few bytes: without a bound a file of
/// 10,000 tasks that all wait for `T1-T9999` would make a hundred million.
pub(crate) const EXPANDED_MAX: usize = 1 << 18;

/// Finds the tasks that mentions mean.
pub(crate) struct Resolver<'p, 'a> {
    found: &'p DraftPlan<'a>,
    index: Index<'p>,
    /// What the lists mean that several tasks have in common, as soon as somebody asked.
    shared: Vec<Option<Waits>>,
    n_expanded: usize,
}

/// What a task waits for.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    /// Places in the list of tasks, by id.
    pub(crate) places: Vec<usize>,
    pub(crate) external: Vec<String>,
}

impl<'p, 'a> Resolver<'p, 'a> {
    /// Looks at all ids, and complains about those that are there twice.
    pub(crate) fn new(found: &'p DraftPlan<'a>, places: IdMap<'p>, diagnostics: &mut Diagnostics) -> Self {
        let index = Index::new(found, places, diagnostics);
        let shared = found.shared.iter().map(|_| None).collect();
        Self { found, index, shared, n_expanded: 0 }
    }

    /// Returns which of the tasks are the plan's, and all of those by id.
    pub(crate) fn finish(self) -> (Vec<bool>, Vec<usize>) {
        (self.index.is_kept, self.index.by_id)
    }

    /// Finds what one task waits for; `waits` is emptied first.
    pub(crate) fn resolve(&mut self, place: usize, waits: &mut Waits, diagnostics: &mut Diagnostics) {
        waits.places.clear();
        waits.external.clear();
        let Some(draft) = self.found.drafts.get(place) else { return };
        if !self.index.is_kept[place] {
            return;
        }
        for &implied in self.found.implied.get(draft.implied.clone()).unwrap_or_default() {
            self.add(implied, waits);
        }
        self.mentions(draft.mentions.clone(), waits, diagnostics);
        if let Some(shared) = draft.shared {
            self.add_shared(shared, &draft.id_span, waits, diagnostics);
        }
        if waits.places.len() > 1 {
            waits.places.sort_unstable_by_key(|&place| self.index.rank[place]);
            waits.places.dedup();
        }
        without_doubles(&mut waits.external);
    }

    fn mentions(&mut self, mentions: Range<usize>, waits: &mut Waits, diagnostics: &mut Diagnostics) {
        let found = self.found;
        for mention in found.mentions.get(mentions).unwrap_or_default() {
            match &mention.what {
                What::Ids(ids) => match &ids.to {
                    None => self.one(ids, &mention.span, waits, diagnostics),
                    Some(to) => self.range(ids, to, &mention.span, waits, diagnostics),
                },
                What::Name(name) => self.name(name, mention, waits, diagnostics),
            }
        }
    }

    /// Adds what a list says that several tasks have in common; it is looked at once.
    fn add_shared(
        &mut self,
        list: usize,
        span: &Range<usize>,
        waits: &mut Waits,
        diagnostics: &mut Diagnostics,
    ) {
        let Some(known) = self.shared.get_mut(list) else { return };
        let once = known.take().unwrap_or_else(|| {
            let mut once = Waits::default();
            self.mentions(self.found.shared[list].clone(), &mut once, diagnostics);
            once.places.sort_unstable();
            once.places.dedup();
            once
        });
        if self.n_expanded + once.places.len() <= EXPANDED_MAX {
            self.n_expanded += once.places.len();
            waits.places.extend(&once.places);
            waits.external.extend(once.external.iter().cloned());
        } else {
            self.too_many(once.places.len(), span.clone(), diagnostics);
        }
        self.shared[list] = Some(once);
    }

    /// Adds a dependency on a task; one that is deferred is nobody's work here, so somebody must say it is met.
    fn add(&self, place: usize, waits: &mut Waits) {
        if self.index.is_kept.get(place).copied().unwrap_or(false) {
            waits.places.push(place);
        } else if self.is_deferred(place) {
            waits.external.push(self.found.tasks[place].id.as_str().to_owned());
        }
    }

    fn is_deferred(&self, place: usize) -> bool {
        self.found.drafts.get(place).is_some_and(|draft| draft.is_deferred)
    }

    fn name(&mut self, name: &str, mention: &Mention<'_>, waits: &mut Waits, diagnostics: &mut Diagnostics) {
        let is_quoted = mention.span.len() > name.len();
        let word = name.split([' ', '(']).next().unwrap_or_default();
        let id = word.to_ascii_uppercase().parse::<TaskId>().ok();
        let id = id.filter(|id| id.is_lettered() && self.index.place(id.as_str()).is_some());
        let meant = id.map(|id| format!("{id} alone to wait for that task"));
        let meant = meant.or_else(|| {
            (!word.is_empty() && is_none(word)).then(|| "- alone to wait for nothing".to_owned())
        });
        if let Some(meant) = meant.filter(|_| !is_quoted) {
            let message = format!("'{}' is taken for something outside of the plan", shorten(name));
            diagnostics.push(
                Diagnostic::warning(mention.span.clone(), message)
                    .hint(format!("write {meant}, or the name in double quotes")),
            );
        }
        waits.external.push(name.to_owned());
    }

    fn one(&mut self, ids: &Ids<'_>, span: &Range<usize>, waits: &mut Waits, diagnostics: &mut Diagnostics) {
        let id = ids.from.id.as_ref();
        if let Some(members) = self.found.groups.get(id).cloned() {
            if members.clone().all(|member| self.is_deferred(member)) {
                waits.external.push(id.to_owned());
            } else if self.n_expanded + members.len() <= EXPANDED_MAX {
                self.n_expanded += members.len();
                members.for_each(|member| self.add(member, waits));
            } else {
                self.too_many(members.len(), span.clone(), diagnostics);
            }
            return;
        }
        let Some(place) = self.index.place(id) else {
            diagnostics.push(self.index.missing(ids, span.clone()));
            return;
        };
        let phase = self.found.tasks[place].phase;
        if let Some(said) = ids.from.phase.filter(|&said| said != phase) {
            let message = format!("{id} is in phase {phase}, not in phase {said}");
            diagnostics.push(
                Diagnostic::error(DiagnosticCode::MissingDep, span.clone(), message)
                    .hint(format!("write P{phase}-{id}, or {id} alone")),
            );
            return;
        }
        self.add(place, waits);
    }

    fn range(
        &mut self,
        ids: &Ids<'_>,
        to: &Reference<'_>,
        span: &Range<usize>,
        waits: &mut Waits,
        diagnostics: &mut Diagnostics,
    ) {
        let (Some(from), Some(to)) = (ids.from.task_id(), to.task_id()) else {
            diagnostics.push(self.index.missing(ids, span.clone()));
            return;
        };
        let members = self.index.range(&from, &to);
        if members.is_empty() {
            diagnostics.push(self.index.missing(ids, span.clone()));
        } else if self.n_expanded + members.len() <= EXPANDED_MAX {
            let is_alike = |place: &&usize| self.found.tasks[**place].id.is_lettered() == from.is_lettered();
            waits.places.extend(members.iter().filter(is_alike));
            self.n_expanded += members.len();
        } else {
            self.too_many(members.len(), span.clone(), diagnostics);
        }
    }

    /// Complains once; the same would be true of every list behind it.
    fn too_many(&mut self, n_members: usize, span: Range<usize>, diagnostics: &mut Diagnostics) {
        if self.n_expanded <= EXPANDED_MAX {
            let message = format!("ranges and groups name more than {EXPANDED_MAX} dependencies up to here");
            diagnostics.push(
                Diagnostic::error(DiagnosticCode::ParseFail, span, message)
                    .hint("put the tasks into phases: a phase waits for all of the phase before it"),
            );
        }
        self.n_expanded = self.n_expanded.saturating_add(n_members).max(EXPANDED_MAX + 1);
    }
}

/// Keeps the first of each name.
fn without_doubles(names: &mut Vec<String>) {
    if names.len() > 1 {
        let mut known = HashSet::with_capacity(names.len());
        names.retain(|name| known.insert(name.clone()));
    }
}
