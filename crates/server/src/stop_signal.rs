//! The stages of a server's shutdown: requested, carried out, finished.

use std::sync::Arc;

use runtime::ShutdownMode;
use tokio::sync::watch;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerStage {
    Serving,
    Stopping(ShutdownMode),
    /// The runs have stopped, and all their events are published.
    Stopped,
}

/// Requests the shutdown and reports its stage. Clones share one state.
#[derive(Clone)]
pub(crate) struct StopSignal {
    stage: Arc<watch::Sender<ServerStage>>,
}

impl StopSignal {
    pub(crate) fn new() -> Self {
        Self { stage: Arc::new(watch::Sender::new(ServerStage::Serving)) }
    }

    /// Requests the shutdown. Only the first request counts.
    pub(crate) fn request(&self, agents: ShutdownMode) {
        self.stage.send_if_modified(|stage| {
            let is_first = *stage == ServerStage::Serving;
            if is_first {
                *stage = ServerStage::Stopping(agents);
            }
            is_first
        });
    }

    /// Waits for a request.
    pub(crate) async fn wait_for_request(&self) -> ShutdownMode {
        let mut stage = self.watch();
        loop {
            if let ServerStage::Stopping(agents) = *stage.borrow_and_update() {
                return agents;
            }
            if stage.changed().await.is_err() {
                // Unreachable: `self` owns the sender.
                return ShutdownMode::KeepSessions;
            }
        }
    }

    pub(crate) fn mark_stopped(&self) {
        self.stage.send_replace(ServerStage::Stopped);
    }

    pub(crate) fn watch(&self) -> watch::Receiver<ServerStage> {
        self.stage.subscribe()
    }
}
