//! Removes the worktrees of ended sessions on its own thread, since git can be slow.

use std::thread::{self, JoinHandle};

use super::wake_up::{WakeUpSender, wake_up_channel};

/// The thread that removes worktrees.
pub(super) struct WorktreeRemoval {
    wake_up: WakeUpSender,
    thread: JoinHandle<()>,
}

impl WorktreeRemoval {
    /// Starts the thread, which calls `remove_ended` after each wake-up. `None` if the system gives no thread: the
    /// worktrees are then removed at the end of the run or with the next start.
    pub(super) fn start(mut remove_ended: impl FnMut() + Send + 'static) -> Option<Self> {
        let (wake_up, woken) = wake_up_channel();
        let work = move || woken.iter().for_each(|()| remove_ended());
        let thread = thread::Builder::new().name("worktrees".to_owned()).spawn(work).ok()?;
        Some(Self { wake_up, thread })
    }

    /// Lets the thread look for ended sessions. Called by the run loop, which never waits for it.
    pub(super) fn wake(&self) {
        self.wake_up.wake();
    }

    /// Lets the thread finish the removals it was woken for, and waits for its end.
    pub(super) fn finish(self) {
        drop(self.wake_up);
        // A panic of the thread was reported by the thread itself.
        drop(self.thread.join());
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc, Mutex,
            atomic::{AtomicU32, Ordering},
            mpsc::{channel, sync_channel},
        },
        thread,
        time::Duration,
    };

    use super::WorktreeRemoval;

    /// Long enough that only a blocked thread reaches it.
    const TIMEOUT: Duration = Duration::from_secs(60);

    #[test]
    fn wake_ups_while_the_thread_is_busy_neither_block_nor_get_lost() {
        let (is_busy, busy) = sync_channel(1);
        let (resume, may_resume) = channel();
        let n_ended = Arc::new(AtomicU32::new(0));
        let counts = Arc::new(Mutex::new(Vec::new()));
        let remove = {
            let (n_ended, counts) = (Arc::clone(&n_ended), Arc::clone(&counts));
            move || {
                counts.lock().unwrap().push(n_ended.load(Ordering::SeqCst));
                let _ = is_busy.try_send(());
                may_resume.recv_timeout(TIMEOUT).unwrap();
            }
        };
        let removal = WorktreeRemoval::start(remove).unwrap();
        removal.wake();
        busy.recv_timeout(TIMEOUT).unwrap();
        let (woken, all_woken) = channel();
        let run_loop = thread::spawn(move || {
            for n in 1..=100 {
                n_ended.store(n, Ordering::SeqCst);
                removal.wake();
            }
            woken.send(()).unwrap();
            removal
        });
        all_woken.recv_timeout(TIMEOUT).expect("the run loop is blocked by a busy thread");
        resume.send(()).unwrap();
        resume.send(()).unwrap();
        run_loop.join().unwrap().finish();
        assert_eq!(*counts.lock().unwrap(), [0, 100], "the second call sees all ended sessions");
    }
}
