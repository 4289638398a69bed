//! Wakes a thread that works beside the run loop. A wake-up carries no data: the thread reads shared state after it.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// How many wake-ups may wait. One is enough: the thread reads the shared state after it takes a wake-up, so a second
/// one would find nothing that the first does not.
const WAKE_UPS_MAX: usize = 1;

/// Sends wake-ups to one thread. When it is dropped, the thread still takes a wake-up that waits, and then ends.
pub(super) struct WakeUpSender(SyncSender<()>);

/// Makes the two ends of a queue of wake-ups.
pub(super) fn wake_up_channel() -> (WakeUpSender, Receiver<()>) {
    let (sender, receiver) = sync_channel(WAKE_UPS_MAX);
    (WakeUpSender(sender), receiver)
}

impl WakeUpSender {
    /// Wakes the thread, and never blocks. If a wake-up waits already, that one does for both; a thread that has ended
    /// is not woken.
    ///
    /// The run loop calls this, and the thread sends its reports to the run loop through a bounded queue. If the run
    /// loop waited here for room while the thread waits there, neither would continue.
    pub(super) fn wake(&self) {
        // Fails only as described above.
        let _ = self.0.try_send(());
    }
}
