//! Drafts → a plan: one task for each id, dependencies that exist, phases in order, no cycle.

use domain::TaskId;

use crate::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    draft::{Draft, DraftPlan, Mark},
    graph::Graph,
    phases,
    place::Places,
    plan::Plan,
    resolve::Resolver,
};

mod blame;

/// Puts a plan together, and complains about what does not fit.
pub(crate) fn assemble(
    text: &str,
    found: DraftPlan<'_>,
    diagnostics: &mut Diagnostics,
) -> (Plan, Vec<Option<Mark>>) {
    let DraftPlan { title, drafts, phases, places, shared, groups } = found;
    let mut resolver = Resolver::new(&drafts, groups, &shared, places, diagnostics);
    let mut waits: Vec<_> =
        (0..drafts.len()).map(|place| resolver.resolve(&drafts, place, diagnostics)).collect();
    let (is_kept, mut by_id) = resolver.finish();
    let ids: Vec<TaskId> = drafts.iter().map(|draft| draft.task.id.clone()).collect();

    let lines = Places::new(text.as_bytes());
    let mut tasks = Vec::with_capacity(drafts.len());
    let mut marks = Vec::with_capacity(drafts.len());
    let mut sources = Vec::with_capacity(drafts.len());
    for ((draft, found), is_kept) in drafts.into_iter().zip(&mut waits).zip(&is_kept) {
        if !is_kept {
            continue;
        }
        let Draft { mut task, id_span, mentions, mark, .. } = draft;
        task.line = lines.line(id_span.start);
        task.depends_on = found.places.iter().filter_map(|&place| ids.get(place).cloned()).collect();
        task.external = std::mem::take(&mut found.external);
        tasks.push(task);
        marks.push(mark);
        sources.push((id_span, mentions));
    }
    let phases = phases::build(phases, &tasks, diagnostics);
    let plan = Plan { title, phases, tasks };

    // Places among all drafts become places among the tasks that are left of them.
    let mut n_kept = 0;
    let new_place = is_kept.iter().map(|&is_kept| {
        n_kept += usize::from(is_kept);
        n_kept - usize::from(is_kept)
    });
    let new_places: Vec<usize> = new_place.collect();
    by_id.iter_mut().for_each(|place| *place = new_places[*place]);
    let kept = waits.iter().zip(&is_kept).filter(|(_, is_kept)| **is_kept);
    let waits = kept.map(|(found, _)| found.places.iter().map(|&place| new_places[place]));
    for cycle in Graph::from_places(&plan, waits, &by_id).cycles() {
        let span = blame::cycle(&plan, &cycle.steps, &sources);
        let message = format!("tasks wait for each other: {cycle}");
        diagnostics.push(
            Diagnostic::error(Code::CircularDep, span, message).hint("take one of these dependencies away"),
        );
    }
    (plan, marks)
}
