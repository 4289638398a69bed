//! Simulated crashes: the server restarts from its log.

use engine::Run;

use crate::{
    rule::{Rule, RuleViolation},
    simulation::Simulation,
};

impl Simulation {
    /// Restarts the server from its log.
    pub(crate) fn restart(&mut self, when: &str) -> Result<(), RuleViolation> {
        self.summary.crashes += 1;
        self.trace.add_note(&format!("the server crashes {when}"));
        self.run = Run::new();
        for recorded in &self.log {
            self.run.apply(recorded);
        }
        self.check_replay_matches()?;
        let outstanding = self.run.pending_effects();
        self.environment.crash_server(&self.model);
        self.redo_effects(&outstanding)
    }

    /// Checks that the run and its replay are equal.
    pub(crate) fn check_replay_matches(&self) -> Result<(), RuleViolation> {
        if self.run == self.mirror {
            Ok(())
        } else {
            Err(RuleViolation::new(Rule::SameLogSameState, "a replay of the log gives another state"))
        }
    }
}
