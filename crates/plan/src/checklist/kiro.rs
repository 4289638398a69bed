//! Kiro: one task after the other, nested ones instead of their parent.

use std::{collections::HashSet, iter};

use domain::PhaseNumber;

use crate::{
    draft::{Draft, DraftPlan, Mark},
    plan::Task,
    text::{many_lines, one_line, values, without_bullet},
};

use super::Found;

/// Adds the tasks, given each phase's number.
pub(super) fn add<'a>(text: &'a str, entries: &[Found<'a>], numbers: &[PhaseNumber], to: &mut DraftPlan<'a>) {
    let family = Family::new(entries);
    to.tasks.reserve(entries.len());
    to.drafts.reserve(entries.len());
    let mut last = None;
    for (place, found) in entries.iter().enumerate() {
        if family.is_heading(place, found) {
            continue;
        }
        let Some((mut task, mut draft)) = draft(text, found) else { continue };
        task.optional = family.is_optional(place);
        task.phase = numbers.get(found.phase).copied().unwrap_or(1);
        let start = to.implied.len();
        to.implied.extend(last);
        draft.implied = start..to.implied.len();
        // The chain goes past an optional task.
        if !task.optional {
            last = Some(to.tasks.len());
        }
        to.push(task, draft);
    }
}

fn draft(text: &str, found: &Found<'_>) -> Option<(Task, Draft)> {
    let entry = &found.entry;
    let mut task = Task::new(entry.id.parse().ok()?, one_line(&entry.title));
    let mut draft = Draft::new(entry.id_span.clone());
    task.done = entry.is_done;
    draft.mark = Some(Mark::Box(entry.mark.clone()));
    let mut below = String::new();
    for own in &found.own {
        entry.item.push_below(text, own.clone(), &mut below);
    }
    let mut kept = String::with_capacity(below.len());
    for line in below.split_inclusive('\n') {
        match requirements(line) {
            Some(list) => task.references.extend(values(list)),
            None => kept.push_str(line),
        }
    }
    task.text = many_lines(&kept);
    Some((task, draft))
}

/// Returns the list of a line `- _Requirements: 1.1, 2.3_`.
fn requirements(line: &str) -> Option<&str> {
    let line = without_bullet(line.trim());
    let inside = line.strip_prefix('_').and_then(|line| line.strip_suffix('_'));
    let inside = inside.or_else(|| line.strip_prefix('*').and_then(|line| line.strip_suffix('*')))?;
    let (name, list) = inside.split_once([':', '：'])?;
    let is_known = ["requirements", "requirement", "요구사항", "요구 사항", "需求", "要件"]
        .iter()
        .any(|known| name.trim().eq_ignore_ascii_case(known));
    is_known.then_some(list)
}

/// Who is whose heading, and what is optional.
struct Family<'e> {
    /// Ids with a nested task that is not optional: that is the work, and they are only its heading.
    ids: HashSet<&'e str>,
    places: HashSet<usize>,
    /// Whether each entry is marked as optional, or nested in one that is.
    is_optional: Vec<bool>,
}

impl<'e> Family<'e> {
    /// Looks at ids and at nesting: files in the field write `2.1` below `2.` both indented and not.
    ///
    /// A parent whose nested tasks are all optional is work of its own, or nobody would do it.
    fn new(entries: &'e [Found<'_>]) -> Self {
        let mut family = Self { ids: HashSet::new(), places: HashSet::new(), is_optional: Vec::new() };
        for found in entries.iter().filter(|found| !found.entry.is_optional) {
            family.places.extend(found.parent);
            for parent in parents(found.entry.id) {
                if !family.ids.insert(parent) {
                    break;
                }
            }
        }
        let marked: HashSet<&str> =
            entries.iter().filter(|found| found.entry.is_optional).map(|found| found.entry.id).collect();
        for found in entries {
            let is_in_optional = found.parent.is_some_and(|parent| family.is_optional(parent))
                || !marked.is_empty() && parents(found.entry.id).any(|id| marked.contains(id));
            family.is_optional.push(found.entry.is_optional || is_in_optional);
        }
        family
    }

    fn is_heading(&self, place: usize, found: &Found<'_>) -> bool {
        self.places.contains(&place) || self.ids.contains(found.entry.id)
    }

    fn is_optional(&self, place: usize) -> bool {
        self.is_optional.get(place).copied().unwrap_or(false)
    }
}

/// Returns the ids that an id is nested in, the nearest first: `2.1` and `2` for `2.1.3`.
fn parents(id: &str) -> impl Iterator<Item = &str> {
    iter::successors(id.rsplit_once('.'), |(parent, _)| parent.rsplit_once('.')).map(|(parent, _)| parent)
}
