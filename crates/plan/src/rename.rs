//! Gives tasks with repeated ids new ones, changing nothing else of the file.

use std::collections::BTreeSet;

use domain::TaskId;

use crate::{
    format::PlanFormat,
    mark_done::TextEdit,
    parse::{ParseOptions, parse},
    problem::Problem,
};

/// A task that gets a new id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenamedTask {
    /// Line of the later task, from 1.
    pub line: usize,
    pub from: String,
    pub to: String,
}

/// Returns the file with a new id for each task whose id an earlier task has, and what was renamed.
///
/// Dependencies keep meaning the first task of an id.
pub fn rename_duplicates(source: &[u8], options: ParseOptions<'_>) -> (Vec<u8>, Vec<RenamedTask>) {
    let parsed = parse(source, options);
    let mut used: BTreeSet<String> = parsed.plan.tasks.iter().map(|task| task.id.to_string()).collect();
    let lines = crate::LineIndex::new(source);
    let mut edits = Vec::new();
    let mut renamed = Vec::new();
    for diagnostic in &parsed.diagnostics {
        let Problem::DuplicateId { id, .. } = &diagnostic.problem else { continue };
        let Some(to) = new_id(id, parsed.format, &used) else { continue };
        let written = source.get(diagnostic.span.clone()).unwrap_or_default();
        let written = String::from_utf8_lossy(written);
        // The id may have its phase or quotes around it.
        let bare = id.as_str();
        if !written.contains(bare) {
            continue;
        }
        edits.push(TextEdit { span: diagnostic.span.clone(), replacement: written.replacen(bare, &to, 1) });
        renamed.push(RenamedTask {
            line: lines.line_of(diagnostic.span.start),
            from: id.clone(),
            to: to.clone(),
        });
        used.insert(to);
    }
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
    let changed = edits.iter().fold(source.to_vec(), |file, edit| edit.apply(&file));
    (changed, renamed)
}

/// Returns an id that no task has: the next number in tasks.json, otherwise the id with a letter.
fn new_id(id: &str, format: Option<PlanFormat>, used: &BTreeSet<String>) -> Option<String> {
    if format == Some(PlanFormat::Taskmaster) {
        let largest = used.iter().filter_map(|id| id.split('.').next()?.parse::<u64>().ok()).max()?;
        return Some((largest + 1).to_string());
    }
    if id.starts_with(|first: char| first.is_ascii_digit()) {
        // `1.1` below `1` would be its child: the next number beside it is free of other meanings.
        let (above, last) = id.rsplit_once('.').map_or(("", id), |(above, last)| (above, last));
        let first: u32 = last.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()?;
        let dot = if above.is_empty() { "" } else { "." };
        let mut candidates = (1..10_000).map(|step| format!("{above}{dot}{}", first.saturating_add(step)));
        return candidates.find(|candidate| !used.contains(candidate));
    }
    let with_letter = ('b'..='z').map(|letter| format!("{id}{letter}"));
    let with_number = (2..1_000).map(|number| format!("{id}.{number}"));
    let mut candidates = with_letter.chain(with_number);
    // An id with a letter takes no second one.
    let ends_with_digit = id.ends_with(|last: char| last.is_ascii_digit());
    candidates.find(|candidate| {
        let has_letter = candidate.ends_with(|last: char| last.is_ascii_alphabetic());
        !used.contains(candidate) && (!has_letter || ends_with_digit) && candidate.parse::<TaskId>().is_ok()
    })
}
