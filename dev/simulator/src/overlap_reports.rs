//! Random reports of overlapping files, between the steps and without crashes.

use domain::{Report, RunInput, TaskId, TaskOverlap};

use crate::{rule::RuleViolation, simulation::Simulation};

impl Simulation {
    /// Reports some overlaps, also of tasks that have ended: a report may be late.
    pub(crate) fn report_overlaps(&mut self) -> Result<(), RuleViolation> {
        let tasks: Vec<TaskId> = self.model.tasks.keys().cloned().collect();
        let n_overlaps = self.overlap_random.below(4);
        let overlaps = (0..n_overlaps)
            .filter_map(|_| {
                let tasks =
                    [self.overlap_random.pick(&tasks)?.clone(), self.overlap_random.pick(&tasks)?.clone()];
                let files = vec![format!("src/{}.rs", self.overlap_random.below(3))];
                Some(TaskOverlap { tasks, files, n_files: 1 })
            })
            .collect();
        let input = RunInput::Report(Report::OverlapsFound { overlaps });
        self.trace.add_input(self.step, self.environment.elapsed_ms(), &input);
        let Ok(decision) = self.run.decide(self.environment.now(), input) else {
            return Ok(());
        };
        self.trace.add_events(&decision.events);
        self.record_decision(&decision)?;
        for (id, effect) in &decision.effects {
            self.environment.execute(*id, effect, &self.model);
        }
        Ok(())
    }
}
