//! A connection to a holder: requests and tagged replies.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, Read, Write},
    os::{
        fd::{AsFd, AsRawFd, BorrowedFd},
        unix::net::UnixStream,
    },
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use rustix::event::{PollFd, PollFlags};

use super::{ClientError, START_MAX, check_directory_is_private, hello_request};
use crate::{
    SOCKET_NAME, TOKEN_NAME,
    mask::Secret,
    protocol::{FRAME_BYTES_MAX, FrameReader, Greeting, Reply, Request, TOKEN_BYTES},
    wait,
};

/// Time limit for sending. The holder never blocks for long.
const SEND_MAX: Duration = Duration::from_secs(20);
/// Limit of replies that may arrive before the expected one.
const PENDING_REPLIES_MAX: usize = 4096;
/// Longest folder path that fits into a socket address together with the socket's name.
const PATH_BYTES_MAX: usize = 90;

/// A connection of a client to the holder of one session.
#[derive(Debug)]
pub struct HolderConnection {
    stream: UnixStream,
    directory: PathBuf,
    frames: FrameReader,
    /// Replies that arrived while waiting for another one.
    pending: VecDeque<(u32, Reply)>,
    next_tag: u32,
    greeting: Option<Greeting>,
}

impl HolderConnection {
    /// Connects to the holder of a session.
    pub fn connect(directory: &Path) -> Result<Self, ClientError> {
        check_directory_is_private(directory)?;
        let failed = |source: io::Error| {
            if matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) {
                ClientError::HolderNotRunning { directory: directory.to_owned() }
            } else {
                ClientError::Io { action: "connect to", path: directory.join(SOCKET_NAME), source }
            }
        };
        let stream = if directory.as_os_str().len() < PATH_BYTES_MAX {
            UnixStream::connect(directory.join(SOCKET_NAME)).map_err(failed)?
        } else {
            // Socket addresses only fit short paths; the path through the folder's descriptor is short.
            let folder = File::open(directory).map_err(failed)?;
            UnixStream::connect(format!("/proc/self/fd/{}/{SOCKET_NAME}", folder.as_raw_fd()))
                .map_err(failed)?
        };
        // After connecting: a listening holder has already written its token.
        let token = read_token(directory)?;
        let mut connection = Self::new(stream, directory)?;
        let tag = connection.send(&hello_request(token))?;
        connection.receive_greeting(tag, Instant::now() + START_MAX)?;
        Ok(connection)
    }

    pub(super) fn new(stream: UnixStream, directory: &Path) -> Result<Self, ClientError> {
        let directory = directory.to_owned();
        stream.set_nonblocking(true).map_err(|source| ClientError::Io {
            action: "set up the connection to",
            path: directory.clone(),
            source,
        })?;
        let (frames, pending) = (FrameReader::default(), VecDeque::new());
        Ok(Self { stream, directory, frames, pending, next_tag: 0, greeting: None })
    }

    /// Returns the holder's answer to the hello.
    pub fn greeting(&self) -> Option<&Greeting> {
        self.greeting.as_ref()
    }

    /// Sends a request, and returns the tag of its replies.
    pub fn send(&mut self, request: &Request) -> Result<u32, ClientError> {
        self.next_tag = self.next_tag.wrapping_add(1);
        let bytes = request.encode(self.next_tag);
        if bytes.len() > FRAME_BYTES_MAX {
            return Err(ClientError::RequestTooLong { bytes: bytes.len() });
        }
        let deadline = Instant::now() + SEND_MAX;
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            match self.stream.write(rest) {
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let mut polled = [PollFd::new(&self.stream, PollFlags::OUT)];
                    if !wait::until_ready(&mut polled, Some(deadline)) {
                        return Err(ClientError::TimedOut);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.connection_error("write to the holder of", error)),
            }
        }
        Ok(self.next_tag)
    }

    /// Sends a request and waits for its reply. Other replies are kept for [`HolderConnection::receive`].
    pub fn request(&mut self, request: &Request, time_max: Duration) -> Result<Reply, ClientError> {
        let tag = self.send(request)?;
        self.wait_for_reply(tag, Instant::now() + time_max)
    }

    /// Waits for the next reply; `None` if the deadline passed.
    pub fn receive(&mut self, deadline: Instant) -> Result<Option<(u32, Reply)>, ClientError> {
        loop {
            if let Some(reply) = self.try_receive()? {
                return Ok(Some(reply));
            }
            let mut polled = [PollFd::new(&self.stream, PollFlags::IN)];
            if !wait::until_ready(&mut polled, Some(deadline)) {
                return Ok(None);
            }
        }
    }

    /// Returns the next reply without waiting.
    pub fn try_receive(&mut self) -> Result<Option<(u32, Reply)>, ClientError> {
        match self.pending.pop_front() {
            Some(reply) => Ok(Some(reply)),
            None => self.read_reply(),
        }
    }

    pub(super) fn receive_greeting(&mut self, tag: u32, deadline: Instant) -> Result<(), ClientError> {
        match self.wait_for_reply(tag, deadline)? {
            Reply::Hello(greeting) => self.greeting = Some(greeting),
            Reply::Refused(refusal) => return Err(ClientError::Refused(refusal)),
            Reply::Accepted
            | Reply::Started(_)
            | Reply::Done
            | Reply::InputWritten { .. }
            | Reply::Status(_)
            | Reply::Record(_)
            | Reply::Unknown { .. } => return Err(ClientError::Malformed),
        }
        Ok(())
    }

    pub(super) fn wait_for_reply(&mut self, tag: u32, deadline: Instant) -> Result<Reply, ClientError> {
        // It may have arrived while waiting for another reply.
        if let Some(at) = self.pending.iter().position(|(pending_tag, _)| *pending_tag == tag)
            && let Some((_, reply)) = self.pending.remove(at)
        {
            return Ok(reply);
        }
        loop {
            while let Some((reply_tag, reply)) = self.read_reply()? {
                if reply_tag == tag {
                    return Ok(reply);
                }
                if self.pending.len() == PENDING_REPLIES_MAX {
                    return Err(ClientError::TooManyPendingReplies);
                }
                self.pending.push_back((reply_tag, reply));
            }
            let mut polled = [PollFd::new(&self.stream, PollFlags::IN)];
            if !wait::until_ready(&mut polled, Some(deadline)) {
                return Err(ClientError::TimedOut);
            }
        }
    }

    fn read_reply(&mut self) -> Result<Option<(u32, Reply)>, ClientError> {
        let mut piece = [0; 16 << 10];
        loop {
            if let Some(frame) = self.frames.next_frame().map_err(ClientError::FrameTooLarge)? {
                let reply = Reply::decode(&frame).ok_or(ClientError::Malformed)?;
                return Ok(Some((frame.tag, reply)));
            }
            match self.stream.read(&mut piece) {
                Ok(0) => return Err(ClientError::Closed),
                Ok(length) => self.frames.push(piece.get(..length).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.connection_error("read from the holder of", error)),
            }
        }
    }

    /// A holder that exits during a call counts as a closed connection.
    fn connection_error(&self, action: &'static str, source: io::Error) -> ClientError {
        if matches!(source.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) {
            ClientError::Closed
        } else {
            ClientError::Io { action, path: self.directory.clone(), source }
        }
    }
}

/// Reads the session's token. Old holders have not written one and require none.
fn read_token(directory: &Path) -> Result<Option<Secret>, ClientError> {
    let path = directory.join(TOKEN_NAME);
    let mut token = Vec::with_capacity(TOKEN_BYTES + 1);
    match File::open(&path).and_then(|file| file.take(TOKEN_BYTES as u64 + 1).read_to_end(&mut token)) {
        Ok(_) => Ok(Some(Secret::new(token))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(ClientError::Io { action: "read", path, source }),
    }
}

impl AsFd for HolderConnection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}
