//! The clients that subscribe to one server: one thread reads all of them and counts the ids that each received.

use std::{
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    os::fd::AsFd,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use rustix::event::epoll;

use super::connection::{Address, connect};

/// The line of an id. An event has one for each of its log entries.
const MARK: &[u8] = b"\nid: ";
/// Time for every subscriber to receive the events of one round.
const ROUND_WAIT_MAX: Duration = Duration::from_secs(60);
const BUFFER_BYTES: usize = 64 << 10;
const READY_MAX: usize = 1024;

/// The subscribers of one server.
pub(super) struct Subscribers {
    all: Vec<Subscriber>,
    buffer: Vec<u8>,
    ids_per_event: usize,
}

struct Subscriber {
    stream: TcpStream,
    /// Bytes of a partial mark at the end of the last read.
    n_matched: usize,
    /// Number of ids.
    n_received: usize,
}

impl Subscribers {
    /// Connects all subscribers; returns when each has received the first id.
    pub(super) fn connect(address: &Address, path: &str, n_subscribers: usize) -> Result<Self> {
        let mut subscribers = Self { all: Vec::new(), buffer: vec![0; BUFFER_BYTES], ids_per_event: 1 };
        let request = address.request_bytes("GET", path, "");
        for _ in 0..n_subscribers {
            let mut stream = connect(address)?;
            stream.write_all(&request)?;
            stream.set_nonblocking(true)?;
            subscribers.all.push(Subscriber { stream, n_matched: 0, n_received: 0 });
        }
        subscribers.receive(1)?;
        Ok(subscribers)
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Sets the number of ids that an event has.
    pub(super) fn set_ids_per_event(&mut self, n: usize) {
        self.ids_per_event = n;
    }

    /// Reads until each has received one more event, and returns its text as the first subscriber received it.
    pub(super) fn receive_text(&mut self) -> Result<String> {
        let n_ids = self.ids_per_event;
        let goal = self.all.first().map_or(n_ids, |first| first.n_received + n_ids);
        let (mut text, deadline) = (Vec::new(), Instant::now() + ROUND_WAIT_MAX);
        // The last id may be followed by further lines of the event; its end is followed by the end of the HTTP chunk.
        let is_whole = |text: &[u8]| text.ends_with(b"\n\n\r\n");
        while self.all.first().is_some_and(|first| first.n_received < goal) || !is_whole(&text) {
            ensure!(Instant::now() < deadline, "the first subscriber has not received an event");
            let Some(first) = self.all.first_mut() else { break };
            let length = first.read(&mut self.buffer)?;
            text.extend_from_slice(self.buffer.get(..length).unwrap_or_default());
        }
        for subscriber in self.all.iter_mut().skip(1) {
            let goal = subscriber.n_received + n_ids;
            while subscriber.n_received < goal {
                ensure!(Instant::now() < deadline, "a subscriber has not received an event");
                subscriber.read(&mut self.buffer)?;
            }
        }
        Ok(String::from_utf8(text)?)
    }

    /// Reads until each has received `n_events` more.
    pub(super) fn receive(&mut self, n_events: usize) -> Result<()> {
        self.receive_in_sample(n_events, 1, |_, _, _| {})
    }

    /// Reads until one in `one_in` has received `n_events` more, and only then from the others.
    ///
    /// Reports for each read of the sample the time and the number of its events before and after. Reading all at once
    /// would measure the reading thread instead of the server.
    pub(super) fn receive_timed(
        &mut self,
        n_events: usize,
        one_in: usize,
        report: impl FnMut(Instant, usize, usize),
    ) -> Result<()> {
        let n_ids = n_events * self.ids_per_event;
        let goals: Vec<usize> = self.all.iter().map(|subscriber| subscriber.n_received + n_ids).collect();
        self.receive_in_sample(n_events, one_in, report)?;
        let deadline = Instant::now() + ROUND_WAIT_MAX;
        for (subscriber, goal) in self.all.iter_mut().zip(goals) {
            while subscriber.n_received < goal {
                ensure!(Instant::now() < deadline, "a subscriber has not received all events");
                subscriber.read(&mut self.buffer)?;
            }
        }
        Ok(())
    }

    fn receive_in_sample(
        &mut self,
        n_events: usize,
        one_in: usize,
        mut report: impl FnMut(Instant, usize, usize),
    ) -> Result<()> {
        let ids_per_event = self.ids_per_event;
        let starts: Vec<usize> = self.all.iter().map(|subscriber| subscriber.n_received).collect();
        let poll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let sample = || self.all.iter().enumerate().step_by(one_in);
        for (index, subscriber) in sample() {
            let data = epoll::EventData::new_u64(index as u64);
            epoll::add(&poll, subscriber.stream.as_fd(), data, epoll::EventFlags::IN)?;
        }
        let mut n_remaining = sample().count();
        let deadline = Instant::now() + ROUND_WAIT_MAX;
        let mut ready = Vec::with_capacity(READY_MAX);
        while n_remaining > 0 {
            ensure!(Instant::now() < deadline, "{n_remaining} subscribers have not received all events");
            let wait = rustix::event::Timespec { tv_sec: 1, tv_nsec: 0 };
            ready.clear();
            epoll::wait(&poll, rustix::buffer::spare_capacity(&mut ready), Some(&wait))?;
            for event in &ready {
                let index = usize::try_from(event.data.u64())?;
                let (Some(subscriber), Some(start)) = (self.all.get_mut(index), starts.get(index)) else {
                    continue;
                };
                let before = subscriber.n_received;
                subscriber.read(&mut self.buffer)?;
                if subscriber.n_received > before {
                    let [before_events, after_events] =
                        [before, subscriber.n_received].map(|n| (n - start) / ids_per_event);
                    report(Instant::now(), before_events, after_events);
                    let goal = start + n_events * ids_per_event;
                    n_remaining -= usize::from(before < goal && subscriber.n_received >= goal);
                }
            }
        }
        Ok(())
    }
}

impl Subscriber {
    /// Reads the available bytes and returns their number, 0 if there are none.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        match self.stream.read(buffer) {
            Ok(0) => anyhow::bail!("the server closed an event stream"),
            Ok(length) => {
                self.count_events(buffer.get(..length).unwrap_or_default());
                Ok(length)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    fn count_events(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.n_matched == 0 {
                let Some(at) = memchr::memchr(b'\n', rest) else { return };
                rest = rest.get(at + 1..).unwrap_or_default();
                self.n_matched = 1;
                continue;
            }
            let expected = MARK.get(self.n_matched..).unwrap_or_default();
            let n_same = expected.iter().zip(rest).take_while(|(left, right)| left == right).count();
            if n_same == expected.len() {
                self.n_received += 1;
                self.n_matched = 0;
            } else if n_same == rest.len() {
                self.n_matched += n_same;
                return;
            } else {
                // A mark starts with a line break and contains no other.
                self.n_matched = 0;
            }
            rest = rest.get(n_same..).unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_ids_are_counted_wherever_the_stream_is_cut() {
        let text = b"HTTP/1.1 200 OK\r\n\r\nretry: 1000\nid: 7\n\n1f\r\nevent: x\nid: 8\ndata: id: 9\n\n\r\n\n\nid: 10\n\n";
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        for cut in 0..text.len() {
            let stream = TcpStream::connect(address).unwrap();
            let mut subscriber = Subscriber { stream, n_matched: 0, n_received: 0 };
            let (left, right) = text.split_at(cut);
            subscriber.count_events(left);
            subscriber.count_events(right);
            assert_eq!(subscriber.n_received, 3, "{cut}");
        }
    }
}
