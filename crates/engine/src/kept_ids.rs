//! Keeps the ids of tasks in a plan file whose ids are only positions: check boxes without ids.

use std::collections::{BTreeMap, BTreeSet};

use domain::{PlannedWork, TaskId};

use crate::{run::Run, state::TaskOrigin};

impl Run {
    /// Returns the work of a file with the ids that its tasks have in this run: by their text, then by their position. A
    /// task that is new gets the next free id.
    pub(crate) fn with_kept_ids(&self, work: &PlannedWork) -> PlannedWork {
        let mut free: Vec<(&TaskId, &str)> = self
            .tasks
            .iter()
            .filter(|task| task.origin == TaskOrigin::PlanFile)
            .map(|task| (&task.planned.id, task.planned.title.as_str()))
            .collect();
        let mut kept: Vec<Option<TaskId>> = vec![None; work.tasks.len()];
        for (task, kept) in work.tasks.iter().zip(&mut kept) {
            if let Some(at) = free.iter().position(|(_, title)| *title == task.title) {
                *kept = Some(free.remove(at).0.clone());
            }
        }
        // The text of a task changed if its position still has a task that is not found elsewhere.
        for (task, kept) in work.tasks.iter().zip(&mut kept).filter(|(_, kept)| kept.is_none()) {
            if let Some(at) = free.iter().position(|(id, _)| **id == task.id) {
                *kept = Some(free.remove(at).0.clone());
            }
        }
        let mut used: BTreeSet<TaskId> = self.tasks.iter().map(|task| task.planned.id.clone()).collect();
        let mut ids = BTreeMap::new();
        for (task, kept) in work.tasks.iter().zip(kept) {
            let id = kept.unwrap_or_else(|| next_free_id(&used, &task.id));
            used.insert(id.clone());
            ids.insert(task.id.clone(), id);
        }
        let new_id = |id: &TaskId| ids.get(id).unwrap_or(id).clone();
        let mut work = work.clone();
        for task in &mut work.tasks {
            task.id = new_id(&task.id);
            task.depends_on = task.depends_on.iter().map(new_id).collect();
            task.depends_on.sort();
        }
        work
    }
}

/// Returns the id with the next number that no task has.
fn next_free_id(used: &BTreeSet<TaskId>, assigned: &TaskId) -> TaskId {
    let largest = used.iter().filter_map(|id| id.numbers().next()?.parse::<u32>().ok()).max().unwrap_or(0);
    let free = (largest.saturating_add(1)..).find_map(|number| {
        let id: TaskId = format!("T{number}").parse().ok()?;
        (!used.contains(&id)).then_some(id)
    });
    free.unwrap_or_else(|| assigned.clone())
}
