//! Answers the inbox of a run automatically, on its own thread.

use std::{
    path::Path,
    thread::{self, JoinHandle},
    time::Duration,
};

use domain::{RunId, UserCommand};
use server::{Client, ClientError, LiveEvent, LiveStreamHandle};
use store::Position;
use views::RowKind;

use super::auto_answer::{PendingItems, auto_answers};
use crate::{failure::Failure, localized::localized, remote};

/// Code of a command that could not be recorded.
const DISK_FULL: &str = "disk-full";
/// Delay before such a command is sent again.
const DISK_FULL_RETRY: Duration = Duration::from_millis(200);

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
    thread: JoinHandle<Result<(), ClientError>>,
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
        let run = run.clone();
        let work = move || {
            for event in live {
                let LiveEvent::Changed(changed) = event else { continue };
                if changed.kind == RowKind::Inbox.name() && changed.row.is_some() {
                    thread::sleep(options.pause);
                    answer_all(&client, &run, &options.person)?;
                }
            }
            Ok(())
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
                thread::sleep(DISK_FULL_RETRY);
            }
            // The entry was settled in the meantime.
            Ok(_) | Err(ClientError::Refused { .. }) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}
