//! Appends records, and loses none on a full disk.
//!
//! Unwritten bytes stay in memory, and the caller must not append until `write_pending` has written them; it then stops
//! reading from the agent, which blocks. All write errors are treated this way: the disk may get space, a network
//! file system may come back, and the order is preserved.

use std::{
    fs::{File, OpenOptions},
    io::{self, IoSlice, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use super::{
    OutputSource, RecordBody, SpoolError,
    record::EncodedRecord,
    repair::{RepairReport, repair},
    segment::{self, SEGMENT_BYTES_MAX, Segment},
};

/// Whether a record was written completely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum AppendResult {
    /// It was written completely.
    Written,
    /// The disk is full or unavailable; the rest is in memory. Call [`SpoolWriter::write_pending`] until it returns
    /// `Written`.
    Blocked,
}

/// The only writer of a spool.
pub struct SpoolWriter {
    directory: PathBuf,
    segment: Segment,
    file: Option<File>,
    /// Length of the segment, including unwritten bytes.
    segment_bytes: u64,
    segment_bytes_max: u64,
    offset: u64,
    rest: Vec<u8>,
}

impl SpoolWriter {
    /// Opens or creates the spool in a folder. An incomplete end is cut off and recorded as a gap.
    pub fn open(directory: &Path) -> Result<Self, SpoolError> {
        Self::open_with_segment_size(directory, SEGMENT_BYTES_MAX)
    }

    /// Like [`open`](Self::open), with another segment size.
    pub fn open_with_segment_size(directory: &Path, segment_bytes_max: u64) -> Result<Self, SpoolError> {
        let RepairReport { end, cut_bytes, number } = repair(directory)?;
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
            // On a full disk it is written by the first `write_pending`.
            let _ = writer.append(&RecordBody::Gap { cut_bytes });
        }
        Ok(writer)
    }

    /// Returns the number of appended output bytes.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Tells whether a record waits for disk space.
    pub fn is_blocked(&self) -> bool {
        !self.rest.is_empty()
    }

    /// Appends output without copying it.
    pub fn append_output(&mut self, stream: OutputSource, bytes: &[u8]) -> AppendResult {
        let encoded = EncodedRecord::from_output(self.offset, now_ms(), stream, bytes);
        self.write(&encoded, bytes.len() as u64)
    }

    /// Appends a record at the current offset.
    pub fn append(&mut self, body: &RecordBody) -> AppendResult {
        let length = if let RecordBody::Output { bytes, .. } = body { bytes.len() as u64 } else { 0 };
        self.write(&EncodedRecord::new(self.offset, now_ms(), body), length)
    }

    /// Tries to write the waiting bytes.
    pub fn write_pending(&mut self) -> AppendResult {
        let mut written = 0;
        while let Some(rest) = self.rest.get(written..).filter(|rest| !rest.is_empty()) {
            let Some(file) = self.file.as_mut() else {
                match create_segment_file(&self.segment, &self.directory) {
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
        if self.is_blocked() {
            return AppendResult::Blocked;
        }
        self.rest = Vec::new();
        AppendResult::Written
    }

    fn write(&mut self, encoded: &EncodedRecord<'_>, output_bytes: u64) -> AppendResult {
        let parts: [&[u8]; 3] = [&encoded.head, &encoded.fixed, encoded.bytes];
        let total: usize = parts.iter().map(|part| part.len()).sum();
        if self.segment_bytes + total as u64 > self.segment_bytes_max && !self.is_blocked() {
            self.start_next_segment();
        }
        let mut written = 0;
        if let Some(file) = self.file.as_mut().filter(|_| self.rest.is_empty()) {
            written = file.write_vectored(&parts.map(IoSlice::new)).unwrap_or(0);
        }
        self.offset += output_bytes;
        self.segment_bytes += total as u64;
        if written == total {
            return AppendResult::Written;
        }
        for part in parts {
            let skipped = written.min(part.len());
            written -= skipped;
            self.rest.extend_from_slice(part.get(skipped..).unwrap_or_default());
        }
        self.write_pending()
    }

    /// Ends the segment; the next file is created on the next write. Nothing may be waiting.
    fn start_next_segment(&mut self) {
        if self.segment_bytes > segment::HEAD_BYTES as u64 {
            self.file = None;
            self.segment_bytes = segment::HEAD_BYTES as u64;
            self.segment = Segment { number: self.segment.number + 1, offset: self.offset };
        }
    }
}

/// Creates the file of a segment, truncating one whose header was incomplete.
fn create_segment_file(segment: &Segment, directory: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = options.open(segment.path(directory))?;
    file.write_all(&segment.encode_header())?;
    Ok(file)
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
