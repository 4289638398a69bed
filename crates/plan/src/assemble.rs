//! Drafts → a plan: one task for each id, dependencies that exist, phases in order, no cycle.

use std::ops::Range;

use domain::TaskId;

use crate::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    draft::{Draft, DraftPlan, Mark},
    graph::{Graph, Step},
    phases,
    place::Places,
    plan::Plan,
    resolve::{Resolver, is_mentioned},
};

/// Puts a plan together, and complains about what does not fit.
pub(crate) fn assemble(
    text: &str,
    found: DraftPlan<'_>,
    diagnostics: &mut Diagnostics,
) -> (Plan, Vec<Option<Mark>>) {
    let DraftPlan { title, mut drafts, phases, shared, groups } = found;
    let mut resolver = Resolver::new(&drafts, groups, &shared, diagnostics);
    let dependencies: Vec<_> =
        (0..drafts.len()).map(|place| resolver.resolve(&drafts, place, diagnostics)).collect();
    let is_kept = resolver.finish();

    let places = Places::new(text.as_bytes());
    let ids: Vec<TaskId> = drafts.iter().map(|draft| draft.task.id.clone()).collect();
    for (draft, found) in drafts.iter_mut().zip(dependencies) {
        draft.task.line = places.line(draft.id_span.start);
        draft.task.depends_on = found.places.iter().filter_map(|&place| ids.get(place).cloned()).collect();
        draft.task.external = found.external;
    }
    let mut keep = is_kept.iter();
    drafts.retain(|_| keep.next().copied().unwrap_or(false));

    let mut tasks = Vec::with_capacity(drafts.len());
    let mut marks = Vec::with_capacity(drafts.len());
    let mut sources = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let Draft { task, id_span, mentions, mark, .. } = draft;
        tasks.push(task);
        marks.push(mark);
        sources.push((id_span, mentions));
    }
    let phases = phases::build(phases, &tasks, diagnostics);
    let plan = Plan { title, phases, tasks };
    for cycle in Graph::new(&plan).cycles() {
        let span = cycle_span(&plan, &cycle.steps, &sources);
        let message = format!("tasks wait for each other: {cycle}");
        diagnostics.push(
            Diagnostic::error(Code::CircularDep, span, message).hint("take one of these dependencies away"),
        );
    }
    (plan, marks)
}

/// Returns the first place that writes down a dependency of a cycle, or the first task of it.
fn cycle_span(
    plan: &Plan,
    steps: &[Step],
    sources: &[(Range<usize>, Vec<crate::dependencies::Mention<'_>>)],
) -> Range<usize> {
    let mut first = None;
    for pair in steps.windows(2) {
        let &[Step::Task(from), to] = pair else { continue };
        let Some((id_span, mentions)) = sources.get(from) else { continue };
        first.get_or_insert_with(|| id_span.clone());
        let Step::Task(to) = to else { continue };
        let Some(target) = plan.tasks.get(to) else { continue };
        if let Some(span) = is_mentioned(mentions, &target.id) {
            return span;
        }
    }
    first.unwrap_or(0..0)
}
