//! Whether a task has room to run: slots, its agent's slots, what it touches, memory.

use std::collections::BTreeSet;

use domain::{AgentName, EscalationId, TaskId};

use super::{Model, Task};
use crate::rule::Rule;

impl Model {
    pub(super) fn run_out_of_room(&mut self, escalation: EscalationId, refused: &TaskId) {
        self.task(refused, |task| task.losses = task.losses.saturating_sub(1));
        let unbegun = self.tasks.iter().filter(|(_, task)| task.attempt == 0).map(|(id, _)| id.clone());
        let waiting: Vec<TaskId> = unbegun.chain([refused.clone()]).collect();
        let (known, tasks) = self.no_room.get_or_insert((escalation, BTreeSet::new()));
        let is_known = *known == escalation;
        tasks.extend(waiting);
        if !is_known || !self.escalations.get(&escalation).is_some_and(|known| known.open) {
            self.breach(Rule::WaitsForSomebody, format!("{refused} has no room, and nobody knows"));
        }
    }

    pub(super) fn find_room(&mut self, escalation: EscalationId) {
        self.no_room = self.no_room.take().filter(|(known, _)| *known != escalation);
    }

    /// A task that joins the plan waits for room like all that have not begun.
    pub(super) fn join(&mut self, id: &TaskId) {
        if let Some((_, tasks)) = &mut self.no_room {
            tasks.insert(id.clone());
        }
    }

    /// Tells whether a task waits for room for its worktree.
    pub fn lacks_room(&self, task: &Task) -> bool {
        self.no_room.as_ref().is_some_and(|(_, tasks)| tasks.contains(&task.plan.id))
    }

    /// Says what stands in the way of a task's taking a slot; nothing where it could.
    pub fn obstacle(&self, id: &TaskId, agent: Option<&AgentName>) -> Option<(Rule, String)> {
        let task = self.tasks.get(id)?;
        let running: Vec<(&TaskId, &Task)> =
            self.tasks.iter().filter(|(other, task)| task.slot && *other != id).collect();
        let slots = self.settings.slots.get() as usize;
        if running.len() >= slots {
            return Some((Rule::Slots, format!("{} tasks run on {slots} slots", running.len())));
        }
        if let Some(member) = self.team.iter().find(|member| Some(&member.name) == agent)
            && let Some(limit) = member.slots
        {
            let n_running = running.iter().filter(|(_, task)| task.runner.as_ref() == agent).count();
            if n_running >= limit.get() as usize {
                return Some((Rule::AgentSlots, format!("{} runs {n_running} of {limit}", member.name)));
            }
        }
        let touches = task.touches();
        for (other, other_task) in &running {
            let same = |right: &String| touches.iter().any(|left| overlap(left, right));
            if let Some(path) = other_task.touches().iter().find(|path| same(path)) {
                return Some((Rule::Touches, format!("{other} touches {path} too")));
            }
        }
        let used: u64 = running.iter().map(|(_, task)| task.plan.memory_mib).sum();
        match self.settings.memory_mib {
            Some(limit) if used + task.plan.memory_mib > limit && !running.is_empty() => {
                Some((Rule::Memory, format!("{used} MiB and {} of {limit}", task.plan.memory_mib)))
            }
            Some(_) | None => None,
        }
    }
}

/// Tells whether two paths could mean the same file; in doubt they could.
fn overlap(left: &str, right: &str) -> bool {
    let fixed = |path: &str| -> Vec<String> {
        let parts = path.split('/').filter(|part| !part.is_empty());
        parts.take_while(|part| !part.contains('*')).map(str::to_owned).collect()
    };
    fixed(left).iter().zip(&fixed(right)).all(|(left, right)| left == right)
}

#[cfg(test)]
mod tests {
    use super::overlap;

    #[test]
    fn a_folder_and_what_lies_in_it_overlap() {
        assert!(overlap("src/login", "src/login/form.rs"));
        assert!(overlap("src/*.rs", "src/main.rs"));
        assert!(!overlap("src/login", "src/cart/**"));
        assert!(!overlap("lock:database", "src/login"));
    }
}
