//! Reads a spool from any offset, also while the holder writes to it.
//!
//! Never modifies a file. An incomplete record is the end for now; a complete but invalid one is damage.

use std::{
    fs::File,
    io::ErrorKind,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use super::{
    Record, RecordBody, SpoolError,
    record::{self, HEAD_BYTES},
    segment::{self, Segment},
};

pub(super) enum NextRecord {
    Record(Record),
    /// No further complete record for now.
    End,
}

/// Reads the records of one segment in order.
pub(super) struct SegmentReader {
    file: File,
    path: PathBuf,
    segment: Segment,
    position: u64,
    offset: u64,
}

impl SegmentReader {
    pub(super) fn open(directory: &Path, segment: Segment) -> Result<Self, SpoolError> {
        let path = segment.path(directory);
        let file = File::open(&path).map_err(|source| SpoolError::io("open", &path, source))?;
        let mut head = [0; segment::HEAD_BYTES];
        let n_read = read_at(&file, &mut head, 0).map_err(|source| SpoolError::io("read", &path, source))?;
        if n_read < head.len() || head != segment.encode_header() {
            return Err(SpoolError::Damaged {
                path,
                position: 0,
                problem: "its header does not match its name",
            });
        }
        let offset = segment.offset;
        Ok(Self { file, path, segment, position: segment::HEAD_BYTES as u64, offset })
    }

    pub(super) fn position(&self) -> u64 {
        self.position
    }

    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) fn next(&mut self) -> Result<NextRecord, SpoolError> {
        let damaged =
            |problem| SpoolError::Damaged { path: self.path.clone(), position: self.position, problem };
        let failed = |source| SpoolError::io("read", &self.path, source);
        let mut head = [0; HEAD_BYTES];
        if read_at(&self.file, &mut head, self.position).map_err(failed)? < HEAD_BYTES {
            return Ok(NextRecord::End);
        }
        let length = record::payload_length(&head).map_err(damaged)?;
        let mut payload = vec![0; length];
        let start = self.position + HEAD_BYTES as u64;
        if read_at(&self.file, &mut payload, start).map_err(failed)? < length {
            return Ok(NextRecord::End);
        }
        let record = record::decode(&head, payload).map_err(damaged)?;
        if record.offset != self.offset {
            return Err(damaged("its offset does not follow the previous record"));
        }
        self.position = start + length as u64;
        self.offset = record.end_offset();
        Ok(NextRecord::Record(record))
    }
}

/// Reads records from an offset on.
pub struct RecordReader {
    directory: PathBuf,
    segment: Option<SegmentReader>,
    /// Records before this offset are skipped.
    from: u64,
}

impl RecordReader {
    /// Opens a spool at an offset. Records at exactly this offset are included, even those without output.
    pub fn open(directory: &Path, from: u64) -> Result<Self, SpoolError> {
        let mut segments = segment::list(directory)?;
        // The holder may have created the file without its header yet.
        segments.pop_if(|last| {
            std::fs::metadata(last.path(directory))
                .is_ok_and(|metadata| metadata.len() < segment::HEAD_BYTES as u64)
        });
        let first = segments.first().map_or(0, |segment| segment.offset);
        if from < first {
            return Err(SpoolError::Deleted { requested: from, first });
        }
        // Records without output may be at the end of one segment and at the start of the next.
        let before = segments.iter().rposition(|segment| segment.offset < from).unwrap_or(0);
        let segment = match segments.into_iter().nth(before) {
            Some(segment) => Some(SegmentReader::open(directory, segment)?),
            None => None,
        };
        let mut reader = Self { directory: directory.to_owned(), segment, from: 0 };
        reader.set_start_offset(from)?;
        Ok(reader)
    }

    /// Returns the next complete record, or `None` if there is none yet.
    ///
    /// The first record starts at the requested offset, even within a stored record.
    pub fn next_record(&mut self) -> Result<Option<Record>, SpoolError> {
        while let Some(record) = self.read_untrimmed()? {
            if let Some(record) = trim_record(record, self.from) {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }

    /// Returns the offset after the last record read.
    pub fn offset(&self) -> u64 {
        self.segment.as_ref().map_or(0, SegmentReader::offset).max(self.from)
    }

    /// Checks that the offset exists; earlier records are skipped while reading.
    fn set_start_offset(&mut self, from: u64) -> Result<(), SpoolError> {
        self.from = from;
        if self.segment.as_ref().map_or(0, SegmentReader::offset) >= from {
            return Ok(());
        }
        let mut probe = Self { directory: self.directory.clone(), segment: None, from: 0 };
        if let Some(own) = &self.segment {
            probe.segment = Some(SegmentReader::open(&self.directory, own.segment.clone())?);
        }
        while probe.offset() < from {
            if probe.read_untrimmed()?.is_none() {
                return Err(SpoolError::BeyondEnd { requested: from, end: probe.offset() });
            }
        }
        Ok(())
    }

    fn read_untrimmed(&mut self) -> Result<Option<Record>, SpoolError> {
        loop {
            if let Some(record) = self.read_in_segment()? {
                return Ok(Some(record));
            }
            let Some(next) = self.open_next_segment()? else { return Ok(None) };
            // Meanwhile the holder may have finished this segment with a record without output.
            if let Some(record) = self.read_in_segment()? {
                return Ok(Some(record));
            }
            self.segment = Some(next);
        }
    }

    fn read_in_segment(&mut self) -> Result<Option<Record>, SpoolError> {
        let Some(segment) = self.segment.as_mut() else { return Ok(None) };
        match segment.next()? {
            NextRecord::Record(record) => Ok(Some(record)),
            NextRecord::End => Ok(None),
        }
    }

    /// Opens the next segment if it exists and its header is complete.
    fn open_next_segment(&self) -> Result<Option<SegmentReader>, SpoolError> {
        let next = match &self.segment {
            // The next name is known, so the folder need not be listed.
            Some(own) => Segment { number: own.segment.number + 1, offset: own.offset },
            None => match segment::list(&self.directory)?.into_iter().next() {
                Some(first) => first,
                None => return Ok(None),
            },
        };
        let path = next.path(&self.directory);
        match std::fs::metadata(&path) {
            Ok(metadata) if metadata.len() < segment::HEAD_BYTES as u64 => Ok(None),
            Ok(_) => SegmentReader::open(&self.directory, next).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(SpoolError::io("inspect", path, source)),
        }
    }
}

/// Returns the end of the spool. Reads only the last segment.
pub fn spool_end_offset(directory: &Path) -> Result<u64, SpoolError> {
    match RecordReader::open(directory, u64::MAX) {
        Ok(reader) => Ok(reader.offset()),
        Err(SpoolError::BeyondEnd { end, .. }) => Ok(end),
        Err(error) => Err(error),
    }
}

/// Removes the part of a record before an offset; `None` if nothing is left.
fn trim_record(mut record: Record, from: u64) -> Option<Record> {
    if record.offset >= from {
        return Some(record);
    }
    let RecordBody::Output { bytes, .. } = &mut record.body else { return None };
    let before = usize::try_from(from - record.offset).ok()?;
    if before >= bytes.len() {
        return None;
    }
    bytes.drain(..before);
    record.offset = from;
    Some(record)
}

/// Reads until the buffer is full or the file ends; returns the number of bytes.
fn read_at(file: &File, buffer: &mut [u8], position: u64) -> std::io::Result<usize> {
    let mut n_read = 0;
    while let Some(rest) = buffer.get_mut(n_read..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, position + n_read as u64) {
            Ok(0) => break,
            Ok(more) => n_read += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(n_read)
}
