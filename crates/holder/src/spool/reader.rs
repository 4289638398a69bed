//! Reads a spool from any offset, also while the holder writes it.
//!
//! Never changes a file. A record that is not whole yet is the end for now; one that is whole and wrong is damage.

use std::{
    fs::File,
    io::ErrorKind,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use super::{
    Body, Record, SpoolError,
    record::{self, HEAD_BYTES},
    segment::{self, Segment},
};

/// What comes next in a segment.
pub(super) enum Next {
    Record(Record),
    /// Nothing more that is whole, for now.
    End,
}

/// Reads the records of one segment in their order.
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
        let found = read_at(&file, &mut head, 0).map_err(|source| SpoolError::io("read", &path, source))?;
        if found < head.len() || head != segment.head() {
            return Err(SpoolError::Damaged { path, position: 0, problem: "its head does not fit its name" });
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

    pub(super) fn next(&mut self) -> Result<Next, SpoolError> {
        let damaged =
            |problem| SpoolError::Damaged { path: self.path.clone(), position: self.position, problem };
        let failed = |source| SpoolError::io("read", &self.path, source);
        let mut head = [0; HEAD_BYTES];
        if read_at(&self.file, &mut head, self.position).map_err(failed)? < HEAD_BYTES {
            return Ok(Next::End);
        }
        let length = record::payload_length(&head).map_err(damaged)?;
        let mut payload = vec![0; length];
        let start = self.position + HEAD_BYTES as u64;
        if read_at(&self.file, &mut payload, start).map_err(failed)? < length {
            return Ok(Next::End);
        }
        let record = record::decode(&head, payload).map_err(damaged)?;
        if record.offset != self.offset {
            return Err(damaged("its offset does not follow the one before"));
        }
        self.position = start + length as u64;
        self.offset = record.end();
        Ok(Next::Record(record))
    }
}

/// Reads a spool's records from an offset on.
pub struct Reader {
    directory: PathBuf,
    segment: Option<SegmentReader>,
    /// Nothing before this is given out.
    from: u64,
}

impl Reader {
    /// Opens a spool at an output byte. Records at that very offset are given, also those without output.
    pub fn open(directory: &Path, from: u64) -> Result<Self, SpoolError> {
        let mut segments = segment::list(directory)?;
        // The holder has made the file and not written its head yet.
        segments.pop_if(|last| {
            std::fs::metadata(last.path(directory))
                .is_ok_and(|found| found.len() < segment::HEAD_BYTES as u64)
        });
        let first = segments.first().map_or(0, |segment| segment.offset);
        if from < first {
            return Err(SpoolError::Forgotten { asked: from, first });
        }
        // Records without output can stand at the end of one segment and at the start of the next.
        let before = segments.iter().rposition(|segment| segment.offset < from).unwrap_or(0);
        let segment = match segments.into_iter().nth(before) {
            Some(segment) => Some(SegmentReader::open(directory, segment)?),
            None => None,
        };
        let mut reader = Self { directory: directory.to_owned(), segment, from: 0 };
        reader.skip_to(from)?;
        Ok(reader)
    }

    /// Returns the next whole record, or nothing if there is none yet.
    ///
    /// The first record begins at the offset that was asked for, even if that is in the middle of one.
    pub fn next_record(&mut self) -> Result<Option<Record>, SpoolError> {
        while let Some(record) = self.read()? {
            if let Some(record) = trim(record, self.from) {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }

    /// Returns the offset behind the last record that was read.
    pub fn offset(&self) -> u64 {
        self.segment.as_ref().map_or(0, SegmentReader::offset).max(self.from)
    }

    /// Checks that the offset exists; the records before it are left out as they come.
    fn skip_to(&mut self, from: u64) -> Result<(), SpoolError> {
        self.from = from;
        if self.segment.as_ref().map_or(0, SegmentReader::offset) >= from {
            return Ok(());
        }
        let mut look = Self { directory: self.directory.clone(), segment: None, from: 0 };
        if let Some(own) = &self.segment {
            look.segment = Some(SegmentReader::open(&self.directory, own.segment.clone())?);
        }
        while look.offset() < from {
            if look.read()?.is_none() {
                return Err(SpoolError::Beyond { asked: from, end: look.offset() });
            }
        }
        Ok(())
    }

    fn read(&mut self) -> Result<Option<Record>, SpoolError> {
        loop {
            if let Some(record) = self.read_here()? {
                return Ok(Some(record));
            }
            let Some(next) = self.next_segment()? else { return Ok(None) };
            // Between the two looks the holder may have ended this segment with a record that has no output.
            if let Some(record) = self.read_here()? {
                return Ok(Some(record));
            }
            self.segment = Some(next);
        }
    }

    fn read_here(&mut self) -> Result<Option<Record>, SpoolError> {
        let Some(segment) = self.segment.as_mut() else { return Ok(None) };
        match segment.next()? {
            Next::Record(record) => Ok(Some(record)),
            Next::End => Ok(None),
        }
    }

    /// Opens the segment behind this one, if it is there and its head is whole.
    fn next_segment(&self) -> Result<Option<SegmentReader>, SpoolError> {
        let next = match &self.segment {
            // What follows is named after what we know, so no folder is listed while following.
            Some(own) => Segment { number: own.segment.number + 1, offset: own.offset },
            None => match segment::list(&self.directory)?.into_iter().next() {
                Some(first) => first,
                None => return Ok(None),
            },
        };
        let path = next.path(&self.directory);
        match std::fs::metadata(&path) {
            Ok(found) if found.len() < segment::HEAD_BYTES as u64 => Ok(None),
            Ok(_) => SegmentReader::open(&self.directory, next).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(SpoolError::io("look at", path, source)),
        }
    }
}

/// Returns the offset behind everything that was written. Reads the last segment alone.
pub fn end_offset(directory: &Path) -> Result<u64, SpoolError> {
    match Reader::open(directory, u64::MAX) {
        Ok(reader) => Ok(reader.offset()),
        Err(SpoolError::Beyond { end, .. }) => Ok(end),
        Err(error) => Err(error),
    }
}

/// Cuts from a record what lies before an offset; nothing is left of one that ends there.
fn trim(mut record: Record, from: u64) -> Option<Record> {
    if record.offset >= from {
        return Some(record);
    }
    let Body::Output { bytes, .. } = &mut record.body else { return None };
    let before = usize::try_from(from - record.offset).ok()?;
    if before >= bytes.len() {
        return None;
    }
    bytes.drain(..before);
    record.offset = from;
    Some(record)
}

/// Reads until the buffer is full or the file ends, and returns how much there was.
fn read_at(file: &File, buffer: &mut [u8], position: u64) -> std::io::Result<usize> {
    let mut found = 0;
    while let Some(rest) = buffer.get_mut(found..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, position + found as u64) {
            Ok(0) => break,
            Ok(more) => found += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}
