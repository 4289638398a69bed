//! One client of the holder: buffered input and unsent replies.
//!
//! A client that does not read costs little: records are read from the spool only when the previous ones were sent,
//! and a client with too many unread replies is dropped.

use std::{
    io::{self, Read, Write},
    os::{
        fd::{AsFd, OwnedFd},
        unix::net::UnixStream,
    },
    path::Path,
};

use rustix::{net::sockopt::socket_peercred, process::geteuid};

use crate::{
    protocol::{FRAME_BYTES_MAX, Frame, FrameReader, FrameTooLarge, HELLO_BYTES_MAX, Reply},
    spool::{PAYLOAD_BYTES_MAX, RecordReader, SpoolError},
};

/// Limit of unsent replies for a client that does not read.
const OUT_BYTES_MAX: usize = 64 << 10;
/// Amount of records encoded for a subscriber at once.
const BATCH_BYTES: usize = 32 << 10;

/// Number of batches for one subscriber before other clients are served.
const BATCHES_MAX: usize = 8;

pub(super) struct ClientConnection {
    /// Identifies the connection for later replies.
    pub(super) id: u64,
    pub(super) is_greeted: bool,
    /// Whether this is the launching client, which did not connect through the socket.
    pub(super) is_launcher: bool,
    /// Tag of its last input; confirmations of writing carry it.
    pub(super) input_tag: Option<u32>,
    /// Close the connection once everything is sent.
    pub(super) is_closing: bool,
    stream: UnixStream,
    frames: FrameReader,
    out: Vec<u8>,
    written: usize,
    subscription: Option<(u32, RecordReader)>,
}

impl ClientConnection {
    /// Accepts a connection if the peer is the same user or root.
    pub(super) fn new(id: u64, socket: OwnedFd) -> io::Result<Self> {
        let peer = socket_peercred(&socket)?.uid;
        if peer != geteuid() && !peer.is_root() {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let stream = UnixStream::from(socket);
        stream.set_nonblocking(true)?;
        Ok(Self {
            id,
            is_greeted: false,
            is_launcher: id == 0,
            input_tag: None,
            is_closing: false,
            stream,
            frames: FrameReader::default(),
            out: Vec::new(),
            written: 0,
            subscription: None,
        })
    }

    pub(super) fn socket(&self) -> impl AsFd + '_ {
        &self.stream
    }

    pub(super) fn wants_to_write(&self) -> bool {
        !self.out.is_empty()
    }

    /// Reads once; returns false if the client is gone.
    pub(super) fn read(&mut self) -> bool {
        let mut piece = [0; 16 << 10];
        match self.stream.read(&mut piece) {
            Ok(0) => false,
            Ok(length) => {
                self.frames.push(piece.get(..length).unwrap_or_default());
                true
            }
            Err(error) => matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted),
        }
    }

    pub(super) fn next_frame(&mut self) -> Result<Option<Frame>, FrameTooLarge> {
        self.frames.next_frame_within(if self.is_greeted { FRAME_BYTES_MAX } else { HELLO_BYTES_MAX })
    }

    /// Queues a reply; it is sent at the end of the loop iteration, so that several replies wake the client once.
    /// Returns false if too many replies are unsent.
    pub(super) fn queue_reply(&mut self, tag: u32, reply: &Reply) -> bool {
        self.out.extend_from_slice(&reply.encode(tag));
        let is_short = |connection: &Self| {
            connection.out.len() - connection.written <= OUT_BYTES_MAX + PAYLOAD_BYTES_MAX + BATCH_BYTES
        };
        is_short(self) || self.write() && is_short(self)
    }

    /// Starts sending records.
    pub(super) fn subscribe(&mut self, tag: u32, directory: &Path, from: u64) -> Result<(), SpoolError> {
        self.subscription = Some((tag, RecordReader::open(directory, from)?));
        Ok(())
    }

    /// Sends records as long as the client accepts them; returns false if the client is gone or the spool cannot be
    /// read.
    pub(super) fn send_pending(&mut self) -> bool {
        // A fast client that is far behind must not block the agent. The last batch stays buffered, so that the next
        // poll returns at once.
        for _ in 0..BATCHES_MAX {
            if !self.write() {
                return false;
            }
            match self.buffer_records() {
                Ok(true) => {}
                Ok(false) => return true,
                Err(_) => return false,
            }
        }
        true
    }

    /// Fills an empty buffer with records; returns whether there were any.
    fn buffer_records(&mut self) -> Result<bool, SpoolError> {
        let Some((tag, reader)) = self.subscription.as_mut().filter(|_| self.out.is_empty()) else {
            return Ok(false);
        };
        while self.out.len() < BATCH_BYTES {
            let Some(record) = reader.next_record()? else { break };
            self.out.extend_from_slice(&Reply::Record(record).encode(*tag));
        }
        Ok(!self.out.is_empty())
    }

    /// Sends as much as the client accepts; returns false if it is gone.
    pub(super) fn write(&mut self) -> bool {
        while self.written < self.out.len() {
            match self.stream.write(self.out.get(self.written..).unwrap_or_default()) {
                Ok(length) => self.written += length,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return true,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return false,
            }
        }
        self.written = 0;
        if self.out.capacity() > OUT_BYTES_MAX {
            self.out = Vec::new();
        } else {
            self.out.clear();
        }
        true
    }
}
