//! The graph below the tasks of a Kiro file: waves of tasks that run side by side.

use std::collections::HashMap;

use serde_json::Value;

use crate::{diagnostic::DiagnosticSink, draft::PlanDraft, problem::Problem};

/// Larger products of two waves are chained instead, so that a malicious file cannot cause millions of edges.
const WAVE_EDGES_MAX: usize = 1 << 16;

/// Returns the waves of the first JSON object in a section, as ids.
pub(super) fn parse_waves(section: &str) -> Option<Vec<Vec<String>>> {
    let object = &section[section.find('{')?..];
    let mut values = serde_json::Deserializer::from_str(object).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let ids = |tasks: &Value| -> Option<Vec<String>> {
        let id = |id: &Value| id.as_str().map(str::to_owned).unwrap_or_else(|| id.to_string());
        Some(tasks.as_array()?.iter().map(id).collect())
    };
    let waves = value.get("waves")?.as_array()?;
    Some(waves.iter().filter_map(|wave| ids(wave.get("tasks").unwrap_or(wave))).collect())
}

/// Returns the wave of each task, or `None` for a task that is in none. The id of a parent means all tasks below it.
pub(super) fn wave_of_tasks(plan: &PlanDraft<'_>, waves: &[Vec<String>]) -> Vec<Option<usize>> {
    let mut wave_by_id: HashMap<&str, usize> = HashMap::new();
    for (number, ids) in waves.iter().enumerate() {
        for id in ids {
            wave_by_id.entry(id.as_str()).or_insert(number);
        }
    }
    let mut wave_of: Vec<Option<usize>> =
        plan.tasks.iter().map(|task| wave_by_id.get(task.id.as_str()).copied()).collect();
    for (wave, id) in waves.iter().enumerate().flat_map(|(wave, ids)| ids.iter().map(move |id| (wave, id))) {
        let Some(members) = plan.subtask_groups.get(id) else { continue };
        for member in wave_of.get_mut(members.clone()).unwrap_or_default() {
            *member = member.or(Some(wave));
        }
    }
    wave_of
}

/// Lets each task depend on the wave before its own; one that is in no wave depends on the task before it.
pub(super) fn chain_waves(
    plan: &mut PlanDraft<'_>,
    wave_of: &[Option<usize>],
    diagnostics: &mut DiagnosticSink,
) {
    let n_waves = wave_of.iter().flatten().max().map_or(0, |last| last + 1);
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); n_waves];
    for (index, wave) in wave_of.iter().enumerate() {
        if let Some(wave) = wave
            && !plan.tasks[index].optional
        {
            members[*wave].push(index);
        }
    }
    let mut last = None;
    for index in 0..plan.tasks.len() {
        let start = plan.implied.len();
        match wave_of.get(index).copied().flatten() {
            Some(wave) => {
                let before = members[..wave].iter().rev().find(|members| !members.is_empty());
                let is_small = |before: &&Vec<usize>| before.len() * members[wave].len() <= WAVE_EDGES_MAX;
                match before.filter(is_small) {
                    Some(before) => plan.implied.extend(before),
                    None => plan.implied.extend(last.filter(|_| before.is_some())),
                }
            }
            None => {
                plan.implied.extend(last);
                if !plan.tasks[index].optional {
                    let id = plan.tasks[index].id.to_string();
                    diagnostics.push(plan.task_drafts[index].id_span.clone(), Problem::InNoWave { id });
                }
            }
        }
        plan.task_drafts[index].implied = start..plan.implied.len();
        if !plan.tasks[index].optional {
            last = Some(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::parse_waves;

    #[test]
    fn waves_are_objects_or_lists() {
        let expected = Some(vec![vec!["1.1".to_owned()], vec!["1.2".to_owned(), "2".to_owned()]]);
        for text in [
            "```json\n{\"waves\": [{\"id\": 0, \"tasks\": [\"1.1\"]}, {\"id\": 1, \"tasks\": [\"1.2\", 2]}]}\n```",
            "{\"waves\":[[\"1.1\"],[\"1.2\",\"2\"]]}",
        ] {
            assert_eq!(parse_waves(text), expected, "{text}");
        }
        assert_eq!(parse_waves("```mermaid\ngraph TD\n```"), None);
    }
}
