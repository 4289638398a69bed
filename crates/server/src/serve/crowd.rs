//! Those who have heard everything and wait for news, in two rows.
//!
//! A row has a thread: it is woken once for all of its listeners, and writes the same text to each of their sockets. Whoever
//! does not take all of it at once gets its socket back, and goes on at its own pace. Nearly all that news costs is what
//! the system does to write it, so that each thread has its own half of the processors: where both are woken on one of
//! them, the system leaves them there for some milliseconds, and half of the crowd waits for the other half.

use std::{
    io::{self, ErrorKind},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use bytes::Bytes;
use tokio::{
    net::TcpStream,
    sync::{broadcast, mpsc, oneshot, watch},
    time::{Instant, interval},
};

use super::listening::framed;
use crate::{
    api::Api,
    feed::{AtHand, Feed, Listener, QUIET, QUIET_MAX, SeenFrames, rest},
};

/// A crowd is told by two in half the time.
const ROWS: usize = 2;
/// How often it is looked who is gone, and who has heard nothing for a while.
const LOOK: Duration = Duration::from_secs(1);
/// How much that is seen is told in one go.
const SEEN_TOGETHER_MAX: usize = 256;

/// All rows.
pub struct Crowd {
    api: Api,
    /// There are none until somebody comes, and none either where there can't be more threads.
    rows: OnceLock<Vec<mpsc::UnboundedSender<Seat>>>,
    next: AtomicUsize,
}

/// One who listens, and the way back to whoever looks after it.
struct Seat {
    io: TcpStream,
    listener: Listener,
    said_at: Instant,
    back: oneshot::Sender<Left>,
}

/// One who has left a row.
pub struct Left {
    pub io: TcpStream,
    pub listener: Listener,
    /// What it did not take.
    pub unsent: Bytes,
}

/// Why somebody leaves.
enum Leaving {
    /// It did not take all of this.
    Slow(Bytes),
    /// Nothing comes any more.
    Over,
    /// Nobody is there any more, or somebody who does not only listen.
    Gone,
}

struct Row {
    seats: Vec<Seat>,
    /// When the last that was told had come.
    told_at: Option<Instant>,
    /// What was framed last. A crowd is told the same, and it is framed once.
    framed: (Bytes, Bytes),
}

impl Crowd {
    /// Begins with nobody.
    pub fn new(api: &Api) -> Self {
        Self { api: api.clone(), rows: OnceLock::new(), next: AtomicUsize::new(0) }
    }

    /// Begins with one row by the clock of the test.
    #[cfg(test)]
    pub fn on_clock(api: &Api) -> Self {
        let (sender, newcomers) = mpsc::unbounded_channel();
        tokio::spawn(tell(api.clone(), newcomers));
        Self { api: api.clone(), rows: vec![sender].into(), next: AtomicUsize::new(0) }
    }

    /// Takes a place in a row, until there is a reason to leave it. Nothing is left of one who is gone.
    pub async fn sit(&self, io: TcpStream, listener: Listener) -> Option<Left> {
        let rows =
            self.rows.get_or_init(|| (0..ROWS).filter_map(|number| open(&self.api, number).ok()).collect());
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (back, left) = oneshot::channel();
        let seat = Seat { io, listener, said_at: Instant::now(), back };
        let Some(row) = number.checked_rem(rows.len()).and_then(|number| rows.get(number)) else {
            return Some(seat.left(Bytes::new(), true).0);
        };
        match row.send(seat) {
            Ok(()) => left.await.ok(),
            // The rows end before the last connection does.
            Err(mpsc::error::SendError(seat)) => Some(seat.left(Bytes::new(), true).0),
        }
    }
}

/// Opens a row, which ends with the server.
fn open(api: &Api, number: usize) -> io::Result<mpsc::UnboundedSender<Seat>> {
    let (sender, newcomers) = mpsc::unbounded_channel();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let api = api.clone();
    thread::Builder::new().name("teller".to_owned()).spawn(move || {
        keep_to_own_processors(number);
        runtime.block_on(tell(api, newcomers));
    })?;
    Ok(sender)
}

/// Lets this thread run on those processors alone that are no other row's. It starts no other thread or process, which
/// would keep to them too.
#[cfg(target_os = "linux")]
fn keep_to_own_processors(number: usize) {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let Ok(allowed) = sched_getaffinity(None) else { return };
    let mut own = CpuSet::new();
    (0..CpuSet::MAX_CPU)
        .filter(|processor| allowed.is_set(*processor))
        .skip(number)
        .step_by(ROWS)
        .for_each(|processor| own.set(processor));
    // Where there are fewer than rows, or it may not choose, it runs anywhere.
    if own.count() > 0 {
        let _ = sched_setaffinity(None, &own);
    }
}

#[cfg(not(target_os = "linux"))]
fn keep_to_own_processors(_number: usize) {}

/// Tells a row what comes, until nothing does.
async fn tell(api: Api, mut newcomers: mpsc::UnboundedReceiver<Seat>) {
    let feed = &api.feed;
    let over = api.over();
    tokio::pin!(over);
    let (mut head, mut seen) = (feed.watch(), feed.seen());
    let mut row = Row { seats: Vec::new(), told_at: None, framed: Default::default() };
    let mut look = interval(LOOK);
    loop {
        tokio::select! {
            // What is there to be told is told before the end.
            biased;
            _ = head.changed() => row.tell_news(feed, &mut head).await,
            () = &mut over => {
                newcomers.close();
                while let Ok(seat) = newcomers.try_recv() {
                    row.seats.push(seat);
                }
                row.tell_news(feed, &mut head).await;
                return leave(&mut row.seats, |_| Err(Leaving::Over));
            }
            first = seen.recv() => row.tell_seen(first, &mut seen).await,
            newcomer = newcomers.recv() => {
                let Some(seat) = newcomer else { return };
                let is_behind = seat.listener.at() < *head.borrow();
                row.seats.push(seat);
                if is_behind {
                    row.tell_news(feed, &mut head).await;
                }
            }
            _ = look.tick() => {
                row.let_go();
                row.break_silence();
            }
        }
    }
}

impl Row {
    async fn tell_news(&mut self, feed: &Feed, head: &mut watch::Receiver<store::Position>) {
        if self.seats.is_empty() {
            return;
        }
        rest(self.told_at).await;
        let (head, came_at) = (*head.borrow_and_update(), feed.came_at());
        self.told_at = Some(came_at);
        let framed = &mut self.framed;
        leave(&mut self.seats, |seat| {
            loop {
                match seat.listener.at_hand(head) {
                    AtHand::Text(text) => seat.say(&once(framed, text))?,
                    AtHand::Nothing => return Ok(()),
                    AtHand::Gone => return Err(Leaving::Over),
                }
            }
        });
    }

    async fn tell_seen(
        &mut self,
        first: Result<Arc<SeenFrames>, broadcast::error::RecvError>,
        more: &mut broadcast::Receiver<Arc<SeenFrames>>,
    ) {
        // What is only seen may be missed.
        let Ok(first) = first else { return };
        rest(self.told_at).await;
        let mut seen = vec![first];
        while seen.len() < SEEN_TOGETHER_MAX
            && let Ok(next) = more.try_recv()
        {
            seen.push(next);
        }
        self.told_at = Some(Instant::now());
        leave(&mut self.seats, |seat| match seat.listener.of_seen(&seen) {
            Some(text) => seat.say(&framed(&text)),
            None => Ok(()),
        });
    }

    /// Says a word to those who have heard nothing for a while, so that the line stays open.
    fn break_silence(&mut self) {
        let (now, word) = (Instant::now(), framed(&QUIET));
        leave(&mut self.seats, |seat| {
            // The next look may be too late.
            if now >= seat.said_at + QUIET_MAX - LOOK { seat.say(&word) } else { Ok(()) }
        });
    }

    /// Lets those go who are there no more.
    fn let_go(&mut self) {
        leave(&mut self.seats, |seat| match seat.io.try_read(&mut [0]) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(()),
            Ok(_) | Err(_) => Err(Leaving::Gone),
        });
    }
}

