//! The way down: asked for, then carried out, then over.

use std::sync::Arc;

use runtime::ShutdownMode;
use tokio::sync::watch;

/// How far the server is on its way down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It serves.
    Serving,
    /// Somebody wants it to end.
    Asked(ShutdownMode),
    /// Its runs have stopped, and all that they did is told.
    Over,
}

/// Can ask for the end.
#[derive(Clone)]
pub struct Stop {
    stage: Arc<watch::Sender<Stage>>,
}

impl Stop {
    /// Begins with nobody asking.
    pub fn new() -> Self {
        Self { stage: Arc::new(watch::Sender::new(Stage::Serving)) }
    }

    /// Asks for the end. Who asked first counts.
    pub fn ask(&self, agents: ShutdownMode) {
        self.stage.send_if_modified(|stage| {
            let is_first = *stage == Stage::Serving;
            if is_first {
                *stage = Stage::Asked(agents);
            }
            is_first
        });
    }

    /// Waits until somebody asks.
    pub async fn asked(&self) -> ShutdownMode {
        let mut stage = self.watch();
        loop {
            if let Stage::Asked(agents) = *stage.borrow_and_update() {
                return agents;
            }
            if stage.changed().await.is_err() {
                // Cannot be: the sender is `self`'s.
                return ShutdownMode::KeepSessions;
            }
        }
    }

    /// Says that it is over.
    pub fn is_over(&self) {
        self.stage.send_replace(Stage::Over);
    }

    /// Returns a way to see how far it is.
    pub fn watch(&self) -> watch::Receiver<Stage> {
        self.stage.subscribe()
    }
}
