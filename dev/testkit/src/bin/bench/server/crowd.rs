//! A thousand who listen to one server: one thread reads all of them, and counts what each has heard.

use std::{
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    os::fd::AsFd,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use rustix::event::epoll;

use super::line::Address;

/// Every event that counts has such a line.
const MARK: &[u8] = b"\nid: ";
/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);
const BUFFER_BYTES: usize = 64 << 10;
const READY_MAX: usize = 1024;

/// Those who listen.
pub struct Crowd {
    listeners: Vec<Listener>,
    buffer: Vec<u8>,
}

struct Listener {
    stream: TcpStream,
    /// How much of a mark stands at the end of what came last.
    n_matched: usize,
    n_heard: usize,
}

impl Crowd {
    /// Connects all of them, and returns when each has heard where the stream begins.
    pub fn gather(address: &Address, path: &str, n_listeners: usize) -> Result<Self> {
        let mut crowd = Self { listeners: Vec::new(), buffer: vec![0; BUFFER_BYTES] };
        let request = address.request("GET", path, "");
        for _ in 0..n_listeners {
            let mut stream = TcpStream::connect(address.socket()).context("connect a listener")?;
            stream.write_all(&request)?;
            stream.set_nonblocking(true)?;
            crowd.listeners.push(Listener { stream, n_matched: 0, n_heard: 0 });
        }
        crowd.hear(1)?;
        Ok(crowd)
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.listeners.len()
    }

    /// Listens until each has heard so many more events.
    pub fn hear(&mut self, n_events: usize) -> Result<()> {
        self.hear_some(n_events, 1, |_, _, _| {})
    }

    /// Listens until every so manieth has heard so many more events, and only then to the others.
    ///
    /// What was heard when is told of those: how many events one had heard before, and how many it has now. All at once
    /// would be heard as late as one thread can read them, whoever tells them how soon.
    pub fn hear_sample(
        &mut self,
        n_events: usize,
        one_in: usize,
        told: impl FnMut(Instant, usize, usize),
    ) -> Result<()> {
        let goals: Vec<usize> = self.listeners.iter().map(|listener| listener.n_heard + n_events).collect();
        self.hear_some(n_events, one_in, told)?;
        for (listener, goal) in self.listeners.iter_mut().zip(goals) {
            let deadline = Instant::now() + PATIENCE;
            while listener.n_heard < goal {
                ensure!(Instant::now() < deadline, "a listener waits in vain");
                listener.read(&mut self.buffer)?;
            }
        }
        Ok(())
    }

    fn hear_some(
        &mut self,
        n_events: usize,
        one_in: usize,
        mut told: impl FnMut(Instant, usize, usize),
    ) -> Result<()> {
        let goals: Vec<usize> = self.listeners.iter().map(|listener| listener.n_heard + n_events).collect();
        let starts: Vec<usize> = self.listeners.iter().map(|listener| listener.n_heard).collect();
        let poll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let sample = || self.listeners.iter().enumerate().step_by(one_in);
        for (index, listener) in sample() {
            let data = epoll::EventData::new_u64(index as u64);
            epoll::add(&poll, listener.stream.as_fd(), data, epoll::EventFlags::IN)?;
        }
        let mut n_left = sample().count();
        let deadline = Instant::now() + PATIENCE;
        let mut ready = Vec::with_capacity(READY_MAX);
        while n_left > 0 {
            ensure!(Instant::now() < deadline, "{n_left} listeners wait in vain");
            let wait = rustix::event::Timespec { tv_sec: 1, tv_nsec: 0 };
            ready.clear();
            epoll::wait(&poll, rustix::buffer::spare_capacity(&mut ready), Some(&wait))?;
            for event in &ready {
                let index = usize::try_from(event.data.u64())?;
                let (Some(listener), Some(goal), Some(start)) =
                    (self.listeners.get_mut(index), goals.get(index), starts.get(index))
                else {
                    continue;
                };
                let before = listener.n_heard;
                listener.read(&mut self.buffer)?;
                if listener.n_heard > before {
                    told(Instant::now(), before - start, listener.n_heard - start);
                    n_left -= usize::from(before < *goal && listener.n_heard >= *goal);
                }
            }
        }
        Ok(())
    }
}

impl Listener {
    fn read(&mut self, buffer: &mut [u8]) -> Result<()> {
        match self.stream.read(buffer) {
            Ok(0) => anyhow::bail!("the server hung up on one who listens"),
            Ok(length) => self.count(buffer.get(..length).unwrap_or_default()),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    fn count(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.n_matched == 0 {
                let Some(at) = memchr::memchr(b'\n', rest) else { return };
                rest = rest.get(at + 1..).unwrap_or_default();
                self.n_matched = 1;
                continue;
            }
            let wanted = MARK.get(self.n_matched..).unwrap_or_default();
            let n_same = wanted.iter().zip(rest).take_while(|(left, right)| left == right).count();
            if n_same == wanted.len() {
                self.n_heard += 1;
                self.n_matched = 0;
            } else if n_same == rest.len() {
                self.n_matched += n_same;
                return;
            } else {
                // A mark begins with a line's end, and has no other in it.
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
    fn marks_are_counted_wherever_the_stream_is_cut() {
        let text = b"HTTP/1.1 200 OK\r\n\r\nretry: 1000\nid: 7\n\n1f\r\nevent: x\nid: 8\ndata: id: 9\n\n\r\n\n\nid: 10\n\n";
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        for cut in 0..text.len() {
            let stream = TcpStream::connect(address).unwrap();
            let mut listener = Listener { stream, n_matched: 0, n_heard: 0 };
            let (left, right) = text.split_at(cut);
            listener.count(left);
            listener.count(right);
            assert_eq!(listener.n_heard, 3, "{cut}");
        }
    }
}
