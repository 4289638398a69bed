//! Answers the inbox of a run automatically, on its own thread.

use std::{
    error::Error,
    path::Path,
    thread::{self, JoinHandle},
    time::Duration,
};

use domain::{RunId, UserCommand};
use server::{Client, ClientError, LiveEvent, LiveStreamHandle};
use store::Position;
use tracing::warn;
use views::RowKind;

use super::auto_answer::{PendingItems, auto_answers};
use crate::{failure::Failure, localized::localized, remote};

/// Code of a command that could not be recorded.
const DISK_FULL: &str = "disk-full";
/// Delay before such a command is sent again, and before the inbox is read again after a failure.
const RETRY_DELAY: Duration = Duration::from_millis(200);

/// Options of automatic answers.
#[derive(Debug, Clone)]
pub(crate) struct ResponderOptions {
    /// Name of the user.
    pub person: String,
    /// Delay before an answer, so that the question can be read.
    pub pause: Duration,
}

/// Thread that answers the inbox of a run.
pub(crate) struct AutoResponder {
    live_stream: LiveStreamHandle,
    thread: JoinHandle<()>,
}

impl AutoResponder {
    /// Starts the thread.
    pub(crate) fn start(data: &Path, run: &RunId, options: ResponderOptions) -> Result<Self, Failure> {
        let failed = |error: &ClientError| remote::client_failure(error);
        let stopped = || Failure {
            what: localized("The server of the demo has stopped.", "데모의 서버가 중지되었습니다."),
            hint: None,
            exit: 1,
        };
        let client = Client::connect(data).map_err(|error| failed(&error))?.ok_or_else(stopped)?;
        // From the first event on, to include entries that are open already.
        let live = client
            .open_live_stream(Some(Position(0)), Some(run.clone()))
            .map_err(|error| remote::client_failure(&error))?;
        let live_stream = live.handle();
        let handle = live.handle();
        let run = run.clone();
        let work = move || {
            for event in live {
                let LiveEvent::Changed(changed) = event else { continue };
                if changed.kind == RowKind::Inbox.name() && changed.row.is_some() {
                    thread::sleep(options.pause);
                    retry(|| handle.is_closed(), || answer_all(&client, &run, &options.person));
                }
            }
        };
        let thread = thread::Builder::new().name("auto".to_owned()).spawn(work);
        let thread = thread.map_err(|error| Failure {
            what: localized(
                format!("Cannot start a thread ({error})."),
                format!("스레드를 시작할 수 없습니다({error})."),
            ),
            hint: None,
            exit: 1,
        })?;
        Ok(Self { live_stream, thread })
    }

    /// Stops the thread.
    pub(crate) fn stop(self) {
        self.live_stream.close();
        // Watching reports a server that has stopped.
        drop(self.thread.join());
    }
}

/// Repeats an attempt until it succeeds or the stream is closed: a run must not wait forever because its server or disk
/// was busy for a moment.
fn retry(is_closed: impl Fn() -> bool, mut attempt: impl FnMut() -> Result<(), ClientError>) {
    while let Err(error) = attempt() {
        warn!(error = &error as &dyn Error, "cannot answer automatically");
        if is_closed() {
            return;
        }
        thread::sleep(RETRY_DELAY);
    }
}

fn answer_all(client: &Client, run: &RunId, person: &str) -> Result<(), ClientError> {
    let kinds = [RowKind::Inbox, RowKind::Question, RowKind::Request, RowKind::Escalation];
    let rows = client.rows(run, &kinds)?;
    let pending = PendingItems {
        inbox: rows.rows_of_kind()?,
        questions: rows.rows_of_kind()?,
        requests: rows.rows_of_kind()?,
        escalations: rows.rows_of_kind()?,
    };
    auto_answers(&pending).iter().try_for_each(|command| send_command(client, run, person, command))
}

fn send_command(
    client: &Client,
    run: &RunId,
    person: &str,
    command: &UserCommand,
) -> Result<(), ClientError> {
    loop {
        match client.send_command(run, person, command) {
            // The disk is full: wait until space is freed, then retry.
            Err(ClientError::Refused { problem, .. }) if problem.code == DISK_FULL => {
                thread::sleep(RETRY_DELAY);
            }
            // The entry was settled in the meantime.
            Ok(_) | Err(ClientError::Refused { .. }) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, io};

    use super::*;

    #[test]
    fn failed_answer_is_repeated_until_the_stream_is_closed() {
        let failure =
            || ClientError::Unreachable { path: "server.sock".into(), source: io::Error::other("busy") };
        let attempts = Cell::new(0);
        let fail_until = |n| {
            attempts.set(attempts.get() + 1);
            if attempts.get() < n { Err(failure()) } else { Ok(()) }
        };
        retry(|| false, || fail_until(3));
        assert_eq!(attempts.take(), 3);
        retry(|| attempts.get() == 2, || fail_until(9));
        assert_eq!(attempts.take(), 2);
    }
}
