//! The server dies, and comes back with what the log says.

use engine::Run;

use crate::{
    rule::{Breach, Rule},
    simulation::Simulation,
};

impl Simulation<'_> {
    /// The server dies and starts again: from the whole log, or from a snapshot and what follows it.
    pub(crate) fn restart(&mut self, when: &str) -> Result<(), Breach> {
        self.summary.crashes += 1;
        self.trace.note(&format!("the server dies {when}"));
        let from_snapshot = self.snapshot.take().filter(|_| self.random.once_in(2));
        let n_events = from_snapshot.as_ref().map_or(0, |(_, n_events)| *n_events);
        self.run = match from_snapshot {
            Some((bytes, _)) => restore(&bytes)?,
            None => (self.make)(),
        };
        for recorded in self.log.iter().skip(n_events) {
            self.run.apply(recorded);
        }
        self.compare()?;
        let outstanding = self.run.outstanding();
        self.world.crash(&self.model);
        self.redo(&outstanding)
    }

    /// The run, its replay and its snapshot must be the same.
    pub(crate) fn compare(&mut self) -> Result<(), Breach> {
        let bytes = self.run.snapshot();
        if bytes != self.mirror.snapshot() {
            return Err(Breach::new(Rule::SameLogSameState, "the log replayed gives another state"));
        }
        if restore(&bytes)?.snapshot() != bytes {
            return Err(Breach::new(Rule::SameLogSameState, "a snapshot restored gives another snapshot"));
        }
        self.snapshot = Some((bytes, self.log.len()));
        Ok(())
    }
}

fn restore(bytes: &[u8]) -> Result<Run, Breach> {
    Run::restore(bytes).map_err(|error| {
        Breach::new(Rule::SameLogSameState, format!("a snapshot can't be restored: {error:?}"))
    })
}
