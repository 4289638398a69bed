//! Bounds the outputs of agents that wait for the loop of their run: an agent that floods must not delay users and other
//! agents, and a message may be large.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Outputs of agents that may wait. Each takes about as long as a write to the disk.
const WAITING_MAX: usize = 32;

/// The outputs of one run that wait. Senders block while there are too many.
#[derive(Default)]
pub(crate) struct OutputBound {
    n_waiting: Mutex<usize>,
    has_space: Condvar,
}

/// The place of one output, which is given back when the output was handled or dropped.
pub(crate) struct OutputPermit {
    bound: Arc<OutputBound>,
}

impl OutputBound {
    /// Waits for a place.
    pub(crate) fn acquire(self: &Arc<Self>) -> OutputPermit {
        // A counter is consistent after every step, so a panic elsewhere does not matter.
        let waiting = self.n_waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |n_waiting: &mut usize| *n_waiting >= WAITING_MAX;
        let mut waiting = self.has_space.wait_while(waiting, is_full).unwrap_or_else(PoisonError::into_inner);
        *waiting += 1;
        OutputPermit { bound: Arc::clone(self) }
    }
}

impl Drop for OutputPermit {
    fn drop(&mut self) {
        let mut waiting = self.bound.n_waiting.lock().unwrap_or_else(PoisonError::into_inner);
        *waiting = waiting.saturating_sub(1);
        self.bound.has_space.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc::channel, thread, time::Duration};

    use super::*;

    #[test]
    fn a_sender_waits_while_too_many_outputs_wait() {
        let bound = Arc::new(OutputBound::default());
        let mut permits: Vec<_> = (0..WAITING_MAX).map(|_| bound.acquire()).collect();
        let (sender, receiver) = channel();
        let waiting = Arc::clone(&bound);
        let thread = thread::spawn(move || sender.send(waiting.acquire()).unwrap());
        assert!(receiver.recv_timeout(Duration::from_millis(50)).is_err(), "it did not wait");
        permits.pop();
        assert!(receiver.recv_timeout(Duration::from_secs(10)).is_ok(), "it waits for ever");
        thread.join().unwrap();
    }
}
