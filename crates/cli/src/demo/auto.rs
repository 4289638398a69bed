//! The person who answers by themselves: listens beside whoever watches, and answers what waits.

use std::{
    path::Path,
    thread::{self, JoinHandle},
    time::Duration,
};

use domain::{Command, RunId};
use server::{Client, ClientError, HangUp, LiveEvent};
use store::Position;
use views::Kind;

use super::answer::{Waiting, answer};
use crate::{failure::Failure, remote};

/// The status of an answer that could not be written down.
const DISK_FULL: u16 = 507;
/// How long it takes to make room.
const MAKING_ROOM: Duration = Duration::from_millis(200);

/// How a run's questions are answered.
#[derive(Debug, Clone)]
pub struct Manner {
    /// Who answers.
    pub person: String,
    /// How long a question stands before it is answered, so that it can be read.
    pub pause: Duration,
}

/// Somebody who answers, on a thread of their own.
pub struct Auto {
    hang_up: HangUp,
    thread: JoinHandle<Result<(), ClientError>>,
}

impl Auto {
    /// Begins to answer what a run asks.
    pub fn start(data: &Path, run: &RunId, manner: Manner) -> Result<Self, Failure> {
        let failed = |error: &ClientError| remote::failure(error);
        let gone = || Failure { what: "the demo's server is gone".to_owned(), hint: None, exit: 1 };
        let client = Client::connect(data).map_err(|error| failed(&error))?.ok_or_else(gone)?;
        // From the beginning on: what was asked before is told again.
        let live =
            client.live(Some(Position(0)), Some(run.clone())).map_err(|error| remote::failure(&error))?;
        let hang_up = live.hang_up();
        let run = run.clone();
        let work = move || {
            for event in live {
                let LiveEvent::Changed(changed) = event else { continue };
                if changed.kind == Kind::Inbox.name() && changed.row.is_some() {
                    thread::sleep(manner.pause);
                    answer_all(&client, &run, &manner.person)?;
                }
            }
            Ok(())
        };
        let thread = thread::Builder::new().name("auto".to_owned()).spawn(work);
        let thread = thread.map_err(|error| Failure {
            what: format!("start a thread: {error}"),
            hint: None,
            exit: 1,
        })?;
        Ok(Self { hang_up, thread })
    }

    /// Answers nothing more.
    pub fn stop(self) {
        self.hang_up.hang_up();
        // A server that was gone before has been told of by whoever watches.
        drop(self.thread.join());
    }
}

fn answer_all(client: &Client, run: &RunId, person: &str) -> Result<(), ClientError> {
    let kinds = [Kind::Inbox, Kind::Question, Kind::Request, Kind::Escalation];
    let rows = client.rows(run, &kinds)?;
    let waiting =
        Waiting { inbox: rows.of()?, questions: rows.of()?, requests: rows.of()?, escalations: rows.of()? };
    answer(&waiting).iter().try_for_each(|command| wish(client, run, person, command))
}

fn wish(client: &Client, run: &RunId, person: &str, command: &Command) -> Result<(), ClientError> {
    loop {
        match client.wish(run, person, command) {
            // Whoever is there makes room, and says it again.
            Err(ClientError::Refused { status: DISK_FULL, .. }) => thread::sleep(MAKING_ROOM),
            // What was settled in between needs no answer any more.
            Ok(_) | Err(ClientError::Refused { .. }) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}
