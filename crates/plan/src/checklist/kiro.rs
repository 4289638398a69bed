//! Kiro: one task after the other, nested ones instead of their parent.

use std::collections::HashSet;

use domain::PhaseNumber;

use crate::{
    draft::{Draft, Mark},
    text::{many_lines, one_line, values, without_bullet},
};

use super::Found;

/// Returns the tasks, given each phase's number.
pub(super) fn drafts<'a>(text: &'a str, entries: Vec<Found<'a>>, numbers: &[PhaseNumber]) -> Vec<Draft<'a>> {
    let family = Family::new(&entries);
    let mut drafts: Vec<Draft<'a>> = Vec::with_capacity(entries.len());
    let mut last = None;
    for (place, found) in entries.iter().enumerate() {
        if family.is_heading(place, found) {
            continue;
        }
        let mut draft = draft(text, found);
        draft.task.optional = family.is_optional(&entries, place);
        draft.task.phase = numbers.get(found.phase).copied().unwrap_or(1);
        draft.implied = last.into_iter().collect();
        // The chain goes past an optional task.
        if !draft.task.optional {
            last = Some(drafts.len());
        }
        drafts.push(draft);
    }
    drafts
}

fn draft<'a>(text: &'a str, found: &Found<'a>) -> Draft<'a> {
    let entry = &found.entry;
    let mut draft = Draft::new(entry.id.clone(), entry.id_span.clone());
    draft.task.title = one_line(entry.title);
    draft.task.done = entry.is_done;
    draft.mark = Some(Mark::Box(entry.mark.clone()));
    let mut below = String::new();
    for own in &found.own {
        entry.item.push_below(text, own.clone(), &mut below);
    }
    let mut kept = String::with_capacity(below.len());
    for line in below.split_inclusive('\n') {
        match requirements(line) {
            Some(list) => draft.task.references.extend(values(list)),
            None => kept.push_str(line),
        }
    }
    draft.task.text = many_lines(&kept);
    draft
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

/// Who is whose heading.
struct Family {
    /// Ids with a nested task that is not optional: that is the work, and they are only its heading.
    ids: HashSet<String>,
    places: HashSet<usize>,
}

impl Family {
    /// Looks at ids and at nesting: files in the field write `2.1` below `2.` both indented and not.
    ///
    /// A parent whose nested tasks are all optional is work of its own, or nobody would do it.
    fn new(entries: &[Found<'_>]) -> Self {
        let mut family = Self { ids: HashSet::new(), places: HashSet::new() };
        for found in entries.iter().filter(|found| !found.entry.is_optional) {
            family.places.extend(found.parent);
            let mut id = found.entry.id.as_str();
            while let Some((parent, _)) = id.rsplit_once('.')
                && !family.ids.contains(parent)
            {
                family.ids.insert(parent.to_owned());
                id = parent;
            }
        }
        family
    }

    fn is_heading(&self, place: usize, found: &Found<'_>) -> bool {
        self.places.contains(&place) || self.ids.contains(found.entry.id.as_str())
    }

    /// A task is optional where its parent is.
    fn is_optional(&self, entries: &[Found<'_>], place: usize) -> bool {
        let Some(found) = entries.get(place) else { return false };
        let parent = found.parent.and_then(|parent| entries.get(parent));
        found.entry.is_optional || parent.is_some_and(|parent| parent.entry.is_optional)
    }
}
