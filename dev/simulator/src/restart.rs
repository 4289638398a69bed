//! The server dies, and comes back with what the log says.

use crate::{
    rule::{Breach, Rule},
    simulation::Simulation,
};

impl Simulation<'_> {
    /// The server dies and starts again from the log.
    pub(crate) fn restart(&mut self, when: &str) -> Result<(), Breach> {
        self.summary.crashes += 1;
        self.trace.note(&format!("the server dies {when}"));
        self.run = (self.make)();
        for recorded in &self.log {
            self.run.apply(recorded);
        }
        self.compare()?;
        let outstanding = self.run.outstanding();
        self.world.crash(&self.model);
        self.redo(&outstanding)
    }

    /// The run and its replay must be the same.
    pub(crate) fn compare(&self) -> Result<(), Breach> {
        if self.run == self.mirror {
            Ok(())
        } else {
            Err(Breach::new(Rule::SameLogSameState, "the log replayed gives another state"))
        }
    }
}
