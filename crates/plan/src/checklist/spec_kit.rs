//! The Spec Kit dialect: tasks run one after another, and `[P]` tasks in parallel with their neighbours.

use crate::{draft::PlanDraft, paths::push_paths, text::normalize_text};

use super::{OpenTask, dependency_phrases};

/// Up to this many earlier tasks are all listed as dependencies, so that skipping one of them does not release a task
/// that still waits for another. In longer phases that would be quadratic: a task lists only those directly before
/// it, which in turn depend on the rest.
const NAMED_DEPENDENCIES_MAX: usize = 32;

/// Sets the task's text, the dependencies written in it and the files it touches.
pub(super) fn finish_task<'a>(text: &'a str, open: &OpenTask<'a>, plan: &mut PlanDraft<'a>) {
    let (Some(task), Some(draft)) = (plan.tasks.get_mut(open.index), plan.task_drafts.get_mut(open.index))
    else {
        return;
    };
    let item = &open.item;
    let start = plan.mentions.len();
    dependency_phrases::find_mentions(item.first_line, item.first_line_start, &mut plan.mentions);
    if !open.own_text.is_empty() {
        let mut below = String::new();
        for own in &open.own_text {
            dependency_phrases::find_mentions(
                text.get(own.clone()).unwrap_or_default(),
                own.start,
                &mut plan.mentions,
            );
            item.push_dedented(text, own.clone(), &mut below);
        }
        task.text = normalize_text(&below);
    }
    draft.mentions = start..plan.mentions.len();

    push_paths(&task.title, &mut task.touches);
    push_paths(&task.text, &mut task.touches);
}

/// Tasks of one phase so far, as indices into `PlanDraft::tasks`.
#[derive(Default)]
pub(super) struct PhaseSequence {
    earlier: Vec<usize>,
    last_sequential: Option<usize>,
    parallel: Vec<usize>,
}

impl PhaseSequence {
    /// Appends the dependencies of the next task of the phase, and records the task.
    pub(super) fn push_task(&mut self, index: usize, is_parallel: bool, dependencies: &mut Vec<usize>) {
        if is_parallel {
            dependencies.extend(self.last_sequential);
        } else if self.earlier.len() <= NAMED_DEPENDENCIES_MAX {
            dependencies.extend(&self.earlier);
        } else {
            dependencies.extend(self.last_sequential);
            dependencies.extend(&self.parallel);
        }
        if self.earlier.len() <= NAMED_DEPENDENCIES_MAX {
            self.earlier.push(index);
        }
        if is_parallel {
            self.parallel.push(index);
        } else {
            self.last_sequential = Some(index);
            self.parallel.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NAMED_DEPENDENCIES_MAX, PhaseSequence};

    fn dependencies_of_next_task(order: &mut PhaseSequence, index: usize, is_parallel: bool) -> Vec<usize> {
        let mut dependencies = Vec::new();
        order.push_task(index, is_parallel, &mut dependencies);
        dependencies
    }

    #[test]
    fn sequential_tasks_depend_on_all_earlier_ones_and_parallel_tasks_on_the_last_sequential_one() {
        let mut order = PhaseSequence::default();
        assert!(dependencies_of_next_task(&mut order, 0, true).is_empty());
        assert!(dependencies_of_next_task(&mut order, 1, true).is_empty());
        assert_eq!(dependencies_of_next_task(&mut order, 2, false), [0, 1]);
        assert_eq!(dependencies_of_next_task(&mut order, 3, true), [2]);
        assert_eq!(dependencies_of_next_task(&mut order, 4, true), [2]);
        assert_eq!(dependencies_of_next_task(&mut order, 5, false), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn in_a_long_phase_a_task_depends_only_on_its_direct_predecessors() {
        let mut order = PhaseSequence::default();
        for index in 0..=NAMED_DEPENDENCIES_MAX {
            dependencies_of_next_task(&mut order, index, false);
        }
        assert_eq!(
            dependencies_of_next_task(&mut order, NAMED_DEPENDENCIES_MAX + 1, true),
            [NAMED_DEPENDENCIES_MAX]
        );
        assert_eq!(
            dependencies_of_next_task(&mut order, NAMED_DEPENDENCIES_MAX + 2, false),
            [NAMED_DEPENDENCIES_MAX, NAMED_DEPENDENCIES_MAX + 1]
        );
    }
}
