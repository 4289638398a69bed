//! What is seen of worktrees now and then, in between the commands: no step of its own, and no crash.

use domain::{Actor, Command, TaskId, TaskOverlap};

use crate::{rule::Breach, simulation::Simulation};

impl Simulation<'_> {
    /// Reports some overlaps, also such of tasks that are over: a look may be late.
    pub(crate) fn look_at_worktrees(&mut self) -> Result<(), Breach> {
        let tasks: Vec<TaskId> = self.model.tasks.keys().cloned().collect();
        let n_overlaps = self.eyes.below(4);
        let overlaps = (0..n_overlaps)
            .filter_map(|_| {
                let tasks = [self.eyes.pick(&tasks)?.clone(), self.eyes.pick(&tasks)?.clone()];
                let files = vec![format!("src/{}.rs", self.eyes.below(3))];
                Some(TaskOverlap { tasks, files, n_files: 1 })
            })
            .collect();
        let command = Command::ReportOverlaps { overlaps };
        self.trace.wish(self.step, self.world.elapsed_ms(), &Actor::System, &command);
        let Ok(decision) = self.run.decide(self.world.now(), &Actor::System, command) else { return Ok(()) };
        self.trace.events(&decision.events);
        self.take(&decision)?;
        for (id, effect) in &decision.effects {
            self.world.carry_out(*id, effect, &self.model);
        }
        Ok(())
    }
}
