//! A run rebuilt from its events: the state of the engine beside the rows, which show what the engine allows.

use std::sync::Arc;

use domain::{RecordedEvent, RunId};
use engine::Run;
use views::{ViewChange, Views};

/// The state and the rows of a run after its first events.
pub struct ReplayedRun {
    state: Run,
    views: Arc<Views>,
}

impl ReplayedRun {
    /// Creates a run without events.
    pub fn new(id: RunId) -> Self {
        Self { state: Run::new(), views: Arc::new(Views::new(id)) }
    }

    /// Applies the next event and returns the changed rows. Its effects are not executed.
    pub fn apply(&mut self, recorded: &RecordedEvent) -> Vec<ViewChange> {
        drop(self.state.apply(recorded));
        let actions = self.state.action_update(&recorded.event);
        Arc::make_mut(&mut self.views).apply(recorded, &actions)
    }

    /// Returns the rows.
    pub fn views(&self) -> &Views {
        &self.views
    }

    /// Returns the state and the rows.
    pub fn into_parts(self) -> (Run, Arc<Views>) {
        (self.state, self.views)
    }
}
