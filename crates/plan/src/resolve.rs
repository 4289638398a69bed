//! Mentions → tasks of the plan.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use domain::TaskId;

use crate::{
    dependencies::{Ids, Mention, Reference},
    diagnostic::{Code, Diagnostic, Diagnostics},
    draft::Draft,
    text::{is_none, shorten},
};

/// So many dependencies may come from ranges and groups, which name many with few bytes: without a bound a file of
/// 10,000 tasks that all wait for `T1-T9999` would make a hundred million.
pub(crate) const EXPANDED_MAX: usize = 1 << 18;

/// Finds the tasks that mentions mean.
pub(crate) struct Resolver<'a> {
    /// Every id, and its place in the list of drafts.
    places: HashMap<TaskId, usize>,
    /// The places of all kept drafts by id, for ranges.
    by_id: Vec<usize>,
    rank: Vec<usize>,
    groups: HashMap<TaskId, Vec<usize>>,
    shared: Vec<Shared<'a>>,
    /// The first draft of each id that is not deferred.
    is_kept: Vec<bool>,
    n_expanded: usize,
}

/// What a task waits for.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Places in the list of drafts, by id.
    pub(crate) places: Vec<usize>,
    pub(crate) external: Vec<String>,
}

/// A list that several drafts have in common, before and after somebody asked for it.
enum Shared<'a> {
    Mentions(Vec<Mention<'a>>),
    Found(Found),
}

