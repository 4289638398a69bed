//! Which id is where, and which ids are from one to another.

use domain::TaskId;

use crate::{
    dependencies::Ids,
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    draft::{Draft, DraftPlan},
    ids::{self, IdMap},
    plan::Task,
    text::shorten,
};

/// The ids of a plan.
pub(super) struct Index<'p> {
    tasks: &'p [Task],
    /// Empty until somebody asks for an id.
    places: IdMap<'p>,
    /// The places of all kept tasks by id.
    pub(super) by_id: Vec<usize>,
    pub(super) rank: Vec<usize>,
    /// The first task of each id, if it is not deferred.
    pub(super) is_kept: Vec<bool>,
}

impl<'p> Index<'p> {
    /// Looks at all ids, and complains about those that are there twice.
    pub(super) fn new(found: &'p DraftPlan<'_>, places: IdMap<'p>, diagnostics: &mut Diagnostics) -> Self {
        let tasks = found.tasks.as_slice();
        let mut is_kept = vec![true; tasks.len()];
        let mut by_id = ids::sorted(tasks, &found.keys);
        let mut complain = |place: usize| {
            if std::mem::replace(&mut is_kept[place], false) {
                diagnostics.push(twice(&tasks[place], &found.drafts[place]));
            }
        };
        // A reader that knows the places has seen to it that none is there twice.
        if places.is_empty() {
            let pairs = by_id.iter().zip(by_id.iter().skip(1));
            let twice = pairs.filter(|(one, next)| tasks[**one].id == tasks[**next].id);
            twice.for_each(|(_, &next)| complain(next));
        }
        if !found.groups.is_empty() {
            (0..tasks.len())
                .filter(|&place| found.groups.contains_key(tasks[place].id.as_str()))
                .for_each(complain);
        }
        for (is_kept, draft) in is_kept.iter_mut().zip(&found.drafts) {
            *is_kept &= !draft.is_deferred;
        }
        by_id.retain(|&place| is_kept[place]);
        let mut rank = vec![usize::MAX; tasks.len()];
        for (position, &place) in by_id.iter().enumerate() {
            rank[place] = position;
        }
        Self { tasks, places, by_id, rank, is_kept }
    }

    /// Returns the place of an id.
    pub(super) fn place(&mut self, id: &str) -> Option<usize> {
        if self.places.is_empty() {
            // In a check list tasks follow each other, and hardly one names another.
            self.places.reserve(self.tasks.len());
            for (place, task) in self.tasks.iter().enumerate() {
                self.places.entry(task.id.as_str()).or_insert(place);
            }
        }
        self.places.get(id).copied()
    }

    /// Returns the places of all ids from one to another, by their numbers.
    pub(super) fn range(&self, from: &TaskId, to: &TaskId) -> &[usize] {
        let (low, high) = if from.cmp_numbers(to).is_le() { (from, to) } else { (to, from) };
        let id_at = |place: usize| &self.tasks[place].id;
        let start = self.by_id.partition_point(|&place| id_at(place).cmp_numbers(low).is_lt());
        let end = self.by_id.partition_point(|&place| id_at(place).cmp_numbers(high).is_le());
        self.by_id.get(start..end).unwrap_or_default()
    }

    /// Complains about ids that are none of the plan's.
    pub(super) fn missing(&self, ids: &Ids<'_>, span: std::ops::Range<usize>) -> Diagnostic {
        let message = match &ids.to {
            Some(to) => {
                format!("no task of this plan is from {} to {}", shorten(&ids.from.id), shorten(&to.id))
            }
            None => format!("there is no task {} in this plan", shorten(&ids.from.id)),
        };
        let id_at = |position: Option<&usize>| position.map(|&place| &self.tasks[place].id);
        let hint = match (id_at(self.by_id.first()), id_at(self.by_id.last())) {
            (Some(first), Some(last)) => {
                format!("the ids of this plan go from {first} to {last}; put a name into double quotes")
            }
            _ => "write '-' if it waits for nothing".to_owned(),
        };
        Diagnostic::error(DiagnosticCode::MissingDep, span, message).hint(hint)
    }
}

fn twice(task: &Task, draft: &Draft) -> Diagnostic {
    let message = format!("there is a task {} already", task.id);
    Diagnostic::error(DiagnosticCode::ParseFail, draft.id_span.clone(), message)
        .hint("give one of the two another id")
}
