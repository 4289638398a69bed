//! The bounded queue from the run loop to the thread of a session, and the request to stop beside it.
//!
//! Nothing here blocks the run loop: the thread may itself wait for the loop to take a report.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
};

use domain::{EffectId, InputNumber, LargeFile, SessionInput};
use engine::{InputBrief, ProvisionOrder, TaskBrief};
use sessions::Waker;

use crate::executor::stop_token::StopToken;

/// Commands that wait for one session while its thread sets up a worktree, starts a process or reports.
///
/// The engine sends a session a handful at a time and waits for the end of its turn, so the thread of a session with more
/// than this does not work any more. A command is at most some kilobytes, the text of its input.
pub(in crate::executor) const COMMANDS_MAX: usize = 1024;

/// Command to the thread of a session.
pub(in crate::executor) enum SessionCommand {
    Send {
        number: InputNumber,
        input: Box<SessionInput>,
        brief: Option<Box<InputBrief>>,
        /// Set if the tree before the input is reported: the files above the size limit that it has.
        tree_report: Option<Vec<LargeFile>>,
    },
    Freeze {
        effect: EffectId,
    },
    Thaw {
        effect: EffectId,
    },
    /// Ends the process until it is needed again.
    Cool {
        effect: EffectId,
    },
    Warm {
        effect: EffectId,
        replay: Option<Box<TaskBrief>>,
    },
    /// Delivers environment variables. Reported by `ProvisionFinished`.
    Provide {
        effect: EffectId,
        order: Box<ProvisionOrder>,
    },
    /// Masks all values of the vault that the project uses.
    MaskSecrets,
    /// Makes the thread look at the request to stop.
    Wake,
}

/// Why the thread of a session ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::executor) enum SessionStop {
    /// The process continues without this server.
    Detach,
    /// The process ends with this server; the session continues with the next start.
    Shutdown,
    /// The run has ended the session.
    End,
    /// More than [`COMMANDS_MAX`] commands are queued.
    Overflow,
}

/// The side of the run loop.
pub(super) struct SessionOutbox {
    commands: SyncSender<SessionCommand>,
    control: Arc<Mutex<SessionControl>>,
    stop_token: StopToken,
}

/// The side of the session's thread.
pub(super) struct SessionInbox {
    pub(super) commands: Receiver<SessionCommand>,
    control: Arc<Mutex<SessionControl>>,
    /// Ends the set-up of the worktree.
    pub(super) stop_token: StopToken,
}

#[derive(Default)]
struct SessionControl {
    stop: Option<SessionStop>,
    waker: Option<Waker>,
    /// Whether the thread takes no more commands.
    is_closed: bool,
}

pub(super) fn outbox_and_inbox() -> (SessionOutbox, SessionInbox) {
    let (sender, commands) = sync_channel(COMMANDS_MAX);
    let (control, stop_token) = (Arc::<Mutex<SessionControl>>::default(), StopToken::new());
    let outbox =
        SessionOutbox { commands: sender, control: Arc::clone(&control), stop_token: stop_token.clone() };
    (outbox, SessionInbox { commands, control, stop_token })
}

impl SessionOutbox {
    /// Queues a command. A session whose queue is full is stopped; a thread that has ended takes none, and the command is
    /// returned.
    pub(super) fn send(&self, command: SessionCommand) -> Result<(), SessionCommand> {
        let control = lock(&self.control);
        if control.is_closed {
            return Err(command);
        }
        match self.commands.try_send(command) {
            Ok(()) => control.wake(),
            Err(TrySendError::Full(_)) => {
                drop(control);
                self.stop(SessionStop::Overflow);
            }
            Err(TrySendError::Disconnected(command)) => return Err(command),
        }
        Ok(())
    }

