//! What happens, from a thread of its own: a queue, and a pipe that wakes whoever polls.

use std::{
    io::{self, Read, Write},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::net::UnixStream,
    },
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use domain::RunId;
use server::{Client, HangUp, Live, LiveEvent};
use store::Position;

use crate::{failure::Failure, remote};

/// News that wait to be seen; the server waits a little for who is behind that far, then cuts them off.
const NEWS_MAX: usize = 1024;
/// How long a server may be away before it counts as gone.
const AWAY_MAX: Duration = Duration::from_secs(10);

/// What happens in a run.
pub struct Feed<'a> {
    client: &'a Client,
    news: Receiver<LiveEvent>,
    wake: UnixStream,
    hang_up: HangUp,
    thread: Option<JoinHandle<()>>,
    /// Whether the line was cut, and nothing was heard since.
    is_cut: bool,
    /// Since when the server does not answer.
    away: Option<Instant>,
}

impl<'a> Feed<'a> {
    /// Begins to listen behind a place of the log.
    pub fn open(client: &'a Client, run: &RunId, after: Position) -> Result<Self, Failure> {
        let live = client.live(Some(after), Some(run.clone())).map_err(|error| remote::failure(&error))?;
        let hang_up = live.hang_up();
        let (wake, bell) = line().map_err(|error| failed(&error))?;
        let (sender, news) = sync_channel(NEWS_MAX);
        let thread = std::thread::Builder::new().name("news".to_owned());
        let thread = thread.spawn(move || listen(live, &sender, bell)).map_err(|error| failed(&error))?;
        Ok(Self { client, news, wake, hang_up, thread: Some(thread), is_cut: false, away: None })
    }

    /// Returns the next piece of news; nothing where there is none just now.
    pub fn next(&mut self) -> Result<Option<LiveEvent>, Failure> {
        let next = self.news.try_recv();
        self.heard(next.map_err(|error| error == TryRecvError::Disconnected))
    }

    /// Returns the next piece of news; nothing where none comes in time.
    pub fn wait(&mut self, time: Duration) -> Result<Option<LiveEvent>, Failure> {
        let next = self.news.recv_timeout(time);
        self.heard(next.map_err(|error| error == RecvTimeoutError::Disconnected))
    }

    /// Returns what can be read when there is news. To be emptied by `quiet`.
    pub fn wake(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }

    /// Takes note of having been woken.
    pub fn quiet(&mut self) {
        let mut bells = [0; 4096];
        // Nothing to read is nothing to note.
        let _ = self.wake.read(&mut bells);
    }

    /// Tells whether the server is away just now. Fails where it stays away.
    pub fn is_away(&mut self) -> Result<bool, Failure> {
        // One that is about to end may still answer, so it is asked until there is news.
        if !self.is_cut || self.client.status().is_ok() {
            self.away = None;
            return Ok(false);
        }
        if self.away.get_or_insert_with(Instant::now).elapsed() > AWAY_MAX {
            return Err(gone());
        }
        Ok(true)
    }

    fn heard(&mut self, next: Result<LiveEvent, bool>) -> Result<Option<LiveEvent>, Failure> {
        match next {
            Ok(LiveEvent::Lost { .. }) => {
                self.is_cut = true;
                Ok(None)
            }
            Ok(LiveEvent::Refused(problem)) => {
                Err(Failure { what: problem.detail, hint: Some(problem.hint), exit: 1 })
            }
            Ok(event) => {
                self.is_cut = false;
                Ok(Some(event))
            }
            Err(true) => Err(gone()),
            Err(false) => Ok(None),
        }
    }
}

impl Drop for Feed<'_> {
    fn drop(&mut self) {
        self.hang_up.hang_up();
        // It may wait for room in the queue.
        while self.news.recv_timeout(Duration::from_millis(1)) != Err(RecvTimeoutError::Disconnected) {}
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn listen(live: Live, news: &SyncSender<LiveEvent>, mut bell: UnixStream) {
    for event in live {
        if news.send(event).is_err() {
            return;
        }
        // Where there is no room for one more, there are enough to wake anybody.
        let _ = bell.write(&[1]);
    }
}

/// Makes a line on which nobody ever waits.
fn line() -> io::Result<(UnixStream, UnixStream)> {
    let (wake, bell) = UnixStream::pair()?;
    wake.set_nonblocking(true)?;
    bell.set_nonblocking(true)?;
    Ok((wake, bell))
}

fn failed(error: &io::Error) -> Failure {
    Failure { what: format!("listen to what happens: {error}"), hint: None, exit: 1 }
}

fn gone() -> Failure {
    Failure {
        what: "the server is gone".to_owned(),
        hint: Some("its agents work on; take the run up again: jangdan resume".to_owned()),
        exit: 1,
    }
}
