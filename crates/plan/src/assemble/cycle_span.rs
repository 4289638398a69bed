//! Locates a dependency cycle in the source text.

use std::ops::Range;

use domain::TaskId;

use crate::{
    dependencies::{DependencyMention, IdOrRange, MentionTarget},
    draft::TaskDraft,
    graph::CycleNode,
    plan::Plan,
};

/// Returns the span of the first written dependency in the cycle, or of its first task if none is written down.
pub(super) fn cycle_span(
    plan: &Plan,
    steps: &[CycleNode],
    drafts: &[TaskDraft],
    mentions: &[DependencyMention<'_>],
) -> Range<usize> {
    let span_of = |task: usize| drafts.get(task).map(|draft| draft.id_span.clone());
    for pair in steps.windows(2) {
        if let &[CycleNode::Task(from), CycleNode::Task(to)] = pair
            && let (Some(draft), Some(target)) = (drafts.get(from), plan.tasks.get(to))
            && let Some(span) =
                span_of_mention(mentions.get(draft.mentions.clone()).unwrap_or_default(), &target.id)
        {
            return span;
        }
    }
    let first = steps.first().and_then(|step| match *step {
        CycleNode::Task(task) => span_of(task),
        CycleNode::Phase(number) => span_of(plan.tasks.iter().position(|task| task.phase == number)?),
    });
    first.unwrap_or_default()
}

/// Returns the span of the mention that names an id, alone or within a range.
fn span_of_mention(mentions: &[DependencyMention<'_>], id: &TaskId) -> Option<Range<usize>> {
    let holds = |ids: &IdOrRange<'_>| {
        let Some(from) = ids.first.task_id() else { return false };
        match ids.last.as_ref().map(|to| to.task_id()) {
            None => from == *id,
            Some(None) => false,
            Some(Some(to)) => {
                let within =
                    |low: &TaskId, high: &TaskId| id.cmp_numbers(low).is_ge() && id.cmp_numbers(high).is_le();
                within(&from, &to) || within(&to, &from)
            }
        }
    };
    mentions
        .iter()
        .find(|mention| matches!(&mention.target, MentionTarget::Ids(ids) if holds(ids)))
        .map(|mention| mention.span.clone())
}
