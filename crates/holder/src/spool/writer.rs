//! Appends records, and never loses one to a full disk.
//!
//! What could not be written stays in memory; until `resume` has written it the caller appends nothing, so it stops
//! reading from the agent and the agent waits. Every failure is met like that, whatever its name: a disk that was full
//! has room again, a network that was away comes back, and what waits is still in order.

use std::{
    fs::{File, OpenOptions},
    io::{self, IoSlice, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use super::{
    Body, SpoolError, Stream,
    record::Encoded,
    repair::{Repaired, repair},
    segment::{self, SEGMENT_BYTES_MAX, Segment},
};

/// Whether a record is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Appended {
    /// It is.
    Written,
    /// The disk is full or does not answer: the rest waits in memory. Call [`Writer::resume`] until it says `Written`.
    Waiting,
}

/// The one writer of a spool.
pub struct Writer {
    directory: PathBuf,
    segment: Segment,
    file: Option<File>,
    /// How long the segment is, with what is still in `rest`.
    segment_bytes: u64,
    segment_bytes_max: u64,
    offset: u64,
    rest: Vec<u8>,
}

impl Writer {
    /// Opens the spool in a folder, or begins one. A torn tail is cut off and leaves a gap record.
    pub fn open(directory: &Path) -> Result<Self, SpoolError> {
        Self::open_with(directory, SEGMENT_BYTES_MAX)
    }

    /// Does the same with segments of another length.
    pub fn open_with(directory: &Path, segment_bytes_max: u64) -> Result<Self, SpoolError> {
        let Repaired { end, cut_bytes, number } = repair(directory)?;
        let segment = Segment { number: number + 1, offset: end };
        let directory = directory.to_owned();
        let mut writer = Self {
            directory,
            segment,
            file: None,
            segment_bytes: segment::HEAD_BYTES as u64,
            segment_bytes_max,
            offset: end,
            rest: Vec::new(),
        };
        if cut_bytes > 0 {
            // On a full disk it waits like any record, and the first `resume` writes it.
            let _ = writer.append(&Body::Gap { cut_bytes });
        }
        Ok(writer)
    }

    /// Returns how many output bytes were appended.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Says whether a record waits for room on the disk.
    pub fn is_waiting(&self) -> bool {
        !self.rest.is_empty()
    }

    /// Appends output without copying it.
    pub fn append_output(&mut self, stream: Stream, bytes: &[u8]) -> Appended {
        let encoded = Encoded::output(self.offset, now_ms(), stream, bytes);
        self.write(&encoded, bytes.len() as u64)
    }

    /// Appends a record at the current offset.
    pub fn append(&mut self, body: &Body) -> Appended {
        let length = if let Body::Output { bytes, .. } = body { bytes.len() as u64 } else { 0 };
        self.write(&Encoded::new(self.offset, now_ms(), body), length)
    }

    /// Tries to write what waits.
    pub fn resume(&mut self) -> Appended {
        let mut written = 0;
        while let Some(rest) = self.rest.get(written..).filter(|rest| !rest.is_empty()) {
            let Some(file) = self.file.as_mut() else {
                match begin(&self.segment, &self.directory) {
                    Ok(file) => self.file = Some(file),
                    Err(_) => break,
                }
                continue;
            };
            match file.write(rest) {
                Ok(0) => break,
                Ok(length) => written += length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        self.rest.drain(..written);
        if self.is_waiting() {
            return Appended::Waiting;
        }
        self.rest = Vec::new();
        Appended::Written
    }

    fn write(&mut self, encoded: &Encoded<'_>, output_bytes: u64) -> Appended {
        let parts: [&[u8]; 3] = [&encoded.head, &encoded.fixed, encoded.bytes];
        let total: usize = parts.iter().map(|part| part.len()).sum();
        if self.segment_bytes + total as u64 > self.segment_bytes_max && !self.is_waiting() {
            self.next_segment();
        }
        let mut written = 0;
        if let Some(file) = self.file.as_mut().filter(|_| self.rest.is_empty()) {
            written = file.write_vectored(&parts.map(IoSlice::new)).unwrap_or(0);
        }
        self.offset += output_bytes;
        self.segment_bytes += total as u64;
        if written == total {
            return Appended::Written;
        }
        for part in parts {
            let skipped = written.min(part.len());
            written -= skipped;
            self.rest.extend_from_slice(part.get(skipped..).unwrap_or_default());
        }
        self.resume()
    }

    /// Ends the segment; the file of the next one is made when something is written. Nothing may wait.
    fn next_segment(&mut self) {
        if self.segment_bytes > segment::HEAD_BYTES as u64 {
            self.file = None;
            self.segment_bytes = segment::HEAD_BYTES as u64;
            self.segment = Segment { number: self.segment.number + 1, offset: self.offset };
        }
    }
}

/// Makes a segment's file. Nothing was in it before: a head that did not fit whole is written again from the front.
fn begin(segment: &Segment, directory: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = options.open(segment.path(directory))?;
    file.write_all(&segment.head())?;
    Ok(file)
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
