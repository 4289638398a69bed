//! Sends the same events to the subscribers of each server: throughput and latency.
//!
//! Our server decides a command, records its entries on disk, updates the rows and publishes the changes. Node forwards
//! the same text. An event of this comparison is all that a command changes: several entries with an id each.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::{
    connection::{Address, Connection},
    processes::{ServerProcess, ServerSetup, only_phase, waiting_task},
    subscribers::Subscribers,
};

/// Number of active runs, so that a command does not wait for the disk alone.
const N_RUNS: usize = 8;
/// Latency is measured at one in this many subscribers.
const ONE_IN: usize = 8;
/// Interval of events when latency is measured.
const INTERVAL: Duration = Duration::from_millis(20);

/// A server, its subscribers, and the requests that cause events.
pub(super) struct ServerLoad {
    pub process: ServerProcess,
    pub subscribers: Subscribers,
    requests: Vec<EventRequests>,
}

/// The text of one event.
pub(super) struct EventText {
    pub text: String,
    /// Number of entries, and so of ids.
    pub n_ids: usize,
}

/// Requests that cause one event each; two alternate, because a command that changes nothing causes no event.
struct EventRequests {
    requests: [Vec<u8>; 2],
    n_sent: AtomicUsize,
}

impl EventRequests {
    fn next_request(&self) -> &[u8] {
        let [even, odd] = &self.requests;
        if self.n_sent.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) { even } else { odd }
    }
}

impl ServerLoad {
    /// Starts our server with several runs.
    pub(super) fn with_jangdan_server(setup: &ServerSetup, n_subscribers: usize) -> Result<Self> {
        let (process, _) = setup.start("/api/status")?;
        let mut requests = Vec::new();
        for _ in 0..N_RUNS {
            let run =
                setup.start_run(&process, &[only_phase()], &[waiting_task(1, 1), waiting_task(2, 1)])?;
            let request = |priority| {
                let body = json!({"person": "ana", "command": {"prioritizeTask": {"task": "T2", "priority": priority}}});
                process.address.request_bytes("POST", &format!("/api/runs/{run}/commands"), &body.to_string())
            };
            requests.push(EventRequests {
                requests: [request("high"), request("low")],
                n_sent: AtomicUsize::new(0),
            });
        }
        let subscribers = Subscribers::connect(&process.address, "/api/live", n_subscribers)?;
        Ok(Self { process, subscribers, requests })
    }

    /// Subscribes to a Node server that forwards a text.
    pub(super) fn with_node_server(
        process: ServerProcess,
        event: &EventText,
        n_subscribers: usize,
    ) -> Result<Self> {
        let request = process.address.request_bytes("POST", "/", &event.text);
        let requests = EventRequests { requests: [request.clone(), request], n_sent: AtomicUsize::new(0) };
        let mut subscribers = Subscribers::connect(&process.address, "/live", n_subscribers)?;
        subscribers.set_ids_per_event(event.n_ids);
        let requests: Vec<EventRequests> = std::iter::repeat_with(|| requests.clone()).take(N_RUNS).collect();
        Ok(Self { process, subscribers, requests })
    }

    /// Finds out how many entries a command has, and returns the text of one event as a subscriber receives it.
    pub(super) fn fetch_event_text(&mut self) -> Result<EventText> {
        let first = self.requests.first().context("a run")?;
        let mut connection = Connection::open(&self.process.address)?;
        let mut post = || -> Result<u64> {
            let response: Value = serde_json::from_slice(&connection.exchange(first.next_request())?)?;
            response.get("sequence").and_then(Value::as_u64).context("the response has no sequence number")
        };
        let (before, after) = (post()?, post()?);
        let n_ids = usize::try_from(after - before)?;
        self.subscribers.receive(2 * n_ids)?;
        self.subscribers.set_ids_per_event(n_ids);
        post()?;
        // Without the framing of the HTTP chunks, whose lines have no line feed alone.
        let text = self.subscribers.receive_text()?;
        Ok(EventText { text: text.split("\r\n").filter(|part| part.contains('\n')).collect(), n_ids })
    }

    /// Sends events as fast as the server accepts them; returns the time until every subscriber has received all.
    pub(super) fn send_burst(&mut self, n_events: usize) -> Result<Duration> {
        let share = n_events.div_ceil(self.requests.len());
        let Self { process, subscribers, requests } = self;
        let address = &process.address;
        let since = Instant::now();
        thread::scope(|scope| {
            let posting: Vec<_> = requests
                .iter()
                .map(|requests| scope.spawn(move || post_events(address, requests, share)))
                .collect();
            subscribers.receive(share * posting.len())?;
            let took = since.elapsed();
            for thread in posting {
                thread.join().map_err(|_| anyhow::anyhow!("a thread that posts panicked"))??;
            }
            Ok(took)
        })
    }

    /// Sends an event every 20 ms; returns the sorted latencies of the sampled subscribers.
    pub(super) fn send_paced(&mut self, n_events: usize) -> Result<Vec<Duration>> {
        let Self { process, subscribers, requests } = self;
        let (address, requests) = (&process.address, requests.first().context("a run")?);
        let begin = Instant::now() + INTERVAL;
        let due = move |index: usize| begin + INTERVAL * u32::try_from(index).unwrap_or(u32::MAX);
        let mut latencies = Vec::with_capacity(n_events * subscribers.len());
        thread::scope(|scope| {
            let posting = scope.spawn(move || -> Result<()> {
                let mut connection = Connection::open(address)?;
                for index in 0..n_events {
                    thread::sleep(due(index).saturating_duration_since(Instant::now()));
                    connection.exchange(requests.next_request())?;
                }
                Ok(())
            });
            // Measured from the scheduled time, so that a delay of the previous event counts.
            subscribers.receive_timed(n_events, ONE_IN, |now, before, after| {
                latencies.extend((before..after).map(|index| now.saturating_duration_since(due(index))));
            })?;
            posting.join().map_err(|_| anyhow::anyhow!("the thread that posts panicked"))?
        })?;
        latencies.sort_unstable();
        Ok(latencies)
    }
}

impl Clone for EventRequests {
    fn clone(&self) -> Self {
        Self { requests: self.requests.clone(), n_sent: AtomicUsize::new(0) }
    }
}

fn post_events(address: &Address, requests: &EventRequests, n_events: usize) -> Result<()> {
    let mut connection = Connection::open(address)?;
    for _ in 0..n_events {
        connection.exchange(requests.next_request())?;
    }
    Ok(())
}