impl<'a> Resolver<'a> {
    /// Looks at all ids, and complains about those that are there twice.
    pub(crate) fn new(
        drafts: &[Draft<'_>],
        groups: HashMap<TaskId, Vec<usize>>,
        shared: &[Vec<Mention<'a>>],
        places: HashMap<TaskId, usize>,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let mut places = places;
        let are_known = !places.is_empty();
        places.reserve(drafts.len().saturating_sub(places.len()));
        let mut is_kept = Vec::with_capacity(drafts.len());
        for (place, draft) in drafts.iter().enumerate() {
            let id = &draft.task.id;
            let is_first =
                are_known || *places.entry(id.clone()).or_insert(place) == place && !groups.contains_key(id);
            if !is_first {
                let message = format!("there is a task {id} already");
                diagnostics.push(
                    Diagnostic::error(Code::ParseFail, draft.id_span.clone(), message)
                        .hint("give one of the two another id"),
                );
            }
            is_kept.push(is_first && !draft.is_deferred);
        }
        let mut by_id: Vec<usize> = (0..drafts.len()).filter(|&place| is_kept[place]).collect();
        by_id.sort_by(|&left, &right| drafts[left].task.id.cmp(&drafts[right].task.id));
        let mut rank = vec![usize::MAX; drafts.len()];
        for (position, &place) in by_id.iter().enumerate() {
            rank[place] = position;
        }
        let shared = shared.iter().map(|mentions| Shared::Mentions(mentions.clone())).collect();
        Self { places, by_id, rank, groups, shared, is_kept, n_expanded: 0 }
    }

    /// Returns which drafts are tasks of the plan, and all of those by id.
    pub(crate) fn finish(self) -> (Vec<bool>, Vec<usize>) {
        (self.is_kept, self.by_id)
    }

    /// Finds what one draft waits for.
    pub(crate) fn resolve(
        &mut self,
        drafts: &[Draft<'_>],
        place: usize,
        diagnostics: &mut Diagnostics,
    ) -> Found {
        let mut found = Found::default();
        let Some(draft) = drafts.get(place) else { return found };
        if !self.is_kept[place] {
            return found;
        }
        for &implied in &draft.implied {
            self.add(drafts, implied, &mut found);
        }
        self.mentions(drafts, &draft.mentions, &mut found, diagnostics);
        if let Some(shared) = draft.shared {
            self.add_shared(drafts, (shared, &draft.id_span), &mut found, diagnostics);
        }
        found.places.sort_unstable_by_key(|&place| self.rank[place]);
        found.places.dedup();
        without_doubles(&mut found.external);
        found
    }

    fn mentions(
        &mut self,
        drafts: &[Draft<'_>],
        mentions: &[Mention<'_>],
        found: &mut Found,
        diagnostics: &mut Diagnostics,
    ) {
        for mention in mentions {
            match &mention.ids {
                Some(ids) => match &ids.to {
                    None => self.one(drafts, ids, &mention.span, found, diagnostics),
                    Some(to) => self.range(drafts, (ids, to), &mention.span, found, diagnostics),
                },
                None => self.name(mention, found, diagnostics),
            }
        }
    }

    /// Adds what a list says that several drafts have in common; it is looked at once.
    fn add_shared(
        &mut self,
        drafts: &[Draft<'_>],
        (list, span): (usize, &Range<usize>),
        found: &mut Found,
        diagnostics: &mut Diagnostics,
    ) {
        let Some(mentions) = self.shared.get_mut(list) else { return };
        let once = match std::mem::replace(mentions, Shared::Found(Found::default())) {
            Shared::Found(once) => once,
            Shared::Mentions(mentions) => {
                let mut once = Found::default();
                self.mentions(drafts, &mentions, &mut once, diagnostics);
                once.places.sort_unstable();
                once.places.dedup();
                once
            }
        };
        if self.n_expanded + once.places.len() <= EXPANDED_MAX {
            self.n_expanded += once.places.len();
            found.places.extend(&once.places);
            found.external.extend(once.external.iter().cloned());
        } else {
            self.too_many(once.places.len(), span.clone(), diagnostics);
        }
        self.shared[list] = Shared::Found(once);
    }

    /// Adds a dependency on a draft; one that is deferred is nobody's work here, so somebody must say it is met.
    fn add(&self, drafts: &[Draft<'_>], place: usize, found: &mut Found) {
        if self.is_kept.get(place).copied().unwrap_or(false) {
            found.places.push(place);
        } else if let Some(draft) = drafts.get(place).filter(|draft| draft.is_deferred) {
            found.external.push(draft.task.id.as_str().to_owned());
        }
    }

    fn name(&self, mention: &Mention<'_>, found: &mut Found, diagnostics: &mut Diagnostics) {
        let is_quoted = mention.span.len() > mention.name.len();
        let word = mention.name.split([' ', '(']).next().unwrap_or_default();
        let id = word.to_ascii_uppercase().parse::<TaskId>().ok();
        let id = id.filter(|id| id.is_lettered() && self.places.contains_key(id));
        let meant = id.map(|id| format!("{id} alone to wait for that task"));
        let meant = meant.or_else(|| {
            (!word.is_empty() && is_none(word)).then(|| "- alone to wait for nothing".to_owned())
        });
        if let Some(meant) = meant.filter(|_| !is_quoted) {
            let message = format!("'{}' is taken for something outside of the plan", shorten(&mention.name));
            diagnostics.push(
                Diagnostic::warning(mention.span.clone(), message)
                    .hint(format!("write {meant}, or the name in double quotes")),
            );
        }
        found.external.push(mention.name.clone().into_owned());
    }

    fn one(
        &mut self,
        drafts: &[Draft<'_>],
        ids: &Ids<'_>,
        span: &Range<usize>,
        found: &mut Found,
        diagnostics: &mut Diagnostics,
    ) {
        let id = ids.from.task_id();
        if let Some(members) = id.as_ref().and_then(|id| self.groups.get(id)) {
            if members.iter().all(|&member| drafts.get(member).is_some_and(|draft| draft.is_deferred)) {
                found.external.push(ids.from.id.clone().into_owned());
            } else if self.n_expanded + members.len() <= EXPANDED_MAX {
                self.n_expanded += members.len();
                members.iter().for_each(|&member| self.add(drafts, member, found));
            } else {
                self.too_many(members.len(), span.clone(), diagnostics);
            }
            return;
        }
        let Some(&place) = id.as_ref().and_then(|id| self.places.get(id)) else {
            diagnostics.push(self.missing(drafts, ids, span));
            return;
        };
        let phase = drafts.get(place).map(|draft| draft.task.phase);
        if let (Some(said), Some(phase)) = (ids.from.phase, phase)
            && said != phase
        {
            let message = format!("{} is in phase {phase}, not in phase {said}", ids.from.id);
            diagnostics.push(
                Diagnostic::error(Code::MissingDep, span.clone(), message)
                    .hint(format!("write P{phase}-{}, or {} alone", ids.from.id, ids.from.id)),
            );
            return;
        }
        self.add(drafts, place, found);
    }

    fn range(
        &mut self,
        drafts: &[Draft<'_>],
        (ids, to): (&Ids<'_>, &Reference<'_>),
        span: &Range<usize>,
        found: &mut Found,
        diagnostics: &mut Diagnostics,
    ) {
        let (Some(from), Some(to)) = (ids.from.task_id(), to.task_id()) else {
            diagnostics.push(self.missing(drafts, ids, span));
            return;
        };
        let (low, high) = if from.cmp_numbers(&to).is_le() { (&from, &to) } else { (&to, &from) };
        let id_at = |place: usize| &drafts[place].task.id;
        let start = self.by_id.partition_point(|&place| id_at(place).cmp_numbers(low).is_lt());
        let end = self.by_id.partition_point(|&place| id_at(place).cmp_numbers(high).is_le());
        let members = self.by_id.get(start..end).unwrap_or_default();
        if members.is_empty() {
            diagnostics.push(self.missing(drafts, ids, span));
        } else if self.n_expanded + members.len() <= EXPANDED_MAX {
            let is_alike = |place: &&usize| id_at(**place).is_lettered() == from.is_lettered();
            found.places.extend(members.iter().filter(is_alike));
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
                Diagnostic::error(Code::ParseFail, span, message)
                    .hint("put the tasks into phases: a phase waits for all of the phase before it"),
            );
        }
        self.n_expanded = self.n_expanded.saturating_add(n_members).max(EXPANDED_MAX + 1);
    }

    fn missing(&self, drafts: &[Draft<'_>], ids: &Ids<'_>, span: &Range<usize>) -> Diagnostic {
        let message = match &ids.to {
            Some(to) => {
                format!("no task of this plan is from {} to {}", shorten(&ids.from.id), shorten(&to.id))
            }
            None => format!("there is no task {} in this plan", shorten(&ids.from.id)),
        };
        let id_at = |position: Option<&usize>| position.map(|&place| &drafts[place].task.id);
        let hint = match (id_at(self.by_id.first()), id_at(self.by_id.last())) {
            (Some(first), Some(last)) => {
                format!("the ids of this plan go from {first} to {last}; put a name into double quotes")
            }
            _ => "write '-' if it waits for nothing".to_owned(),
        };
        Diagnostic::error(Code::MissingDep, span.clone(), message).hint(hint)
    }
}

/// Keeps the first of each name.
fn without_doubles(names: &mut Vec<String>) {
    if names.len() > 1 {
        let mut known = HashSet::with_capacity(names.len());
        names.retain(|name| known.insert(name.clone()));
    }
}
