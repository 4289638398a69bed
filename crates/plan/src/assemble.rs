//! Turns a [`PlanDraft`] into a [`Plan`]: unique ids, resolved dependencies, ordered phases, cycles reported.

use crate::{
    diagnostic::DiagnosticSink,
    draft::{PlanDraft, StatusMark, TaskDraft},
    graph::{CycleNode, EdgeList, TaskGraph},
    phases,
    plan::{Plan, Task},
    problem::Problem,
    resolve::{DependencyResolver, TaskDependencies},
    text::truncate_for_message,
};

mod cycle_span;
mod line_counter;

use line_counter::LineCounter;

/// Builds the plan and reports inconsistencies; also returns the status mark of each task.
pub(crate) fn assemble_plan(
    text: &str,
    mut draft: PlanDraft<'_>,
    diagnostics: &mut DiagnosticSink,
) -> (Plan, Vec<Option<StatusMark>>) {
    let index_by_id = std::mem::take(&mut draft.index_by_id);
    let mut resolver = DependencyResolver::new(&draft, index_by_id, text, diagnostics);
    let mut dependencies =
        EdgeList::with_capacity(draft.tasks.len(), draft.implied.len() + draft.mentions.len());
    let mut external = Vec::new();
    let mut resolved = TaskDependencies::default();
    for index in 0..draft.tasks.len() {
        resolver.resolve_task(index, &mut resolved, diagnostics);
        dependencies.extend(&resolved.task_indices);
        dependencies.end_node();
        if !resolved.external.is_empty() {
            external.push((index, std::mem::take(&mut resolved.external)));
        }
    }
    let (is_kept, mut by_id) = resolver.into_kept_flags_and_order();

    let PlanDraft { title, mut tasks, task_drafts: mut drafts, phases, mentions, .. } = draft;
    for (index, names) in external {
        tasks[index].external = names;
    }
    let mut lines = LineCounter::new(text);
    for (index, draft) in drafts.iter().enumerate() {
        let depends_on =
            dependencies.targets_of(index).iter().map(|&dependency| tasks[dependency].id.clone()).collect();
        let task = &mut tasks[index];
        task.depends_on = depends_on;
        task.line = lines.line_at(draft.id_span.start);
    }
    if is_kept.contains(&false) {
        for (task, draft) in tasks.iter().zip(&drafts).filter(|(_, draft)| draft.is_deferred) {
            let problem =
                Problem::Deferred { id: task.id.to_string(), title: truncate_for_message(&task.title) };
            diagnostics.push(draft.id_span.clone(), problem);
        }
        remove_excluded_tasks(&is_kept, &mut tasks, &mut drafts, &mut dependencies, &mut by_id);
    }
    let phases = phases::build_phases(phases, &tasks, diagnostics);
    let plan = Plan { title, phases, tasks };
    if !has_only_backward_dependencies(&plan, &dependencies) {
        for cycle in TaskGraph::from_dependencies(&plan, &dependencies, &by_id).cycles(&plan) {
            let span = cycle_span::cycle_span(&plan, &cycle.nodes, &drafts, &mentions);
            let are_done = cycle.nodes.iter().all(|node| match node {
                CycleNode::Task(task) => plan.tasks.get(*task).is_some_and(|task| task.done),
                CycleNode::Phase(_) => false,
            });
            diagnostics.push(span, Problem::CircularDependency { cycle, are_done });
        }
    }
    (plan, drafts.into_iter().map(|draft| draft.status_mark).collect())
}

/// Removes the tasks whose flag in `is_kept` is false, and renumbers all task indices accordingly.
fn remove_excluded_tasks(
    is_kept: &[bool],
    tasks: &mut Vec<Task>,
    drafts: &mut Vec<TaskDraft>,
    dependencies: &mut EdgeList,
    by_id: &mut [usize],
) {
    let mut new_indices = Vec::with_capacity(is_kept.len());
    let mut n_kept = 0;
    for &is_kept in is_kept {
        new_indices.push(n_kept);
        n_kept += usize::from(is_kept);
    }
    let mut kept = EdgeList::with_capacity(n_kept, dependencies.n_edges());
    for index in (0..is_kept.len()).filter(|&index| is_kept[index]) {
        dependencies.targets_of(index).iter().for_each(|&dependency| kept.push(new_indices[dependency]));
        kept.end_node();
    }
    *dependencies = kept;
    by_id.iter_mut().for_each(|index| *index = new_indices[*index]);
    let mut flags = is_kept.iter();
    tasks.retain(|_| flags.next().is_some_and(|&is_kept| is_kept));
    let mut flags = is_kept.iter();
    drafts.retain(|_| flags.next().is_some_and(|&is_kept| is_kept));
}

/// Tells whether every task depends only on tasks in earlier phases or on earlier lines. Such a plan has no cycle, so
/// the search for cycles can be skipped; most plans are written this way.
fn has_only_backward_dependencies(plan: &Plan, dependencies: &EdgeList) -> bool {
    let after_earlier = plan.phases.iter().all(|phase| phase.after.iter().all(|&after| after < phase.number));
    // If phase numbers increase with the lines, comparing line order is enough.
    if after_earlier && plan.tasks.is_sorted_by_key(|task| task.phase) {
        return (0..plan.tasks.len())
            .all(|index| dependencies.targets_of(index).iter().all(|&dependency| dependency < index));
    }
    let position = |index: usize| (plan.tasks[index].phase, index);
    after_earlier
        && (0..plan.tasks.len()).all(|index| {
            dependencies.targets_of(index).iter().all(|&dependency| position(dependency) < position(index))
        })
}
