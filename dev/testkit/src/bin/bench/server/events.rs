//! The same events to the subscribers of each server: how many a second, and how late they come.
//!
//! An event of ours is a command that is decided, recorded on the disk, folded into rows and published. One of Node's is the same
//! text, told as it comes.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::{
    line::{Address, Line, connect},
    sides::{Home, Side, only_phase, waiting_task},
    subscribers::Subscribers,
};

/// Number of active runs, so that a command does not wait for the disk alone.
const N_RUNS: usize = 8;
/// Latency is measured at one in so many subscribers.
const ONE_IN: usize = 8;
/// The pace at which lateness is measured.
const EVERY: Duration = Duration::from_millis(20);

/// A server, its subscribers, and the requests that make an event there.
pub struct Scene {
    pub side: Side,
    pub subscribers: Subscribers,
    told: Vec<Told>,
}

/// Requests that cause one event each; two alternate, because a command that changes nothing causes no event.
struct Told {
    requests: [Vec<u8>; 2],
    n_sent: AtomicUsize,
}

impl Told {
    fn next(&self) -> &[u8] {
        let [even, odd] = &self.requests;
        if self.n_sent.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) { even } else { odd }
    }
}

impl Scene {
    /// Our server with some runs.
    pub fn ours(home: &Home, n_subscribers: usize) -> Result<Self> {
        let (side, _) = home.start("/api/status")?;
        let mut told = Vec::new();
        for _ in 0..N_RUNS {
            let run = home.begin(&side, &[only_phase()], &[waiting_task(1, 1), waiting_task(2, 1)])?;
            let request = |priority| {
                let body = json!({"person": "ana", "command": {"prioritizeTask": {"task": "T2", "priority": priority}}});
                side.address.request("POST", &format!("/api/runs/{run}/commands"), &body.to_string())
            };
            told.push(Told { requests: [request("high"), request("low")], n_sent: AtomicUsize::new(0) });
        }
        let subscribers = Subscribers::connect(&side.address, "/api/live", n_subscribers)?;
        Ok(Self { side, subscribers, told })
    }

    /// Node with the same text.
    pub fn peer(side: Side, text: &str, n_subscribers: usize) -> Result<Self> {
        let request = side.address.request("POST", "/", text);
        let told = Told { requests: [request.clone(), request], n_sent: AtomicUsize::new(0) };
        let subscribers = Subscribers::connect(&side.address, "/live", n_subscribers)?;
        let told: Vec<Told> = std::iter::repeat_with(|| told.clone()).take(N_RUNS).collect();
        Ok(Self { side, subscribers, told })
    }

    /// Returns the text of one event, as a subscriber receives it.
    pub fn one_event(&self) -> Result<String> {
        use std::io::{Read, Write};
        let address = &self.side.address;
        let mut stream = connect(address)?;
        stream.write_all(&address.request("GET", "/api/live", ""))?;
        let mut text = String::new();
        let mut piece = [0; 4096];
        let mut is_asked = false;
        loop {
            let length = stream.read(&mut piece)?;
            ensure!(length > 0, "the server closed the event stream");
            text.push_str(std::str::from_utf8(piece.get(..length).context("a piece")?)?);
            if !is_asked && text.contains("id: ") {
                is_asked = true;
                let first = self.told.first().context("a run")?;
                Line::open(address)?.ask(first.next())?;
            }
            // The first id says where the stream begins.
            if let Some(begin) = text.find("event: ")
                && let Some(length) = text.get(begin..).and_then(|event| event.rfind("\n\n"))
                && text.get(begin..).is_some_and(|event| event.contains("\nid: "))
            {
                return Ok(text.get(begin..begin + length + 2).unwrap_or_default().to_owned());
            }
        }
    }

    /// Tells events as fast as they are taken, and returns how long it takes until every subscriber has received all of them.
    pub fn burst(&mut self, n_events: usize) -> Result<Duration> {
        let share = n_events.div_ceil(self.told.len());
        let Self { side, subscribers, told } = self;
        let address = &side.address;
        let since = Instant::now();
        thread::scope(|scope| {
            let posting: Vec<_> =
                told.iter().map(|told| scope.spawn(move || post(address, told, share))).collect();
            subscribers.receive(share * posting.len())?;
            let took = since.elapsed();
            for one in posting {
                one.join().map_err(|_| anyhow::anyhow!("a thread that posts panicked"))??;
            }
            Ok(took)
        })
    }

    /// Tells an event every 20 ms, and returns how late the sampled subscribers received each, sorted.
    pub fn paced(&mut self, n_events: usize) -> Result<Vec<Duration>> {
        let Self { side, subscribers, told } = self;
        let (address, told) = (&side.address, told.first().context("a run")?);
        let begin = Instant::now() + EVERY;
        let due = move |index: usize| begin + EVERY * u32::try_from(index).unwrap_or(u32::MAX);
        let mut late = Vec::with_capacity(n_events * subscribers.len());
        thread::scope(|scope| {
            let posting = scope.spawn(move || -> Result<()> {
                let mut line = Line::open(address)?;
                for index in 0..n_events {
                    thread::sleep(due(index).saturating_duration_since(Instant::now()));
                    line.ask(told.next())?;
                }
                Ok(())
            });
            // By the time at which it was to be told: one that is held up by the one before it is late, too.
            subscribers.receive_timed(n_events, ONE_IN, |now, before, after| {
                late.extend((before..after).map(|index| now.saturating_duration_since(due(index))));
            })?;
            posting.join().map_err(|_| anyhow::anyhow!("the thread that posts panicked"))?
        })?;
        late.sort_unstable();
        Ok(late)
    }
}

impl Clone for Told {
    fn clone(&self) -> Self {
        Self { requests: self.requests.clone(), n_sent: AtomicUsize::new(0) }
    }
}

fn post(address: &Address, told: &Told, n_events: usize) -> Result<()> {
    let mut line = Line::open(address)?;
    for _ in 0..n_events {
        line.ask(told.next())?;
    }
    Ok(())
}
