//! The segment files of a spool: how they are named, how they begin, which of them may go.
//!
//! `0000000003-00000000000012582912.spool` is the third segment and begins with that output byte. The name alone says
//! where to look for an offset; the head inside repeats it, so that a renamed file is noticed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::SpoolError;

/// When a segment has grown to this, the next one begins. Old ones can be removed whole, so it is not large; a year of
/// output is not a million files, so it is not small.
pub const SEGMENT_BYTES_MAX: u64 = 4 << 20;

/// How long a segment's head is.
pub(super) const HEAD_BYTES: usize = 32;

const MAGIC: [u8; 8] = *b"JDSPOOL\x01";

/// A segment file by its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Segment {
    pub(super) number: u64,
    /// The offset of the first output byte in it.
    pub(super) offset: u64,
}

impl Segment {
    pub(super) fn path(&self, directory: &Path) -> PathBuf {
        directory.join(format!("{:010}-{:020}.spool", self.number, self.offset))
    }

    fn from_name(name: &str) -> Option<Self> {
        let (number, offset) = name.strip_suffix(".spool")?.split_once('-')?;
        Some(Self { number: number.parse().ok()?, offset: offset.parse().ok()? })
    }

    pub(super) fn head(&self) -> [u8; HEAD_BYTES] {
        let mut head = [0; HEAD_BYTES];
        head[..8].copy_from_slice(&MAGIC);
        head[8..16].copy_from_slice(&self.number.to_le_bytes());
        head[16..24].copy_from_slice(&self.offset.to_le_bytes());
        let checksum = crc32fast::hash(&head[..24]);
        head[24..28].copy_from_slice(&checksum.to_le_bytes());
        head
    }
}

/// Returns all segments in their order.
pub(super) fn list(directory: &Path) -> Result<Vec<Segment>, SpoolError> {
    let failed = |source| SpoolError::io("list the spool", directory, source);
    let mut segments = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        segments.extend(name.to_str().and_then(Segment::from_name));
    }
    segments.sort();
    Ok(segments)
}

/// Returns the first offset that is still in a spool, and 0 if nothing was written yet.
pub fn first_offset(directory: &Path) -> Result<u64, SpoolError> {
    Ok(list(directory)?.first().map_or(0, |segment| segment.offset))
}

/// Removes the segments that end at or before an offset, and returns the first offset that is still there.
///
/// The last segment always stays: its name says where the spool goes on.
pub fn forget_before(directory: &Path, offset: u64) -> Result<u64, SpoolError> {
    let segments = list(directory)?;
    for pair in segments.windows(2) {
        let [old, next] = pair else { break };
        if next.offset > offset {
            break;
        }
        let path = old.path(directory);
        fs::remove_file(&path).map_err(|source| SpoolError::io("remove", path, source))?;
    }
    first_offset(directory)
}
