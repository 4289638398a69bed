//! Drafts → a plan: one task for each id, dependencies that exist, phases in order, no cycle.

use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    draft::{Draft, DraftPlan, Mark},
    graph::{Edges, TaskGraph},
    phases,
    plan::{Plan, Task},
    resolve::{Resolver, Waits},
};

mod blame;
mod lines;

use lines::Lines;

/// Puts a plan together, and complains about what does not fit.
pub(crate) fn assemble(
    text: &str,
    mut found: DraftPlan<'_>,
    diagnostics: &mut Diagnostics,
) -> (Plan, Vec<Option<Mark>>) {
    let places = std::mem::take(&mut found.places);
    let mut resolver = Resolver::new(&found, places, diagnostics);
    let mut waits = Edges::with_capacity(found.tasks.len(), found.implied.len() + found.mentions.len());
    let mut external = Vec::new();
    let mut one = Waits::default();
    for place in 0..found.tasks.len() {
        resolver.resolve(place, &mut one, diagnostics);
        waits.extend(&one.places);
        waits.end_node();
        if !one.external.is_empty() {
            external.push((place, std::mem::take(&mut one.external)));
        }
    }
    let (is_kept, mut by_id) = resolver.finish();

    let DraftPlan { title, mut tasks, mut drafts, phases, mentions, .. } = found;
    for (place, names) in external {
        tasks[place].external = names;
    }
    let mut lines = Lines::new(text);
    for (place, draft) in drafts.iter().enumerate() {
        let depends_on = waits.of(place).iter().map(|&waited| tasks[waited].id.clone()).collect();
        let task = &mut tasks[place];
        task.depends_on = depends_on;
        task.line = lines.line(draft.id_span.start);
    }
    if is_kept.contains(&false) {
        keep(&is_kept, &mut tasks, &mut drafts, &mut waits, &mut by_id);
    }
    let phases = phases::build(phases, &tasks, diagnostics);
    let plan = Plan { title, phases, tasks };
    if !is_in_order(&plan, &waits) {
        for cycle in TaskGraph::from_places(&plan, &waits, &by_id).cycles(&plan) {
            let span = blame::cycle(&plan, &cycle.nodes, &drafts, &mentions);
            let message = format!("tasks wait for each other: {cycle}");
            diagnostics.push(
                Diagnostic::error(DiagnosticCode::CircularDep, span, message)
                    .hint("take one of these dependencies away"),
            );
        }
    }
    (plan, drafts.into_iter().map(|draft| draft.mark).collect())
}

/// Leaves out the tasks that are none of the plan's; places among all become places among those that are left.
fn keep(
    is_kept: &[bool],
    tasks: &mut Vec<Task>,
    drafts: &mut Vec<Draft>,
    waits: &mut Edges,
    by_id: &mut [usize],
) {
    let mut new_places = Vec::with_capacity(is_kept.len());
    let mut n_kept = 0;
    for &is_kept in is_kept {
        new_places.push(n_kept);
        n_kept += usize::from(is_kept);
    }
    let mut kept = Edges::with_capacity(n_kept, waits.n_edges());
    for place in (0..is_kept.len()).filter(|&place| is_kept[place]) {
        waits.of(place).iter().for_each(|&waited| kept.push(new_places[waited]));
        kept.end_node();
    }
    *waits = kept;
    by_id.iter_mut().for_each(|place| *place = new_places[*place]);
    let mut flags = is_kept.iter();
    tasks.retain(|_| flags.next().is_some_and(|&is_kept| is_kept));
    let mut flags = is_kept.iter();
    drafts.retain(|_| flags.next().is_some_and(|&is_kept| is_kept));
}

/// Tells whether everybody waits only for earlier phases and earlier lines, as most plans are written: then there is
/// no cycle, and no need to look for one.
fn is_in_order(plan: &Plan, waits: &Edges) -> bool {
    let after_earlier = plan.phases.iter().all(|phase| phase.after.iter().all(|&after| after < phase.number));
    // Where the phases rise with the lines, the lines alone decide.
    if after_earlier && plan.tasks.is_sorted_by_key(|task| task.phase) {
        return (0..plan.tasks.len()).all(|place| waits.of(place).iter().all(|&waited| waited < place));
    }
    let place_of = |place: usize| (plan.tasks[place].phase, place);
    after_earlier
        && (0..plan.tasks.len())
            .all(|place| waits.of(place).iter().all(|&waited| place_of(waited) < place_of(place)))
}
