//! Finds the end of what can be trusted, and cuts off the rest.
//!
//! Only the last segment can be torn: the next one begins only when the one before is whole. So only that one is read.

use std::{fs::OpenOptions, path::Path};

use super::{
    SpoolError,
    reader::{Next, SegmentReader},
    segment,
};

/// What was found at the end of a spool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repaired {
    /// The offset behind the last trusted output byte.
    pub end: u64,
    /// How many bytes of the file were cut off.
    pub cut_bytes: u64,
    /// The number of the last segment.
    pub(super) number: u64,
}

/// Cuts off everything behind the last whole record. Must not be called while a holder writes.
pub fn repair(directory: &Path) -> Result<Repaired, SpoolError> {
    let Some(last) = segment::list(directory)?.pop() else {
        return Ok(Repaired { end: 0, cut_bytes: 0, number: 0 });
    };
    let path = last.path(directory);
    let length = std::fs::metadata(&path).map_err(|source| SpoolError::io("look at", &path, source))?.len();
    let (end, good) = match SegmentReader::open(directory, last.clone()) {
        Ok(mut reader) => {
            while let Ok(Next::Record(_)) = reader.next() {}
            (reader.offset(), reader.position())
        }
        // Its head is torn: nothing in it can be trusted.
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
        // Numbers have no holes: a reader looks for the one behind its own.
        number = number.saturating_sub(1);
    }
    Ok(Repaired { end, cut_bytes: length.saturating_sub(good), number })
}
