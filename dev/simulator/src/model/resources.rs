//! Resources of a task: slots, the slots of its agent, files, memory, disk space.

use std::collections::BTreeSet;

use domain::{AgentName, EscalationId, TaskId};

use super::{Model, Task};
use crate::rule::Rule;

impl Model {
    pub(super) fn run_out_of_disk(&mut self, escalation: EscalationId, refused: &TaskId) {
        self.update_task(refused, |task| task.losses = task.losses.saturating_sub(1));
        let not_started = self.tasks.iter().filter(|(_, task)| task.attempt == 0).map(|(id, _)| id.clone());
        let waiting: Vec<TaskId> = not_started.chain([refused.clone()]).collect();
        let (known, tasks) = self.disk_shortage.get_or_insert((escalation, BTreeSet::new()));
        let is_known = *known == escalation;
        tasks.extend(waiting);
        if !is_known || !self.escalations.get(&escalation).is_some_and(|known| known.open) {
            self.add_violation(
                Rule::WaitHasReason,
                format!("{refused} has no disk space, and no escalation is open"),
            );
        }
    }

    pub(super) fn end_disk_problem(&mut self, escalation: EscalationId) {
        self.disk_shortage = self.disk_shortage.take().filter(|(known, _)| *known != escalation);
    }

    /// A new task waits for disk space like all tasks that have not started.
    pub(super) fn add_task_waiting_for_disk(&mut self, id: &TaskId) {
        if let Some((_, tasks)) = &mut self.disk_shortage {
            tasks.insert(id.clone());
        }
    }

    /// Tells whether a task waits for disk space for its worktree.
    pub(crate) fn lacks_disk(&self, task: &Task) -> bool {
        self.disk_shortage.as_ref().is_some_and(|(_, tasks)| tasks.contains(&task.plan.id))
    }

    /// Returns the resource that a task lacks, by its rule; `None` if it could run.
    pub(crate) fn missing_resource(&self, id: &TaskId, agent: Option<&AgentName>) -> Option<(Rule, String)> {
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
        let touches = task.touched_paths();
        for (other, other_task) in &running {
            let same = |right: &String| touches.iter().any(|left| patterns_overlap(left, right));
            if let Some(path) = other_task.touched_paths().iter().find(|path| same(path)) {
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

/// Tells whether two patterns could match the same file.
fn patterns_overlap(left: &str, right: &str) -> bool {
    let fixed = |path: &str| -> Vec<String> {
        let parts = path.split('/').filter(|part| !part.is_empty());
        parts.take_while(|part| !part.contains('*')).map(str::to_owned).collect()
    };
    fixed(left).iter().zip(&fixed(right)).all(|(left, right)| left == right)
}

#[cfg(test)]
mod tests {
    use super::patterns_overlap;

    #[test]
    fn a_folder_and_its_files_overlap() {
        assert!(patterns_overlap("src/login", "src/login/form.rs"));
        assert!(patterns_overlap("src/*.rs", "src/main.rs"));
        assert!(!patterns_overlap("src/login", "src/cart/**"));
        assert!(!patterns_overlap("lock:database", "src/login"));
    }
}
