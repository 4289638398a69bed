//! Kiro: one task after the other, nested ones instead of their parent.

use std::{collections::HashSet, iter};

use crate::{
    draft::PlanDraft,
    plan::Task,
    text::{normalize_text, parse_values, strip_bullet},
};

use super::OpenTask;

/// Adds a task's text, without the requirements that it refers to.
pub(super) fn finish_task(text: &str, open: &OpenTask<'_>, plan: &mut PlanDraft<'_>) {
    let Some(task) = plan.tasks.get_mut(open.index) else { return };
    let mut below = String::new();
    for own in &open.own_text {
        open.item.push_dedented(text, own.clone(), &mut below);
    }
    let mut kept = String::with_capacity(below.len());
    for line in below.split_inclusive('\n') {
        match requirements_list(line) {
            Some(list) => task.references.extend(parse_values(list)),
            None => kept.push_str(line),
        }
    }
    task.text = normalize_text(&kept);
}

/// Leaves out the headings of others, given the task that each is nested in, and makes a chain of the rest.
pub(super) fn chain_tasks(plan: &mut PlanDraft<'_>, parents: &[Option<usize>]) {
    let NestingFlags { is_heading, is_optional } = NestingFlags::new(&plan.tasks, parents);
    let kept = || is_heading.iter().map(|is_heading| !is_heading);
    plan.retain(kept);
    let mut last = None;
    let optional = is_optional.into_iter().zip(kept()).filter(|(_, is_kept)| *is_kept);
    for (index, (is_optional, _)) in optional.enumerate() {
        let start = plan.implied.len();
        plan.implied.extend(last);
        plan.task_drafts[index].implied = start..plan.implied.len();
        plan.tasks[index].optional = is_optional;
        // The chain goes past an optional task.
        if !is_optional {
            last = Some(index);
        }
    }
}

/// Returns the list of a line `- _Requirements: 1.1, 2.3_`.
fn requirements_list(line: &str) -> Option<&str> {
    let line = strip_bullet(line.trim());
    let inside = line.strip_prefix('_').and_then(|line| line.strip_suffix('_'));
    let inside = inside.or_else(|| line.strip_prefix('*').and_then(|line| line.strip_suffix('*')))?;
    let (name, list) = inside.split_once([':', '：'])?;
    let is_known = ["requirements", "requirement", "요구사항", "요구 사항", "需求", "要件"]
        .iter()
        .any(|known| name.trim().eq_ignore_ascii_case(known));
    is_known.then_some(list)
}

/// Who is whose heading, and what is optional.
struct NestingFlags {
    /// Whether each task has a nested one that is not optional: that is the work, and it is only its heading.
    is_heading: Vec<bool>,
    /// Whether each task is marked as optional, or nested in one that is.
    is_optional: Vec<bool>,
}

impl NestingFlags {
    /// Looks at ids and at nesting: files in the field write `2.1` below `2.` both indented and not.
    ///
    /// A parent whose nested tasks are all optional is work of its own, or nobody would do it.
    fn new(tasks: &[Task], parents: &[Option<usize>]) -> Self {
        let mut is_heading = vec![false; tasks.len()];
        let mut headings: HashSet<&str> = HashSet::new();
        for (task, parent) in tasks.iter().zip(parents).filter(|(task, _)| !task.optional) {
            parent.iter().for_each(|&parent| is_heading[parent] = true);
            for id in ancestor_ids(task.id.as_str()) {
                if !headings.insert(id) {
                    break;
                }
            }
        }
        let marked: HashSet<&str> =
            tasks.iter().filter(|task| task.optional).map(|task| task.id.as_str()).collect();
        let mut is_optional: Vec<bool> = Vec::with_capacity(tasks.len());
        for ((task, parent), is_heading) in tasks.iter().zip(parents).zip(&mut is_heading) {
            let id = task.id.as_str();
            *is_heading |= headings.contains(id);
            let is_in_optional = parent.is_some_and(|parent| is_optional[parent])
                || !marked.is_empty() && ancestor_ids(id).any(|id| marked.contains(id));
            is_optional.push(task.optional || is_in_optional);
        }
        Self { is_heading, is_optional }
    }
}

/// Returns the ids that an id is nested in, the nearest first: `2.1` and `2` for `2.1.3`.
fn ancestor_ids(id: &str) -> impl Iterator<Item = &str> {
    iter::successors(id.rsplit_once('.'), |(parent, _)| parent.rsplit_once('.')).map(|(parent, _)| parent)
}
