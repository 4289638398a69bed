//! The Kiro dialect: tasks run in file order, and nested tasks replace their parent.

use std::{collections::HashSet, iter};

use crate::{
    draft::PlanDraft,
    plan::Task,
    text::{normalize_text, parse_values, strip_bullet},
};

use super::OpenTask;

/// Sets the task's text and moves its `_Requirements_` line into the references.
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

/// Removes parents that only group other tasks, and lets each remaining task depend on the one before it.
pub(super) fn chain_tasks(plan: &mut PlanDraft<'_>, parents: &[Option<usize>]) {
    let GroupAndOptionalFlags { is_heading, is_optional } = GroupAndOptionalFlags::new(&plan.tasks, parents);
    let kept = || is_heading.iter().map(|is_heading| !is_heading);
    plan.retain_tasks(kept);
    let mut last = None;
    let optional = is_optional.into_iter().zip(kept()).filter(|(_, is_kept)| *is_kept);
    for (index, (is_optional, _)) in optional.enumerate() {
        let start = plan.implied.len();
        plan.implied.extend(last);
        plan.task_drafts[index].implied = start..plan.implied.len();
        plan.tasks[index].optional = is_optional;
        // Optional tasks are not part of the chain: the next task depends on the one before them.
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

/// Which tasks only group others, and which are optional; one entry per task.
struct GroupAndOptionalFlags {
    /// True if a required task is nested in it: the nested tasks are then the work.
    is_heading: Vec<bool>,
    /// True if it or one of its ancestors is marked optional.
    is_optional: Vec<bool>,
}

impl GroupAndOptionalFlags {
    /// Considers both ids and indentation, because real files write `2.1` below `2.` with and without it.
    ///
    /// A parent whose nested tasks are all optional stays a task, otherwise its own work would be lost.
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

/// Returns the ids above an id, nearest first: `2.1` and `2` for `2.1.3`.
fn ancestor_ids(id: &str) -> impl Iterator<Item = &str> {
    iter::successors(id.rsplit_once('.'), |(parent, _)| parent.rsplit_once('.')).map(|(parent, _)| parent)
}