impl Seat {
    /// Writes as much as is taken at once.
    fn say(&mut self, framed: &Bytes) -> Result<(), Leaving> {
        let n_taken = match self.io.try_write(framed) {
            Ok(n_taken) => n_taken,
            Err(error) if error.kind() == ErrorKind::WouldBlock => 0,
            Err(_) => return Err(Leaving::Gone),
        };
        self.said_at = Instant::now();
        if n_taken == framed.len() { Ok(()) } else { Err(Leaving::Slow(framed.slice(n_taken..))) }
    }

    fn left(self, unsent: Bytes, is_over: bool) -> (Left, oneshot::Sender<Left>) {
        let Self { io, mut listener, back, .. } = self;
        if is_over {
            listener.end();
        }
        (Left { io, listener, unsent }, back)
    }
}

/// Does something for everybody. Whoever has a reason to leave does.
fn leave(seats: &mut Vec<Seat>, mut tell: impl FnMut(&mut Seat) -> Result<(), Leaving>) {
    let mut index = 0;
    while let Some(seat) = seats.get_mut(index) {
        let Err(leaving) = tell(seat) else {
            index += 1;
            continue;
        };
        let seat = seats.swap_remove(index);
        let (left, back) = match leaving {
            Leaving::Slow(unsent) => seat.left(unsent, false),
            Leaving::Over => seat.left(Bytes::new(), true),
            Leaving::Gone => continue,
        };
        // Where nobody looks after it any more the server ends.
        drop(back.send(left));
    }
}

/// Returns a text in its frame, which is the last one where the text is.
fn once(last: &mut (Bytes, Bytes), text: Bytes) -> Bytes {
    let is_same = (last.0.as_ptr(), last.0.len()) == (text.as_ptr(), text.len());
    if !is_same {
        *last = (text.clone(), framed(&text));
    }
    last.1.clone()
}
