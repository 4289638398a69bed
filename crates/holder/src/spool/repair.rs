//! Cuts off an incomplete end of a spool.
//!
//! Only the last segment can be incomplete, because a new one is started only after the previous is complete. So only
//! that one is read.

use std::{fs::OpenOptions, path::Path};

use super::{
    SpoolError,
    reader::{NextRecord, SegmentReader},
    segment,
};

/// The end of a spool after repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepairReport {
    /// Offset after the last valid output byte.
    pub end: u64,
    /// Number of bytes cut off from the file.
    pub cut_bytes: u64,
    pub(super) number: u64,
}

/// Cuts off everything after the last complete record. Must not be called while a holder writes.
pub fn repair(directory: &Path) -> Result<RepairReport, SpoolError> {
    let Some(last) = segment::list(directory)?.pop() else {
        return Ok(RepairReport { end: 0, cut_bytes: 0, number: 0 });
    };
    let path = last.path(directory);
    let length = std::fs::metadata(&path).map_err(|source| SpoolError::io("inspect", &path, source))?.len();
    let (end, good) = match SegmentReader::open(directory, last.clone()) {
        Ok(mut reader) => {
            while let Ok(NextRecord::Record(_)) = reader.next() {}
            (reader.offset(), reader.position())
        }
        // Its header is incomplete: nothing in it is valid.
        Err(SpoolError::Damaged { .. }) => (last.offset, 0),
        Err(error) => return Err(error),
    };
    if good < length {
        let file = OpenOptions::new().write(true).open(&path);
        file.and_then(|file| file.set_len(good)).map_err(|source| SpoolError::io("cut", &path, source))?;
    }
    let mut number = last.number;
    if good == 0 {
        std::fs::remove_file(&path).map_err(|source| SpoolError::io("remove", &path, source))?;
        // Segment numbers are contiguous, since readers derive the next name from their own.
        number = number.saturating_sub(1);
    }
    Ok(RepairReport { end, cut_bytes: length.saturating_sub(good), number })
}