    /// Requests the end of the thread, and returns whether it has not ended yet. The last request counts, but an overflow
    /// stops only what nothing else stops.
    pub(super) fn stop(&self, stop: SessionStop) -> bool {
        match stop {
            SessionStop::Detach => self.stop_token.detach(),
            SessionStop::Shutdown | SessionStop::End | SessionStop::Overflow => self.stop_token.kill(),
        }
        let mut control = lock(&self.control);
        if stop != SessionStop::Overflow || control.stop.is_none() {
            control.stop = Some(stop);
        }
        control.wake();
        // A thread whose queue is full does not wait for a command.
        let woken = self.commands.try_send(SessionCommand::Wake);
        !control.is_closed && !matches!(woken, Err(TrySendError::Disconnected(_)))
    }
}

impl SessionInbox {
    pub(super) fn stop_request(&self) -> Option<SessionStop> {
        lock(&self.control).stop
    }

    /// Takes no more commands, and returns those that were queued.
    pub(super) fn close(&self) -> Vec<SessionCommand> {
        let mut control = lock(&self.control);
        control.is_closed = true;
        self.commands.try_iter().collect()
    }

    /// Sets what wakes the thread while it waits for the session's output.
    pub(super) fn set_waker(&self, waker: Waker) {
        lock(&self.control).waker = Some(waker);
    }
}

impl SessionControl {
    fn wake(&self) {
        self.waker.iter().for_each(Waker::wake);
    }
}

fn lock(control: &Mutex<SessionControl>) -> MutexGuard<'_, SessionControl> {
    // Each change is a single assignment.
    control.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use domain::{EffectId, Sequence};

    use super::{COMMANDS_MAX, SessionCommand, SessionStop, outbox_and_inbox};

    #[test]
    fn full_queue_stops_the_session_and_does_not_block_the_sender() {
        let (outbox, inbox) = outbox_and_inbox();
        (0..COMMANDS_MAX).for_each(|_| assert!(outbox.send(SessionCommand::Wake).is_ok()));
        assert_eq!(inbox.stop_request(), None);
        assert!(outbox.send(SessionCommand::Wake).is_ok());
        assert_eq!(inbox.stop_request(), Some(SessionStop::Overflow));
        assert_eq!(inbox.commands.try_iter().count(), COMMANDS_MAX);
    }

    #[test]
    fn stop_reaches_a_full_queue_and_replaces_an_overflow() {
        let (outbox, inbox) = outbox_and_inbox();
        (0..=COMMANDS_MAX).for_each(|_| assert!(outbox.send(SessionCommand::Wake).is_ok()));
        assert!(outbox.stop(SessionStop::Detach));
        assert_eq!(inbox.stop_request(), Some(SessionStop::Detach));
        assert!(outbox.send(SessionCommand::Wake).is_ok());
        assert_eq!(inbox.stop_request(), Some(SessionStop::Detach));
    }

    #[test]
    fn closed_inbox_loses_no_command() {
        let (outbox, inbox) = outbox_and_inbox();
        assert!(outbox.send(SessionCommand::Freeze { effect: effect(1) }).is_ok());
        let queued = inbox.close();
        assert!(matches!(&queued[..], [SessionCommand::Freeze { effect }] if *effect == self::effect(1)));
        let refused = outbox.send(SessionCommand::Cool { effect: effect(2) });
        assert!(matches!(refused, Err(SessionCommand::Cool { effect }) if effect == self::effect(2)));
        assert!(!outbox.stop(SessionStop::End));
        drop(inbox);
        assert!(outbox.send(SessionCommand::Wake).is_err());
        assert!(!outbox.stop(SessionStop::End));
    }

    fn effect(sequence: u64) -> EffectId {
        EffectId { sequence: Sequence(sequence), index: 0 }
    }

    #[test]
    fn stop_wakes_a_thread_that_waits_for_a_command() {
        let (outbox, inbox) = outbox_and_inbox();
        let thread = std::thread::spawn(move || inbox.commands.recv().map(|_| inbox.stop_request()));
        assert!(outbox.stop(SessionStop::End));
        assert_eq!(thread.join().unwrap().unwrap(), Some(SessionStop::End));
    }
}
