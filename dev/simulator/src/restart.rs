//! Simulated crashes: the server restarts from its log or a snapshot.

use engine::Run;

use crate::{
    rule::{Rule, RuleViolation},
    simulation::Simulation,
};

impl Simulation<'_> {
    /// Restarts the server: from the whole log, or from a snapshot and the events after it.
    pub(crate) fn restart(&mut self, when: &str) -> Result<(), RuleViolation> {
        self.summary.crashes += 1;
        self.trace.note(&format!("the server crashes {when}"));
        let from_snapshot = self.snapshot.take().filter(|_| self.random.once_in(2));
        let n_events = from_snapshot.as_ref().map_or(0, |(_, n_events)| *n_events);
        self.run = match from_snapshot {
            Some((bytes, _)) => restore(&bytes)?,
            None => (self.new_run)(),
        };
        for recorded in self.log.iter().skip(n_events) {
            self.run.apply(recorded);
        }
        self.compare()?;
        let outstanding = self.run.outstanding();
        self.environment.crash(&self.model);
        self.redo(&outstanding)
    }

    /// Checks that the run, its replay and its restored snapshot are equal.
    pub(crate) fn compare(&mut self) -> Result<(), RuleViolation> {
        let bytes = self.run.snapshot();
        if bytes != self.mirror.snapshot() {
            return Err(RuleViolation::new(
                Rule::SameLogSameState,
                "a replay of the log gives another state",
            ));
        }
        if restore(&bytes)?.snapshot() != bytes {
            return Err(RuleViolation::new(
                Rule::SameLogSameState,
                "a restored snapshot differs from the original",
            ));
        }
        self.snapshot = Some((bytes, self.log.len()));
        Ok(())
    }
}

fn restore(bytes: &[u8]) -> Result<Run, RuleViolation> {
    Run::restore(bytes).map_err(|error| {
        RuleViolation::new(Rule::SameLogSameState, format!("a snapshot cannot be restored: {error:?}"))
    })
}
