//! Those who have heard everything and wait for news, in a few rows.
//!
//! A row is one task: it is woken once for all of its listeners, and writes the same text to each of their sockets. Whoever
//! does not take all of it at once gets its socket back, and goes on at its own pace.

use std::{
    future::poll_fn,
    io::ErrorKind,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
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

/// So many that they are told side by side, and so few that waking them costs nothing.
const ROWS: usize = 8;
/// How much that is seen is told in one go.
const SEEN_TOGETHER_MAX: usize = 256;

/// All rows.
pub struct Crowd {
    rows: Vec<mpsc::UnboundedSender<Seat>>,
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
    /// Opens the rows. Only inside of a tokio runtime; they end with the server.
    pub fn open(api: &Api) -> Self {
        let open = |_| {
            let (sender, newcomers) = mpsc::unbounded_channel();
            tokio::spawn(tell(api.clone(), newcomers));
            sender
        };
        Self { rows: (0..ROWS).map(open).collect(), next: AtomicUsize::new(0) }
    }

    /// Takes a place in a row, until there is a reason to leave it. Nothing is left of one who is gone.
    pub async fn sit(&self, io: TcpStream, listener: Listener) -> Option<Left> {
        let row = self.next.fetch_add(1, Ordering::Relaxed) % ROWS;
        let (back, left) = oneshot::channel();
        let seat = Seat { io, listener, said_at: Instant::now(), back };
        match self.rows.get(row)?.send(seat) {
            Ok(()) => left.await.ok(),
            // The rows end before the last connection does.
            Err(mpsc::error::SendError(seat)) => Some(seat.left(Bytes::new(), true).0),
        }
    }
}

/// Tells a row what comes, until nothing does.
async fn tell(api: Api, mut newcomers: mpsc::UnboundedReceiver<Seat>) {
    let feed = &api.feed;
    let over = api.over();
    tokio::pin!(over);
    let (mut head, mut seen) = (feed.watch(), feed.seen());
    let mut row = Row { seats: Vec::new(), told_at: None, framed: Default::default() };
    let mut look = interval(QUIET_MAX / 4);
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
            () = poll_fn(|context| row.poll_gone(context)) => {}
            _ = look.tick() => row.break_silence(),
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
            if now >= seat.said_at + QUIET_MAX - QUIET_MAX / 4 { seat.say(&word) } else { Ok(()) }
        });
    }

    /// Lets those go who are there no more. Never done: it wakes the row when there may be another.
    fn poll_gone(&mut self, context: &mut Context<'_>) -> Poll<()> {
        leave(&mut self.seats, |seat| match seat.poll_gone(context) {
            Poll::Ready(()) => Err(Leaving::Gone),
            Poll::Pending => Ok(()),
        });
        Poll::Pending
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

    fn poll_gone(&self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            ready!(self.io.poll_read_ready(context)).ok();
            match self.io.try_read(&mut [0]) {
                // It is asked again, and waited for.
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Ok(_) | Err(_) => return Poll::Ready(()),
            }
        }
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
